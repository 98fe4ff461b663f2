import CacheCore

/// Counts further than one byte or two can, in few words: what is done many times is done to one instance and told once.
struct CounterScenario {
    private let context: CheckContext
    /// How often everything is done until the counters are looked at: beyond 2^8, and where that is cheap beyond 2^16.
    private let rounds: [Int]

    init(_ context: CheckContext) {
        self.context = context
        rounds = context.subject.needsDirectory ? [300] : [300, 1 << 16 + 300]
    }

    /// As `rounds`, for what is counted less often; to another process each question is a message, and takes its time.
    private var fewerRounds: [Int] { context.subject is ProcessSubject ? [300] : rounds }

    /// STA-9.
    func verify() throws(CheckStop) {
        try readsAndEvictions()
        if context.claims.claims(.timeToLive) { try expirations() }
        if context.claims.claims(.loader) { try failures() }
    }

    private func key(_ number: Int) -> [UInt8] { Array("k\(number)".utf8) }

    /// Misses, loads or puts, evicts and hits, each once a round.
    private func readsAndEvictions() throws(CheckStop) {
        let isBounded = context.claims.room?.units.contains(.objects) == true
        let small = isBounded ? try? context.room(.objects, 4) : nil
        let isExact = small != nil && context.claims.retains && context.claims.room?.isStrict == true
        let loads = context.claims.claims(.loader)
        let steps = [
            small.map { "open for \($0.amount)" } ?? "open",
            "\(rounds.last!) times: " + (loads ? "load" : "get and put") + " another key, and get it", "statistics",
        ]
        var expected = CacheCounters()
        (expected.hits, expected.misses) = (0, 0)
        (expected.loads, expected.evictions) = (loads ? 0 : nil, isExact ? 0 : nil)
        try context.withInstance(small?.setup ?? CacheSetup(), steps: steps) { (instance) throws(CheckStop) in
            for round in 0..<rounds.last! {
                if loads {
                    let load = CacheOperation.load(key(round), Origin(.value(value(round))))
                    guard case .loaded(_, let calls) = instance.perform(load) else { throw .blocked("a load") }
                    if calls > 0 { expected.misses! += 1 } else { expected.hits! += 1 }
                    expected.loads! += calls
                } else {
                    count(instance.perform(.get(key(round))).isHit, in: &expected)
                    _ = instance.perform(.put(key(round), value(round)))
                }
                count(instance.perform(.get(key(round))).isHit, in: &expected)
                if isExact { expected.evictions = max(0, round + 1 - small!.amount) }
                try look(at: instance, after: round + 1, expected, steps)
            }
        }
    }

    private func count(_ isHit: Bool, in counters: inout CacheCounters) {
        if isHit { counters.hits! += 1 } else { counters.misses! += 1 }
    }

    /// Fills the cache, lets all of it expire, and again.
    private func expirations() throws(CheckStop) {
        let isBounded = context.claims.room?.units.contains(.objects) == true
        let small = isBounded ? try? context.room(.objects, 300) : nil
        guard context.claims.retains, small != nil || context.claims.room == nil else { return }
        let batch = min(300, small?.amount ?? 300)
        let mortal = PutTerms(timeToLiveNanoseconds: 5)
        let steps = [
            "until \(fewerRounds.last!) were put: put \(batch) that live 5 ns, wait 5 ns, maintain", "statistics",
        ]
        var expected = CacheCounters()
        try context.withInstance(small?.setup ?? CacheSetup(), steps: steps) { (instance) throws(CheckStop) in
            for round in 0..<fewerRounds.last! {
                _ = instance.perform(.put(key(round), value(round), terms: mortal))
                guard (round + 1) % batch == 0 || fewerRounds.contains(round + 1) else { continue }
                _ = instance.perform(.advance(nanoseconds: 5))
                _ = instance.perform(.maintain)
                expected.expirations = round + 1
                try look(at: instance, after: round + 1, expected, steps)
            }
        }
    }

    private func failures() throws(CheckStop) {
        let steps = ["\(fewerRounds.last!) times: load a key whose origin fails", "statistics"]
        var expected = CacheCounters()
        (expected.hits, expected.misses, expected.loads, expected.loadFailures) = (0, 0, 0, 0)
        try context.withInstance(steps: steps) { (instance) throws(CheckStop) in
            for round in 1...fewerRounds.last! {
                guard case .loaded(.failed, let calls) = instance.perform(.load(key(0), Origin(.failure))) else {
                    throw .blocked("a failing load")
                }
                expected.loadFailures! += calls
                expected.misses! += 1
                try look(at: instance, after: round, expected, steps)
            }
        }
    }

    /// After some of the rounds, compares what was counted with what must have been, where both are known.
    private func look(
        at instance: any CacheInstance, after round: Int, _ expected: CacheCounters, _ steps: [String]
    ) throws(CheckStop) {
        guard rounds.contains(round) else { return }
        guard case .statistics(let counted) = instance.perform(.statistics) else { throw .blocked("the counters") }
        let counters: [(String, KeyPath<CacheCounters, Int?>)] = [
            ("evictions", \.evictions), ("hits", \.hits), ("misses", \.misses), ("loads", \.loads),
            ("failed loads", \.loadFailures), ("expirations", \.expirations),
        ]
        for (name, path) in counters {
            guard let seen = counted[keyPath: path], let wanted = expected[keyPath: path] else { continue }
            try context.require(
                seen == wanted, observed: "\(seen) \(name) after \(round) times", permitted: "\(wanted) \(name)",
                steps: steps)
        }
    }
}
