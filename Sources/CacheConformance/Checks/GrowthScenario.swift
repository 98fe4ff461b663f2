import CacheCore

/// What belongs to entries that were there before many others came: their versions, groups, tags, costs and times. BAS-8.
struct GrowthScenario {
    private let context: CheckContext
    private let claims: Claims
    private let room: Claims.Room?

    init(_ context: CheckContext) {
        self.context = context
        claims = context.claims
        room = context.claims.room
    }

    private func claim(_ feature: Claims.Feature) -> Bool {
        feature == .timeToLive ? claims.hasOwnTimes : claims.claims(feature)
    }

    private func key(_ kind: String, _ number: Int) -> [UInt8] { Array("\(kind)-\(number)".utf8) }

    /// Whether costs are added up.
    private var isWeighed: Bool { room?.isAdjustable == true && room?.units.contains(.bytes) == true && claim(.cost) }

    private var setup: CacheSetup {
        var setup = CacheSetup(timeToIdleNanoseconds: claim(.timeToIdle) && claim(.timeToLive) ? 200 : nil)
        // So much that no part of the cache is full before all is.
        if room?.isAdjustable == true { setup.capacity = Capacity(20_000, isWeighed ? .bytes : .objects) }
        return setup
    }

    /// How many others come; none where there is room for few.
    private var count: Int {
        let isSlow = context.subject.needsDirectory || context.subject is ProcessSubject
        let wanted = claims.durability >= .power ? 30 : isSlow ? 300 : 1_500
        guard let room, !room.isAdjustable else { return wanted }
        return room.capacity.unit == .objects && room.capacity.amount / 4 >= wanted ? wanted : 0
    }

    /// Puts one entry of each kind that is claimed, and says what they cost.
    private func putKinds(_ number: Int, _ instance: any CacheInstance) -> Int {
        func terms(_ terms: PutTerms, _ kind: String) -> CacheOperation {
            .put(key(kind, number), value(number), terms: terms)
        }
        var puts = [terms(.plain, "idle")]
        if claim(.tags) { puts.append(terms(PutTerms(tags: ["t"]), "tagged")) }
        if claim(.timeToLive) { puts.append(terms(PutTerms(timeToLiveNanoseconds: 100), "mortal")) }
        if claim(.cost) { puts.append(terms(PutTerms(cost: 5), "costly")) }
        if claim(.versions) { puts.append(terms(.plain, "marked")) }
        if claim(.groups) { puts.append(.within(group: "g", terms(.plain, "grouped"))) }
        for put in puts { _ = instance.perform(put) }
        if claim(.versions) { _ = instance.perform(.mark(key("marked", number))) }
        return puts.count + (claim(.cost) ? 4 : 0)
    }

    func run() throws(CheckStop) {
        guard count > 0 else { return }
        let steps = [
            "three times: put one entry of each kind, marked, tagged, in a group, with a cost and with a life of 100",
            "after each: put \(count / 3) others",
        ]
        try context.withInstance(setup, steps: steps) { (instance) throws(CheckStop) in
            var total = 0
            for batch in 0..<3 {
                total += putKinds(batch, instance) + count / 3
                for number in 0..<count / 3 {
                    _ = instance.perform(.put(key("other-\(batch)", number), value(number)))
                }
            }
            func ask(_ operation: CacheOperation, _ permitted: OperationResult, _ more: [String] = []) throws(CheckStop)
            {
                let result = instance.perform(operation)
                try context.require(
                    result == permitted, observed: ValueText.describe(result, of: operation),
                    permitted: ValueText.describe(permitted, of: operation),
                    steps: steps + more + [operation.description])
            }
            if isWeighed { try ask(.cost, .number(total)) }
            for batch in 0..<3 {
                if claim(.versions) { try ask(.setIfMarked(key("marked", batch), value(9)), .flag(true)) }
                if claim(.groups) { try ask(.within(group: "g", .contains(key("grouped", batch))), .flag(true)) }
            }
            if claim(.tags) {
                _ = instance.perform(.removeTagged("t"))
                for batch in 0..<3 { try ask(.contains(key("tagged", batch)), .flag(false), ["removeTagged t"]) }
            }
            guard claim(.timeToLive) else { return }
            _ = instance.perform(.advance(nanoseconds: 99))
            for batch in 0..<3 { try ask(.contains(key("mortal", batch)), .flag(true), ["advance 99"]) }
            _ = instance.perform(.advance(nanoseconds: 1))
            for batch in 0..<3 { try ask(.contains(key("mortal", batch)), .flag(false), ["advance 100"]) }
            guard setup.timeToIdleNanoseconds != nil else { return }
            _ = instance.perform(.advance(nanoseconds: 100))
            for batch in 0..<3 { try ask(.contains(key("idle", batch)), .flag(false), ["advance 200"]) }
        }
    }
}
