import CacheCore

// What the checks of capacity do that is more than one program.
extension CapacityChecks {
    /// Entries of one cost that divides the capacity: it is full after each of them.
    static func staysFull(_ context: CheckContext) throws(CheckStop) {
        guard context.claims.claims(.cost), context.claims.room?.units.contains(.bytes) == true else { return }
        let (setup, room) = try context.room(.bytes, 100)
        let steps = [
            "open for \(room) bytes", "put 20 entries that cost \(room / 10) each",
            "cost, after each from the tenth on",
        ]
        guard room % 10 == 0 else { return }
        try context.withInstance(setup, steps: steps) { (instance) throws(CheckStop) in
            for (index, key) in keys[..<20].enumerated() {
                _ = instance.perform(put(key, index, costs: room / 10))
                guard index >= 9 else { continue }
                let total = instance.perform(.cost)
                try context.require(
                    total == .number(room), observed: ValueText.describe(total, of: .cost), permitted: "\(room)",
                    steps: steps)
            }
        }
    }

    static func extremes(_ context: CheckContext) throws(CheckStop) {
        _ = try context.room(.objects, 1)
        guard context.claims.room?.isAdjustable == true else { throw .blocked("the capacity cannot be adjusted") }
        let none = CacheSetup(capacity: .objects(0))
        let isNone = !context.claims.deviates(.zeroCapacityIsUnlimited)
        if isNone, let empty = try? context.subject.open(none, in: nil) {
            let steps = ["open for 0 entries", "put", "get"]
            var isFound = false
            for key in keys[..<4] {
                try context.requireAnswer(empty.perform(.put(key, value(1))), steps: steps)
                let found = empty.perform(.get(key))
                try context.requireAnswer(found, steps: steps)
                isFound = isFound || found.isHit
            }
            _ = empty.perform(.close)
            try context.require(
                !isFound, observed: "an entry was found",
                permitted: "nothing found with a capacity of 0, unless the deviation zeroCapacityIsUnlimited is stated",
                steps: steps)
        }
        try context.verify(
            [.put(a, value(1)), .get(a), .put(a, value(2)), .get(a), .count, .put(b, value(3)), .count, .get(b)],
            setup: CacheSetup(capacity: .objects(1)), witness: .none)
        let all = keys[..<100].enumerated().map { CacheOperation.put($1, value($0)) } + keys[..<100].map { .get($0) }
        try context.verify(all, setup: CacheSetup(capacity: .objects(greatest(context))))
    }

    /// The greatest capacity that a cache is asked to have: what it claims as that, or else what it can be opened with. Where it takes
    /// longer to open for more room it sets memory aside for all of it, of which there may not be so much.
    private static func greatest(_ context: CheckContext) -> Int {
        if let limit = context.claims.limits.capacityMax { return limit }
        func opening(_ amount: Int) -> Duration? {
            let clock = ContinuousClock()
            let start = clock.now
            guard let instance = try? context.openPlain(CacheSetup(capacity: .objects(amount)), steps: []) else {
                return nil
            }
            defer { _ = instance.perform(.close) }
            return clock.now - start
        }
        guard let least = opening(1) else { return 1 << 31 }
        var opened = 1 << 16
        for amount in [20, 22, 24, 26, 28].map({ 1 << $0 }) {
            // A busy machine makes one opening slow, and hardly three. What is refused is refused at 2^31 too.
            let isQuick = (0..<3).contains { _ in opening(amount).map { $0 < least * 2 + .milliseconds(100) } ?? true }
            guard isQuick else { return opened }
            opened = amount
        }
        return [Int.max, 1 << 53].first { opening($0) != nil } ?? 1 << 31
    }

    /// CAP-26.
    static func holdsBytes(_ context: CheckContext) throws(CheckStop) {
        guard context.claims.deviates(.weighsBytes), let room = context.claims.room else {
            throw .notClaimed("the deviation weighsBytes")
        }
        let amount = room.isAdjustable ? 1 << 22 : room.capacity.amount
        guard (1 << 10...1 << 27).contains(amount) else { throw .blocked("the capacity is \(room.capacity)") }
        let (limits, keyLength) = (context.claims.limits, 12)
        let length = min(amount / 64, 1 << 14, context.claims.valueBytesMax, (limits.entryBytesMax ?? .max) - keyLength)
        guard length > 0, context.claims.keyBytesMax >= keyLength else { throw .blocked("its entries are too short") }
        let count = 2 * amount / (length + keyLength)
        let names = (0..<count).map { Array("bytes-\(100_000 + $0)".utf8) }
        let setup = room.isAdjustable ? CacheSetup(capacity: Capacity(amount, .bytes)) : CacheSetup()
        // Both would not fit beside each other: what is refused leaves nothing old.
        let sizes = [amount / 8 * 5, amount / 8 * 7]
        let keepsOld = context.claims.deviates(.refusedPutKeepsOld)
        if !keepsOld, amount <= 1 << 22, sizes[1] + keyLength <= limits.entryBytesMax ?? .max,
            sizes[1] <= context.claims.valueBytesMax
        {
            let overwrites = sizes.enumerated().flatMap { [CacheOperation.put(a, value($0, $1)), .get(a)] }
            try context.verify(overwrites + [.put(a, value(2)), .get(a)], setup: setup, witness: .none)
        }
        let steps = [
            "open for \(amount) bytes",
            "put \(count) values of \(length) bytes under keys of \(keyLength), maintain, get each",
            "removeAll, put one, put \(count / 4) and get each",
        ]
        try context.withInstance(setup, steps: steps) { (instance) throws(CheckStop) in
            func fill(_ names: ArraySlice<[UInt8]>) -> Int {
                for (number, name) in names.enumerated() { _ = instance.perform(.put(name, value(number, length))) }
                _ = instance.perform(.maintain)
                return names.count { instance.perform(.get($0)).isHit }
            }
            let found = fill(names[...])
            let bytes = found * (length + keyLength)
            try context.require(
                bytes <= amount, observed: "\(found) entries of \(bytes) bytes", permitted: "at most \(amount) bytes",
                steps: steps)
            if found == 0 { throw .blocked("the witness: nothing was found") }
            _ = instance.perform(.removeAll)
            let answer = instance.perform(.put(names[0], value(1, length)))
            try context.require(
                answer == .done, observed: ValueText.describe(answer, of: .put(names[0], value(1, length))),
                permitted: "no error after the clear", steps: steps)
            try context.require(
                fill(names[..<max(1, count / 4)]) > 0, observed: "nothing is found after the clear",
                permitted: "some of what was put", steps: steps)
        }
    }

    /// CAP-21.
    static func addsUp(_ context: CheckContext) throws(CheckStop) {
        let names = keys[..<12]
        let rounds = context.rounds(1_000)
        for run in 0..<context.runs(6) {
            // In every other run there is not room for all.
            let (setup, room) = try context.room(.bytes, run.isMultiple(of: 2) ? 10_000 : 40)
            let steps = [
                "open for \(room)",
                "4 threads at once: put one of 12 keys at a cost of 1 to 9, or remove one, \(rounds) times each",
                "remove each", "cost",
            ]
            let seed = context.seed &+ UInt64(run)
            let run = try context.threads(4, setup, steps: steps) { thread, instance in
                var random = SeededGenerator(seed: mix64(seed &+ UInt64(thread)))
                for step in 0..<rounds {
                    let (name, number) = (names[random.next(below: 12)], thread * 1_000 + step)
                    let put = CacheOperation.put(name, value(number), terms: PutTerms(cost: 1 + number % 9))
                    _ = instance.perform(random.next(below: 4) == 0 ? .remove(name) : put)
                }
            }
            for name in names { _ = run.instance.perform(.remove(name)) }
            _ = run.instance.perform(.maintain)
            let left = run.instance.perform(.cost)
            _ = run.instance.perform(.close)
            try context.require(
                left == .number(0), observed: ValueText.describe(left, of: .cost), permitted: "0", steps: steps)
        }
    }

    static func diskUsage(_ context: CheckContext) throws(CheckStop) {
        let steps = [
            "put 40 entries", "overwrite and remove a third each", "ask for the disk usage", "reopen, ask again",
        ]
        let sandbox = try context.directory(steps: steps)
        defer { sandbox.end() }
        var hits = 0
        for round in 0..<2 {
            let instance = try context.open(in: sandbox, steps: steps)
            if round == 0 {
                for index in 0..<40 { _ = instance.perform(.put(keys[index], value(index, 24 + index * 1_300))) }
                for index in stride(from: 0, to: 40, by: 3) { _ = instance.perform(.put(keys[index], value(99, 300))) }
                for index in stride(from: 1, to: 40, by: 3) { _ = instance.perform(.remove(keys[index])) }
                _ = instance.perform(.flush)
            }
            hits += keys[..<40].count { instance.perform(.get($0)).isHit }
            let answer = instance.perform(.diskUsage)
            let (bytes, files) = (Directory.totalBytes(sandbox.directory!), Directory.files(sandbox.directory!).count)
            _ = instance.perform(.close)
            let slack = 4_096 * (files + 1) + bytes / 10
            guard case .number(let number) = answer, (bytes - slack...bytes + slack).contains(number) else {
                try context.require(
                    false,
                    observed: ValueText.describe(answer, of: .diskUsage) + (round == 0 ? "" : " after reopening"),
                    permitted: "about \(bytes), which is on the disk", steps: steps)
                return
            }
        }
        guard hits > 0 else { throw .blocked("the witness: no entry was found") }
    }

    /// Entries of one cost in a cache with room for so much.
    static func acceptsNew(
        _ context: CheckContext, _ unit: Capacity.Unit, _ amount: Int, costs cost: Int
    ) throws(CheckStop) {
        let (setup, room) = try context.room(unit, amount)
        let count = room / cost
        guard count > 0 else { throw .blocked("there is room for no entry") }
        let steps = ["put \(4 * count) keys that cost \(cost) into a cache for \(room) \(unit), reading each at once"]
        let puts = keys[..<(4 * count)].enumerated().flatMap { [put($1, $0, costs: cost), .get($1)] }
        let found = try context.hits(of: Program(puts, setup: setup), from: 2 * count, steps: steps)
        try context.require(
            found > 0, observed: "none of the last \(3 * count) keys was found right after its put",
            permitted: "new keys in a full cache", steps: steps)
    }
}
