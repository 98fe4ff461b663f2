import CacheCore

// What a full cache gives up for newcomers, while others look and when they are done.
extension CapacityChecks {
    static let ofNewcomers: [Check] = [
        Check(
            .init("CAP-22", source: "NSCache: entries stay while there is room"), due: [counted, .retains],
            "A newcomer in a full cache takes the place of few.",
            explanation: """
                Fills a cache for 100 and puts five more keys; after each of them, and the chores, at least a quarter of \
                the capacity is found. A bound that is not strict may evict early and several at once, as parts with bounds of \
                their own and low-water marks do. Finds caches that are emptied when they are full, against the promise to \
                keep entries as long as there is room.
                """, body: keepsMost),
        Check(
            .init("CAP-23", source: "nicklockwood/LRUCache: the bound after the lock"),
            due: [counted, .strict, .iterates, .concurrent],
            "Who counts while others write sees no more entries than the capacity allows.",
            explanation: """
                Three clients put four times as many keys as there is room for, and one counts meanwhile, in six runs. Witness: \
                counts beside writes. Finds bounds that are enforced after the lock was let go of, as in \
                nicklockwood/LRUCache.
                """, body: staysBoundedMeanwhile),
        Check(
            .init("CAP-24", source: "ben-manes/caffeine#225"), due: [counted, .iterates, .concurrent],
            "When many clients are done, a cache is within its capacity once it has done its chores.",
            explanation: """
                Four clients put three times as many keys as there is room for, each its own, and some that all put, in six \
                runs; then maintain and count. Finds counters of entries that threads change at once and bounds that nobody \
                enforces any more (ben-manes/caffeine#225).
                """, body: isBoundedAfterwards),
        Check(
            .init("CAP-25", source: "sysown/proxysql#2815"), due: [weighed, cost],
            "Costs whose sum passes the greatest number do no harm.",
            explanation: """
                Opens with the greatest limit, which may be refused, and puts entries that cost as much as can be said, or as \
                `costMax` says: each put is answered, and no two of them are there at once. When all are removed the total is 0, and a small \
                entry makes it that. Finds sums that overflow (sysown/proxysql#2815), which ends the process in some languages, \
                and totals below zero under which nothing is evicted.
                """, body: sumsUp),
    ]

    private static func keepsMost(_ context: CheckContext) throws(CheckStop) {
        let (setup, room) = try context.room(.objects, 100)
        guard room >= 20 else { throw .blocked("the capacity is \(room), and a quarter of it says nothing") }
        let steps = ["put \(room) keys", "5 times: put another key, maintain, get each"]
        try context.withInstance(setup, steps: steps) { (instance) throws(CheckStop) in
            for (index, key) in keys[..<room].enumerated() { _ = instance.perform(.put(key, value(index))) }
            for newcomer in 1...5 {
                _ = instance.perform(.put(keys[room + newcomer - 1], value(room + newcomer)))
                _ = instance.perform(.maintain)
                let found = keys[..<(room + newcomer)].count { instance.perform(.get($0)).isHit }
                try context.require(
                    found >= room / 4, observed: "\(found) found after newcomer \(newcomer)",
                    permitted: "at least \(room / 4) of \(room)", steps: steps)
            }
        }
    }

    private static func staysBoundedMeanwhile(_ context: CheckContext) throws(CheckStop) {
        let (setup, room) = try context.room(.objects, 8)
        let names = keys[..<min(keys.count, 4 * room)]
        let seed = context.seed
        try context.eachRunBesideWriters(
            6, writesMin: 300, setup, what: "counts",
            steps: ["open for \(room)", "3 clients put \(names.count) keys, again and again", "count, meanwhile"],
            permitted: "at most \(room)"
        ) { thread, run, instance, overlap in
            guard thread > 0 else { return overlap.read { excess(instance, room) } }
            var random = SeededGenerator(seed: mix64(seed &+ UInt64(run)) ^ UInt64(thread))
            return overlap.write { number in
                _ = instance.perform(.put(names[random.next(below: names.count)], value(number)))
                return nil
            }
        }
    }

    private static func isBoundedAfterwards(_ context: CheckContext) throws(CheckStop) {
        let (setup, room) = try context.room(.objects, 8)
        let clients = context.clients()
        try context.eachRun(
            6, setup,
            steps: [
                "open for \(room)", "4 clients put \(3 * room) keys of their own and 8 that all put", "maintain, count",
            ], permitted: "at most \(room)"
        ) { instance, _ in
            _ = ClientThreads.together(clients) { thread in
                for index in 0..<3 * room {
                    _ = instance.perform(.put(Array("own-\(thread)-\(index)".utf8), value(index)))
                    _ = instance.perform(.put(keys[index % 8], value(thread << 16 | index)))
                }
            }
            _ = instance.perform(.maintain)
            return excess(instance, room)
        }
    }

    /// What is counted beyond the room, in words; nil if nothing is.
    private static func excess(_ instance: any CacheInstance, _ room: Int) -> String? {
        guard case .number(let count) = instance.perform(.count), count > room else { return nil }
        return "\(count) entries are counted"
    }

    private static func sumsUp(_ context: CheckContext) throws(CheckStop) {
        guard context.claims.room?.isAdjustable == true else { throw .blocked("the capacity cannot be adjusted") }
        let most = context.claims.limits.costMax ?? .max
        let setup = CacheSetup(capacity: Capacity(most, .bytes))
        let greatest = keys[..<3].enumerated().map { put($1, $0, costs: most) }
        let end: [CacheOperation] = [.removeAll, .cost, put(a, 9, costs: 5), .cost]
        let steps =
            ["open for \(most) bytes"] + greatest.flatMap { [$0.description, "get each"] } + end.map(\.description)
        let sandbox = try context.sandbox(steps: steps)
        defer { sandbox.end() }
        guard let instance = try? context.open(setup, in: sandbox, steps: steps) else { return }
        defer { _ = instance.perform(.close) }
        for put in greatest {
            try context.requireAnswer(instance.perform(put), steps: steps)
            let found = keys[..<3].count { instance.perform(.get($0)).isHit }
            try context.require(
                found <= 1, observed: "\(found) entries of the greatest cost at once", permitted: "one", steps: steps)
        }
        let answers = end.map { instance.perform($0) }
        for answer in answers { try context.requireAnswer(answer, steps: steps) }
        let isKept = instance.perform(.get(a)).isHit
        try context.require(
            answers[1] == .number(0) && (answers[3] == .number(5) || !isKept && answers[3] == .number(0)),
            observed: "a total of \(ValueText.describe(answers[1], of: .cost)), then "
                + ValueText.describe(answers[3], of: .cost),
            permitted: "0, then 5", steps: steps)
    }
}
