import CacheCore
import Synchronization

// What busy clients have left, looked at when nobody writes any more.
extension LinearizabilityChecks {
    static let busy = (0..<24).map { Array("busy-\($0)".utf8) }

    /// What clients do before they leave.
    struct Work {
        /// How often each of them does something, at least.
        var rounds = 300
        /// How long they go on at least: they are held now and then, and the right moment for that is short.
        var time = Duration.milliseconds(20)
        /// Whether one of them removes everything in the end, while the others still go on.
        var clears = false
    }

    /// Clients that put, read and remove the same keys. Returns the first error.
    static func work(
        _ instance: any CacheInstance, _ context: CheckContext, on keys: [[UInt8]], seed: UInt64, _ work: Work
    ) -> String? {
        let (rounds, time) = (context.rounds(work.rounds), context.time(work.time))
        let start = ContinuousClock.now
        let isOver = Atomic(false)
        return ClientThreads.together(min(4, context.claims.concurrency.clientsMax)) { thread -> String? in
            var random = SeededGenerator(seed: mix64(seed) ^ UInt64(thread))
            var round = 0
            defer { if thread == 0 { isOver.store(true, ordering: .relaxed) } }
            func goesOn() -> Bool {
                if work.clears, thread > 0 { return !isOver.load(ordering: .relaxed) }
                return round < rounds || ContinuousClock.now - start < time
            }
            while goesOn() {
                let key = keys[random.next(below: keys.count)]
                let operation: CacheOperation =
                    switch random.next(below: 5) {
                    case 0, 1: .put(key, value(thread << 24 | round))
                    case 2, 3: .remove(key)
                    default: .get(key)
                    }
                if let error = instance.perform(operation).error { return "\(operation) threw \(error)" }
                round += 1
            }
            guard work.clears, thread == 0 else { return nil }
            return instance.perform(.removeAll).error.map { "removeAll threw \($0)" }
        }.compactMap(\.self).first
    }

    /// Lets clients work and looks at what they have left, again and again: what one has left soon mends when they go on.
    static func repeating(
        _ job: Work, on keys: [[UInt8]], _ instance: any CacheInstance, _ context: CheckContext, seed: UInt64,
        complaint: () -> String?
    ) -> String? {
        let start = ContinuousClock.now
        var seed = seed
        repeat {
            seed = mix64(seed)
            if let wrong = work(instance, context, on: keys, seed: seed, job) { return wrong }
            _ = instance.perform(.maintain)
            if let wrong = complaint() { return wrong }
        } while ContinuousClock.now - start < context.time(.milliseconds(60))
        return nil
    }

    /// LIN-17.
    static func leavesWholeRoom(_ context: CheckContext) throws(CheckStop) {
        let (setup, room) = try context.room(.objects, 8)
        let steps = [
            "open for \(room)", "again and again for 60 ms:",
            "4 clients put, get and remove \(max(1, room / 2)) keys or \(2 * room) for 1 ms",
            "one of them removes everything, in every other pair of runs",
            "maintain",
            "put others until there are \(room), and look for all", "put \(room) more, and look for all",
            "remove the others",
        ]
        let seed = context.seed
        try context.eachRun(8, setup, steps: steps, permitted: "\(room) entries in room for \(room)") { instance, run in
            // With fewer keys than room nothing is evicted, and what is left over adds up.
            let keys = (0..<(run.isMultiple(of: 2) ? max(1, room / 2) : 2 * room)).map { Array("busy-\($0)".utf8) }
            let job = Work(rounds: 60, time: .milliseconds(1), clears: run % 4 >= 2)
            return repeating(job, on: keys, instance, context, seed: seed &+ UInt64(run)) {
                misfit(instance, room, keys)
            }
        }
    }

    /// How many entries there are, when a cache that nobody else writes to is filled up, where that is not its room.
    private static func misfit(_ instance: any CacheInstance, _ room: Int, _ keys: [[UInt8]]) -> String? {
        var others: [[UInt8]] = []
        func found() -> Int { (keys + others).count { instance.perform(.contains($0)) == .flag(true) } }
        defer { for key in others { _ = instance.perform(.remove(key)) } }
        let left = found()
        guard left <= room else { return "\(left) entries were found when the clients were done" }
        for more in [room - left, room] {
            for number in others.count..<others.count + more {
                others.append(Array("other-\(number)".utf8))
                _ = instance.perform(.put(others[number], value(number)))
            }
            let all = found()
            guard all == room else {
                return "after \(left) that were left and \(others.count) others \(all) entries are found"
            }
        }
        return nil
    }

    /// The end of TIR-10: what memory shows is what the tier below has.
    static func leavesTiersEqual(_ context: CheckContext) throws(CheckStop) {
        let keys = Array(busy.prefix(4))
        let steps = [
            "4 clients put, get and remove \(keys.count) keys for 20 ms, and one everything in every other run",
            "get each",
            "drop memory", "get each",
        ]
        let seed = context.seed
        let isExact = context.semantics(CacheSetup()) == .exact
        try context.eachRun(12, steps: steps, permitted: "the same from below") { instance, run in
            let job = Work(rounds: 100, clears: !run.isMultiple(of: 2))
            let wrong = work(instance, context, on: keys, seed: seed &+ UInt64(run), job)
            let above = keys.map { instance.perform(.get($0)) }
            _ = instance.perform(.dropMemory)
            let below = keys.map { instance.perform(.get($0)) }
            return wrong ?? difference(keys, above, below, isExact, "when memory was dropped")
        }
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
            "4 clients put, get and remove \(keys.count) keys for 20 ms, and one everything in every other run",
            "get each",
            "close and open", "get each",
        ]
        let seed = context.seed
        let isExact = context.semantics(CacheSetup()) == .exact
        var (complaints, hits) = ([String?](), 0)
        let runs = context.runs(12)
        for run in 0..<runs {
            let (complaint, found) = try context.acrossReopening(steps: steps) { instance in
                let job = Work(rounds: 100, clears: !run.isMultiple(of: 2))
                let wrong = work(instance, context, on: keys, seed: seed &+ UInt64(run), job)
                return (wrong: wrong, before: keys.map { instance.perform(.get($0)) })
            } look: { again, left in
                let after = keys.map { again.perform(.get($0)) }
                return (
                    left.wrong ?? difference(keys, left.before, after, isExact, "after another opening"),
                    after.count(where: \.isHit)
                )
            }
            complaints.append(complaint)
            hits += found
        }
        try context.judge(complaints, permitted: "the same after another opening", steps: steps)
        guard hits > 0 else { throw .blocked("the witness: nothing was left") }
    }
}

// What is listed, counted and found when nobody writes any more, and whether all of it can be taken away.
extension LinearizabilityChecks {
    /// LIN-16.
    static func leavesOneTruth(_ context: CheckContext) throws(CheckStop) {
        let steps = [
            "again and again for 60 ms:",
            "4 clients put, get and remove \(busy.count) keys for 1 ms, and one everything in every other run",
            "maintain", "keys, count, get each", "remove each; count, keys",
        ]
        let seed = context.seed
        let isExact = context.semantics(CacheSetup()) == .exact
        var hits = 0
        try context.eachRun(
            12, steps: steps, permitted: "the listed keys are those that are found and counted"
        ) { instance, run in
            let job = Work(rounds: 60, time: .milliseconds(1), clears: !run.isMultiple(of: 2))
            return repeating(job, on: busy, instance, context, seed: seed &+ UInt64(run)) {
                disagreement(instance, isExact, &hits) ?? remainder(instance)
            }
        }
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

    /// What is still there when all was taken away.
    private static func remainder(_ instance: any CacheInstance) -> String? {
        for key in busy { _ = instance.perform(.remove(key)) }
        let (count, keys) = (instance.perform(.count), instance.perform(.keys))
        let found = busy.count { instance.perform(.get($0)).isHit }
        guard count != .number(0) || keys != .keys([]) || found > 0 else { return nil }
        return "after each was removed count answered \(ValueText.describe(count, of: .count)), "
            + "\(ValueText.describe(keys, of: .keys)), and \(found) were found"
    }
}
