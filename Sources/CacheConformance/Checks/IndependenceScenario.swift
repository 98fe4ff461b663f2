import CacheCore

/// LIF-9: two caches that are open at once, of which each does what the other must not hear of.
struct IndependenceScenario {
    private static let key = Array("shared".utf8)
    private let context: CheckContext

    init(_ context: CheckContext) { self.context = context }

    /// What the first does, and then the second, with the features that it takes.
    private var turns:
        [(needs: Set<Claims.Feature>, first: [CacheOperation], second: [CacheOperation], third: [CacheOperation])]
    {
        let key = Self.key
        let mortal = PutTerms(timeToLiveNanoseconds: 10)
        let tagged = PutTerms(tags: ["t"])
        return [
            ([], [.put(key, value(1))], [.put(key, value(2)), .remove(key), .put(key, value(3))], [.get(key)]),
            (
                [.versions], [.put(key, value(1)), .mark(key)], [.put(key, value(2)), .put(key, value(3)), .mark(key)],
                [.setIfMarked(key, value(4)), .get(key)]
            ),
            (
                [.loader, .negative], [.load(key, Origin(.nothing))], [.load(key, Origin(.value(value(2))))],
                [.get(key)]
            ),
            (
                [.loader, .staleServe, .timeToLive],
                [.put(key, value(1), terms: mortal), .advance(nanoseconds: 10), .get(key)],
                [.load(key, Origin(.failure))], [.get(key)]
            ),
            ([.timeToLive], [.put(key, value(1), terms: mortal)], [.advance(nanoseconds: 10), .maintain], [.get(key)]),
            (
                [.tags], [.put(key, value(1), terms: tagged)],
                [.put(key, value(2), terms: tagged), .removeTagged("t")],
                [.get(key)]
            ),
            (
                [.groups, .groupLimits], [.limitGroup("g", 1)],
                [Self.key, Array("more".utf8)].map { inGroup(.put($0, value(1))) }
                    + [inGroup(.get(key))], [.count]
            ),
            ([.writer], [.failWrites(true)], [.put(key, value(1)), .get(key), .writes], [.failWrites(false)]),
            ([.events, .listener], [.listen(.none)], [.put(key, value(1)), .remove(key), .events], [.events]),
            ([.statistics], [.put(key, value(1)), .get(key)], [.statistics], [.statistics]),
        ]
    }

    private func inGroup(_ operation: CacheOperation) -> CacheOperation { .within(group: "g", operation) }

    /// Every turn with two fresh caches, whose answers are judged apart.
    func verify() throws(CheckStop) {
        let claims = context.claims
        for turn in turns where turn.needs.isSubset(of: claims.features) {
            // Two times to live would be two openings, and one clock is no fault where it is documented.
            if turn.needs.contains(.timeToLive), !claims.hasOwnTimes || claims.deviates(.sharedClock) { continue }
            let script = turn.first.map { (0, $0) } + turn.second.map { (1, $0) } + turn.third.map { (0, $0) }
            try verify(script, staleFor: turn.needs.contains(.staleServe) ? 50 : nil)
        }
    }

    private func verify(_ script: [(cache: Int, operation: CacheOperation)], staleFor time: Int64?) throws(CheckStop) {
        var adapter = ProgramAdapter(context.claims)
        let setup = adapter.setup(CacheSetup(staleNanoseconds: time))
        let script = script.compactMap { step in
            adapter.operation(step.operation).map { (cache: step.cache, operation: $0) }
        }
        let steps =
            ["open two caches"] + script.map { "\($0.cache == 0 ? "the first" : "the second"): \($0.operation)" }
        let model = CacheModel(claims: context.claims, setup: setup, orderPolicy: context.subject.orderPolicy)
        var models = [model, model]
        let caches = [try context.openAsked(setup, steps: steps), try context.openAsked(setup, steps: steps)]
        defer { for cache in caches { _ = cache.perform(.close) } }
        for (index, (cache, operation)) in script.enumerated() {
            let result = caches[cache].perform(operation)
            guard let permitted = models[cache].judge(operation, result) else { continue }
            throw context.failed(
                ValueText.describe(result, of: operation), permitted: permitted, steps: Array(steps[...(index + 1)]))
        }
    }
}
