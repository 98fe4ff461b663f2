import CacheCore

/// The bodies of checks about what a cache is opened with.
enum SetupScenarios: LetterKeys {
    /// LIF-6.
    static func defaults(_ context: CheckContext) throws(CheckStop) {
        let claims = context.claims
        let hasTime = claims.claims(.timeToLive) || claims.claims(.timeToIdle)
        guard hasTime || claims.room?.capacity.unit == .objects else {
            throw .blocked("neither a time nor a room in objects, of which there could be a default")
        }
        if hasTime {
            try context.verify(
                [.put(a, value(1)), .get(a), .advance(nanoseconds: .max / 2), .get(a)],
                witness: .hits(claims.retains ? 2 : 1))
        }
        guard let room = claims.room, room.capacity.unit == .objects else { return }
        // One more than there is room for, where that is few enough to fill; else as many as can be tried.
        let keys = (0..<min(room.capacity.amount + 1, 2_000)).map { Array("default-\($0)".utf8) }
        let puts = keys.enumerated().map { CacheOperation.put($1, value($0)) }
        let looks = keys.map { CacheOperation.contains($0) }
        try context.verify(puts + [.count] + looks)
        guard room.isAdjustable, claims.retains, room.isStrict else { return }
        try sameWhenSaid(context, room.capacity, puts.suffix(50) + looks.suffix(60) + [.count])
    }

    /// A cache that is told its default must answer as one that is told nothing.
    private static func sameWhenSaid(
        _ context: CheckContext, _ capacity: Capacity, _ operations: [CacheOperation]
    ) throws(CheckStop) {
        let steps = ["open with nothing said, and another with \(capacity)", "put, look and count the same in both"]
        var answers: [[OperationResult]] = []
        for setup in [CacheSetup(), CacheSetup(capacity: capacity)] {
            answers.append(
                try context.withInstance(setup, steps: steps) { (instance) throws(CheckStop) in
                    operations.map { instance.perform($0) }
                })
        }
        let index = operations.indices.first { answers[0][$0] != answers[1][$0] }
        try context.require(
            index == nil,
            observed: index.map {
                "\(operations[$0]): \(ValueText.describe(answers[0][$0], of: operations[$0])), and "
                    + ValueText.describe(answers[1][$0], of: operations[$0])
            } ?? "", permitted: "equal answers", steps: steps)
    }

    /// A cache that is filled and opened with one room after the other has at the end what there was room for in each.
    static func rooms(_ context: CheckContext, _ amounts: [Int]) throws(CheckStop) {
        guard context.claims.room?.isAdjustable == true else { return }
        let keys = (0..<amounts[0]).map { Array("room-\($0)".utf8) }
        let fill = keys.enumerated().map { CacheOperation.put($1, value($0)) } + [.get(keys[0])]
        let looks = [CacheOperation.count] + keys.map { .contains($0) } + [.maintain, .count]
        var steps: [String] = []
        var setup = CacheSetup(capacity: .objects(amounts[0]))
        var model = CacheModel(claims: context.claims, setup: setup, orderPolicy: context.subject.orderPolicy)
        let sandbox = try context.sandbox(steps: steps)
        defer { sandbox.end() }
        var least = amounts[0]
        for (number, amount) in amounts.enumerated() {
            setup.capacity = .objects(amount)
            steps.append("open with room for \(amount) objects")
            let instance = try context.open(setup, in: sandbox, steps: steps)
            if number > 0 {
                _ = model.judge(.reopen, .done)
                _ = model.judge(.resize(amount), .done)
            }
            let operations = number == 0 ? fill : number == amounts.count - 1 ? looks : [.count]
            for operation in operations + [.close] {
                let result = instance.perform(operation)
                steps.append("\(operation)")
                var permitted = model.judge(operation, result)
                // What is known of no order is still no more than it was.
                if case .number(let count) = result, context.claims.iterates {
                    if count > least { permitted = permitted ?? "\(least) or fewer" }
                    least = min(least, count)
                }
                guard let permitted else { continue }
                throw context.failed(
                    "\(operation): \(ValueText.describe(result, of: operation))", permitted: permitted, steps: steps)
            }
        }
    }

    /// LIF-7.
    static func nonsense(_ context: CheckContext) throws(CheckStop) {
        let steps = ["open with nothing said", "close", "open with a setting that makes no sense"]
        try context.withInstance(steps: steps) { (_) throws(CheckStop) in }
        for (name, setup) in settings(context.claims) {
            let sandbox = try context.sandbox(steps: steps)
            defer { sandbox.end() }
            var opened: (any CacheInstance)?
            do throws(StoreError) { opened = try context.subject.open(setup, in: sandbox.directory) } catch {
                // An end of the process is no refusal.
                if CheckFailure.ProcessEnd(error) != nil {
                    _ = try context.expecting("an error", steps: steps + [name]) { () throws(StoreError) in
                        throw error
                    }
                }
            }
            _ = opened?.perform(.close)
            try context.require(
                opened == nil, observed: "a cache that is open", permitted: "an error when opening",
                steps: steps + [name])
        }
    }

    /// What cannot be meant, of what the claims say can be set.
    private static func settings(_ claims: Claims) -> [(String, CacheSetup)] {
        var found: [(String, CacheSetup)] = []
        if let room = claims.room, room.isAdjustable {
            for unit in room.units {
                found += [-1, .min].map { (amount: Int) in
                    ("a capacity of \(amount) \(unit.rawValue)", CacheSetup(capacity: Capacity(amount, unit)))
                }
            }
        }
        if claims.claims(.timeToIdle) {
            found.append(("a time to idle of -1 ns", CacheSetup(timeToIdleNanoseconds: -1)))
        }
        if claims.claims(.staleServe) { found.append(("serve stale for -1 ns", CacheSetup(staleNanoseconds: -1))) }
        if claims.claims(.refresh) { found.append(("refresh after -1 ns", CacheSetup(refreshNanoseconds: -1))) }
        if claims.formats != nil {
            found += [0, -1].map { (version: Int) in ("the program of version \(version)", CacheSetup(format: version))
            }
        }
        return found
    }
}
