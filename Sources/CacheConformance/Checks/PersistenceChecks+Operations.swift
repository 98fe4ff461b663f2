import CacheCore

// What reaches the disk, however it was stored or has left.
extension PersistenceChecks {
    static let ofOperations: [Check] = [
        Check(
            .init("PER-17", revision: 2, dependsOn: ["PER-1"], source: "Ehcache: a persistent tier survives a restart"),
            due: [.durability(.exit), .retains],
            "What was stored by any operation is found after reopening.",
            explanation: """
                Stores where nothing was, and over another value, by each operation that is claimed, in a group too, closes, \
                opens and reads. Finds operations that only memory knows.
                """
        ) { (context) throws(CheckStop) in
            try context.each(\.creations) { $1 + [.reopen, $0.get] }
            try context.each(\.overwrites) { $0.full(1) + $1 + [.reopen, $0.get] }
        },
        Check(
            .init("PER-18", revision: 2, dependsOn: ["PER-1", "CAP-1"], source: "diskcache: size_limit"),
            due: [.durability(.exit), .strict, .capacity(.objects)],
            "What has made room does not come back with the store.",
            explanation: """
                Puts 8 entries into a cache for 4, reads them all, removes half of them, reopens and reads: where there is room \
                again, only what was there is found. Then opens a cache for 3 with room for one, and for 3 again: no more \
                are there than with room for one. Witness: a hit. Finds evictions that only memory knows.
                """
        ) { (context) throws(CheckStop) in
            let (setup, room) = try context.room(.objects, 4)
            let keys = (0..<2 * room).map { Array("kept-\($0)".utf8) }
            let reads = keys.map { CacheOperation.get($0) }
            let removals = stride(from: 0, to: keys.count, by: 2).map { CacheOperation.remove(keys[$0]) }
            let puts = keys.enumerated().map { CacheOperation.put($1, value($0)) }
            try context.verify(puts + reads + removals + [.reopen] + reads, setup: setup)
            try SetupScenarios.rooms(context, [3, 1, 3])
        },
    ]
}
