import CacheCore

/// What holds in a big room as in a small one: done to one instance, and told in few words, since no short program shows it.
struct CrowdScenario {
    private let context: CheckContext
    private var claims: Claims { context.claims }

    init(_ context: CheckContext) { self.context = context }

    private func name(_ number: Int) -> [UInt8] { Array("crowd-\(number)".utf8) }

    /// Whether each step takes its time: on a disk, or as a message to another process.
    private var isSlow: Bool { context.subject.needsDirectory || context.subject is ProcessSubject }

    /// The sizes of room that are tried; none where each put waits for the device, or the room is what it is.
    private var rooms: [Int] {
        guard claims.room?.isAdjustable == true, claims.durability < .power else { return [] }
        return isSlow ? [300] : [300, 1_200]
    }

    private func require(
        _ instance: any CacheInstance, _ operation: CacheOperation, _ permitted: OperationResult, _ steps: [String]
    ) throws(CheckStop) {
        let result = instance.perform(operation)
        try context.require(
            result == permitted, observed: ValueText.describe(result, of: operation),
            permitted: ValueText.describe(permitted, of: operation), steps: steps + [operation.description])
    }

    /// A full cache takes some more, one by one, and has no more entries than it may have, or `isExact` so many: CAP-1, CAP-10.
    func staysFull(isExact: Bool) throws(CheckStop) {
        for room in rooms {
            let steps = ["open for \(room)", "put \(room) keys", "put 12 more, and count after each"]
            try context.withInstance(CacheSetup(capacity: .objects(room)), steps: steps) {
                (instance) throws(CheckStop) in
                for number in 0..<room + 12 {
                    _ = instance.perform(.put(name(number), value(number)))
                    guard number + 1 >= room else { continue }
                    let counted = instance.perform(.count)
                    guard case .number(let count) = counted, isExact ? count == room : count <= room else {
                        throw context.failed(
                            ValueText.describe(counted, of: .count),
                            permitted: isExact ? "\(room)" : "at most \(room)", steps: steps)
                    }
                }
            }
        }
    }

    /// An entry that takes the room of all the others: CAP-3.
    func heavyNewcomer() throws(CheckStop) {
        for room in rooms {
            let steps = [
                "open for \(room) bytes", "put \(room) keys that cost 1", "put one that costs \(room)", "cost",
            ]
            let setup = CacheSetup(capacity: Capacity(room, .bytes))
            try context.withInstance(setup, steps: steps) { (instance) throws(CheckStop) in
                for number in 0...room {
                    let terms = PutTerms(cost: number == room ? room : 1)
                    _ = instance.perform(.put(name(number), value(number), terms: terms))
                }
                let total = instance.perform(.cost)
                guard case .number(let cost) = total, cost <= room else {
                    throw context.failed(
                        ValueText.describe(total, of: .cost), permitted: "at most \(room)", steps: steps)
                }
            }
        }
    }

    /// Many leave at once: CAP-15.
    func shrinks() throws(CheckStop) {
        guard let room = rooms.last else { return }
        let steps = ["open for \(room)", "put \(room) keys", "resize 10", "count"]
        try context.withInstance(CacheSetup(capacity: .objects(room)), steps: steps) { (instance) throws(CheckStop) in
            for number in 0..<room { _ = instance.perform(.put(name(number), value(number))) }
            _ = instance.perform(.resize(10))
            let counted = instance.perform(.count)
            guard case .number(let count) = counted, claims.retains ? count == 10 : count <= 10 else {
                throw context.failed(
                    ValueText.describe(counted, of: .count), permitted: claims.retains ? "10" : "at most 10",
                    steps: steps)
            }
        }
    }

    /// A read makes the oldest of many the newest, and newcomers take the place of one each: POL-2.
    func leavesInOrder() throws(CheckStop) {
        // Where each look is a use, looking is what changes the order.
        guard !claims.deviates(.containsIsGet) else { return }
        for room in rooms {
            let steps = ["open for \(room)", "put \(room) keys", "get the first"]
            try context.withInstance(CacheSetup(capacity: .objects(room)), steps: steps) {
                (instance) throws(CheckStop) in
                for number in 0..<room { _ = instance.perform(.put(name(number), value(number))) }
                _ = instance.perform(.get(name(0)))
                for more in [1, 9] {
                    for number in room..<room + more { _ = instance.perform(.put(name(number), value(number))) }
                    let gone = (0..<room + more).filter { instance.perform(.contains(name($0))) != .flag(true) }
                    try context.require(
                        gone == Array(1...more),
                        observed: "\(gone.count) are gone, the first of them \(gone.prefix(5))",
                        permitted: "those put as the numbers \(Array(1...more)), from 0 on, are gone",
                        steps: steps + ["put \(more) more", "contains each"])
                }
            }
        }
        try churns()
    }

    /// How often something small is done again.
    private var rounds: Int {
        claims.durability >= .power ? 100 : context.subject.needsDirectory ? 1_000 : isSlow ? 4_200 : 10_050
    }

    /// Four stay of very many, the newest, whatever their keys are: POL-2.
    private func churns() throws(CheckStop) {
        guard claims.room?.isAdjustable == true else { return }
        try context.withInstance(CacheSetup(capacity: .objects(4)), steps: ["open for 4"]) {
            (instance) throws(CheckStop) in
            for number in 0..<rounds {
                // Keys that come in the opposite of their own order.
                let key = name(99_999 - number)
                _ = instance.perform(.put(key, value(number)))
                guard number >= 4 else { continue }
                let steps = ["open for 4", "put \(number + 1) keys"]
                try require(instance, .contains(name(99_999 - number + 3)), .flag(true), steps)
                try require(instance, .contains(name(99_999 - number + 4)), .flag(false), steps)
            }
        }
    }

    /// What was removed has left its place to another, very often: CAP-14.
    func reuses() throws(CheckStop) {
        guard claims.retains else { return }
        let (setup, _) = try context.room(.objects, 8)
        try context.withInstance(setup, steps: ["open"]) { (instance) throws(CheckStop) in
            for number in 0..<rounds {
                let steps = ["put and remove \(number) keys, one after the other", "put another"]
                _ = instance.perform(.put(name(number), value(number)))
                try require(instance, .contains(name(number)), .flag(true), steps)
                let isTold = !claims.deviates(.removeTellsNothing)
                try require(instance, .remove(name(number)), isTold ? .flag(true) : .done, steps)
            }
        }
    }

    /// Pins hold, however many there are: POL-12.
    func pins() throws(CheckStop) {
        guard let room = rooms.first else { return }
        let steps = ["open for \(room)", "put and pin \(room - 10) keys", "put \(room + 10) others", "contains each"]
        try context.withInstance(CacheSetup(capacity: .objects(room)), steps: steps) { (instance) throws(CheckStop) in
            // One of several shards may be full of pins before the whole is.
            let pinned = (0..<room - 10).filter { number in
                _ = instance.perform(.put(name(number), value(number)))
                return instance.perform(.pin(name(number))) == .flag(true)
            }
            for number in 0..<room + 10 { _ = instance.perform(.put(name(room + number), value(number))) }
            let left = pinned.count { instance.perform(.contains(name($0))) == .flag(true) }
            try context.require(
                left == pinned.count, observed: "\(left) are there", permitted: "all \(pinned.count) that are pinned",
                steps: steps)
        }
    }
}
