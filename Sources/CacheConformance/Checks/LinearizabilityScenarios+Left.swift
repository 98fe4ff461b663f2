import CacheCore

// What busy clients have left, looked at when nobody writes any more.
extension LinearizabilityChecks {
    private static let busy = (0..<24).map { Array("busy-\($0)".utf8) }

    /// Clients that put, read and remove the same keys. Returns the first error.
    private static func work(
        _ instance: any CacheInstance, _ context: CheckContext, on keys: [[UInt8]], seed: UInt64, rounds: Int = 300
    ) -> String? {
        let rounds = context.claims.durability >= .power ? rounds / 10 : rounds
        return CheckContext.together(min(4, context.claims.concurrency.clientsMax)) { thread -> String? in
            var random = SeededGenerator(seed: mix64(seed) ^ UInt64(thread))
            for round in 0..<rounds {
                let key = keys[random.next(below: keys.count)]
                let operation: Operation =
                    switch random.next(below: 5) {
                    case 0, 1: .put(key, value(thread << 16 | round))
                    case 2, 3: .remove(key)
                    default: .get(key)
                    }
                if let error = instance.perform(operation).error { return "\(operation) threw \(error)" }
            }
            return nil
        }.compactMap(\.self).first
    }

    /// LIN-16.
    static func leavesOneTruth(_ context: CheckContext) throws(CheckStop) {
        let steps = [
            "4 clients put, get and remove \(busy.count) keys, 300 times each", "maintain", "keys, count, get each",
            "remove each", "count, keys",
        ]
        let seed = context.seed
        let isExact = context.semantics(CacheSetup()) == .exact
        var (complaints, hits) = ([String?](), 0)
        let runs = context.runs(8)
        for run in 0..<runs {
            complaints.append(
                try context.withInstance(steps: steps) { (instance) throws(CheckStop) in
                    if let wrong = work(instance, context, on: busy, seed: seed &+ UInt64(run)) { return wrong }
                    _ = instance.perform(.maintain)
                    return disagreement(instance, isExact, &hits) ?? remainder(instance)
                })
        }
        try judge(
            context, complaints, of: runs, permitted: "the listed keys are those that are found and counted",
            steps: steps)
        guard hits > 0 else { throw .blocked("the witness: nothing was left") }
    }

    /// Where the list, the count and the reads of a cache that nobody writes to differ.
    private static func disagreement(
        _ instance: any CacheInstance, _ isExact: Bool, _ hits: inout Int
    ) -> String? {
        guard case .keys(let keys) = instance.perform(.keys) else { return "keys answered no list" }
        let count = instance.perform(.count)
        // What need not stay may have left since it was listed.
        guard case .number(let number) = count, isExact ? number == keys.count : (0...keys.count).contains(number)
        else {
            return "\(keys.count) keys are listed, and count answered \(ValueText.describe(count, of: .count))"
        }
        let listed = Set(keys)
        for key in busy {
            let answer = instance.perform(.get(key))
            if answer.isHit { hits += 1 }
            if answer.isHit != listed.contains(key), isExact || answer.isHit {
                return "\(KeyText.describe(key)) is \(listed.contains(key) ? "" : "not ")listed, and get answered "
                    + ValueText.describe(answer, of: .get(key))
            }
        }
        return nil
    }

    /// What is still there when every key was removed.
    private static func remainder(_ instance: any CacheInstance) -> String? {
        for key in busy { _ = instance.perform(.remove(key)) }
        let (count, keys) = (instance.perform(.count), instance.perform(.keys))
        guard count != .number(0) || keys != .keys([]) else { return nil }
        return "after each key was removed count answered \(ValueText.describe(count, of: .count)), and keys "
            + ValueText.describe(keys, of: .keys)
    }

    /// LIN-17.
    static func leavesWholeRoom(_ context: CheckContext) throws(CheckStop) {
        let (setup, room) = try context.room(.objects, 8)
        let steps = [
            "open for \(room)", "4 clients put, get and remove \(2 * room) keys, 300 times each", "maintain",
            "remove each", "put \(room) others", "get these",
        ]
        let keys = (0..<2 * room).map { Array("busy-\($0)".utf8) }
        let seed = context.seed
        var complaints: [String?] = []
        let runs = context.runs(8)
        for run in 0..<runs {
            complaints.append(
                try context.withInstance(setup, steps: steps) { (instance) throws(CheckStop) in
                    if let wrong = work(instance, context, on: keys, seed: seed &+ UInt64(run)) { return wrong }
                    _ = instance.perform(.maintain)
                    for key in keys { _ = instance.perform(.remove(key)) }
                    let others = (0..<room).map { Array("other-\($0)".utf8) }
                    for (number, key) in others.enumerated() { _ = instance.perform(.put(key, value(number))) }
                    let found = others.count { instance.perform(.get($0)).isHit }
                    return found == room ? nil : "\(found) of \(room) entries are found"
                })
        }
        try judge(context, complaints, of: runs, permitted: "\(room) entries in room for \(room)", steps: steps)
    }

    /// The end of TIR-10: what memory shows is what the tier below has.
    static func leavesTiersEqual(_ context: CheckContext) throws(CheckStop) {
        let keys = Array(busy.prefix(4))
        let steps = [
            "4 clients put, get and remove \(keys.count) keys, 100 times each", "get each", "drop memory", "get each",
        ]
        let seed = context.seed
        let isExact = context.semantics(CacheSetup()) == .exact
        var complaints: [String?] = []
        let runs = context.runs(12)
        for run in 0..<runs {
            complaints.append(
                try context.withInstance(steps: steps) { (instance) throws(CheckStop) in
                    let wrong = work(instance, context, on: keys, seed: seed &+ UInt64(run), rounds: 100)
                    let above = keys.map { instance.perform(.get($0)) }
                    _ = instance.perform(.dropMemory)
                    let below = keys.map { instance.perform(.get($0)) }
                    return wrong ?? difference(keys, above, below, isExact, "when memory was dropped")
                })
        }
        try judge(context, complaints, of: runs, permitted: "the same from below", steps: steps)
    }

    /// What is another value later on, or gone where it must stay.
    private static func difference(
        _ keys: [[UInt8]], _ first: [OperationResult], _ later: [OperationResult], _ isExact: Bool, _ moment: String
    ) -> String? {
        for (key, (was, now)) in zip(keys, zip(first, later)) where now != was {
            if now == .entry(nil), !isExact { continue }
            return "get \(KeyText.describe(key)) answered \(ValueText.describe(was, of: .get(key))), and "
                + "\(ValueText.describe(now, of: .get(key))) \(moment)"
        }
        return nil
    }

    /// PER-15.
    static func leavesSameOnDisk(_ context: CheckContext) throws(CheckStop) {
        let keys = Array(busy.prefix(4))
        let steps = [
            "4 clients put, get and remove \(keys.count) keys, 100 times each", "get each", "close and open",
            "get each",
        ]
        let seed = context.seed
        let isExact = context.semantics(CacheSetup()) == .exact
        var (complaints, hits) = ([String?](), 0)
        let runs = context.runs(12)
        for run in 0..<runs {
            let (complaint, found) = try context.expecting("no error", steps: steps) { () throws(StorageError) in
                let sandbox = try Sandbox(needsDirectory: context.subject.needsDirectory)
                defer { sandbox.end() }
                let instance = try context.subject.open(CacheSetup(), in: sandbox.directory)
                let wrong = work(instance, context, on: keys, seed: seed &+ UInt64(run), rounds: 100)
                let before = keys.map { instance.perform(.get($0)) }
                _ = instance.perform(.close)
                let again = try context.subject.open(CacheSetup(), in: sandbox.directory)
                defer { _ = again.perform(.close) }
                let after = keys.map { again.perform(.get($0)) }
                return (
                    wrong ?? difference(keys, before, after, isExact, "after another opening"),
                    after.count(where: \.isHit)
                )
            }
            complaints.append(complaint)
            hits += found
        }
        try judge(context, complaints, of: runs, permitted: "the same after another opening", steps: steps)
        guard hits > 0 else { throw .blocked("the witness: nothing was left") }
    }
}
