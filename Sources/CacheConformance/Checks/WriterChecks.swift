import CacheCore

/// WRT: writes that go through to what lies behind the cache.
enum WriterChecks: LetterKeys {
    private static let counter = Array("counter".utf8)
    private static let writer = Claim.feature(.writer)
    /// Each way of putting and removing a key up to four times. In the check's expression it took 10 s to type-check.
    private static let changesOfOneKey: [CacheOperation] = (2...4).flatMap { length in
        (0..<1 << length).flatMap { (way: Int) -> [CacheOperation] in
            (0..<length).map { way >> $0 & 1 == 0 ? .put(a, value(10 + $0)) : .remove(a) } + [.flush, .writes]
        }
    }

    static let all: [Check] = [
        Check(
            .init("WRT-1", revision: 2, source: "JSR-107: CacheWriter"), due: [writer],
            "Each change is written once, in its order.",
            explanation: """
                Puts, overwrites and removes by each operation that is claimed, in a group too, looking at what \
                was written. A removal of what is not there may be written too. Witness: a hit. Finds writes \
                twice, operations that the writer does not hear of, and conditions that fail and are written.
                """,
            [
                .put(a, value(1)), .get(a), .writes, .put(a, value(2)), .put(b, value(3)), .remove(a), .writes, .writes,
                .exchange(a, value(4)), .writes, .update(a, .set(value(5))), .writes,
                .putMany([KeyedPayload(a, value(6)), KeyedPayload(b, value(7))]), .writes, .replace(a, value(8)),
                .writes, .compareAndSet(a, expected: value(8), value(9)), .writes, .mark(b),
                .setIfMarked(b, value(10)), .writes, .take(a), .writes, .put(a, value(11)), .removeMany([a, b]),
                .writes,
                .put(a, value(12)), .mark(a), .removeIfMarked(a), .writes, .put(a, value(13)), .update(a, .remove),
                .writes, .increment(counter, by: 5), .writes, .put(a, value(14)), .putIfAbsent(a, value(15)), .writes,
                .remove(a), .putIfAbsent(a, value(16)), .writes, .within(group: "g", .put(b, value(17))), .writes,
                .within(group: "g", .put(b, value(18))), .within(group: "g", .remove(b)), .writes,
            ]),
        Check(
            .init("WRT-2", dependsOn: ["WRT-1"], source: "JSR-107: CacheWriter"), due: [writer],
            "Reads write nothing.",
            explanation:
                "Reads, looks and counts between two looks at the writer. Witness: a hit. Finds reads written back.",
            [
                .put(a, value(1)), .writes, .get(a), .get(b), .contains(a), .count, .keys, .getMany([a, b]), .mark(a),
                .remainingTime(a), .firstKeys(1), .writes,
            ]),
        Check(
            .init("WRT-3", revision: 2, dependsOn: ["WRT-1"], source: "JSR-107 TCK: shouldNotPutWhenWriteThroughFails"),
            due: [writer],
            "A write that fails leaves the cache as it was.",
            explanation: """
                Puts, overwrites and removes by each operation that is claimed while the writer fails: the \
                caller is told, though not that a removal of what is not there was not written; the old value \
                stays. Witness: a hit. Finds caches that change first and write then (JSR-107: \
                shouldNotPutWhenWriteThroughFails), and operations in which the error is lost.
                """,
            [
                .put(a, value(1)), .get(a), .failWrites(true), .put(a, value(2)), .get(a), .put(b, value(3)), .get(b),
                .remove(a), .get(a), .exchange(a, value(5)), .get(a), .replace(a, value(6)), .get(a),
                .compareAndSet(a, expected: value(1), value(7)), .get(a), .update(a, .set(value(8))), .get(a),
                .mark(a), .setIfMarked(a, value(9)), .get(a), .removeIfMarked(a), .get(a), .take(a), .get(a),
                .update(a, .remove), .get(a), .removeMany([a]), .get(a), .putIfAbsent(b, value(10)), .get(b),
                .increment(counter, by: 1), .get(counter), .within(group: "g", .put(a, value(11))),
                .within(group: "g", .get(a)), .failWrites(false), .put(a, value(4)), .get(a), .writes,
            ]),
        Check(
            .init("WRT-4", revision: 2, dependsOn: ["WRT-1"], source: "JSR-107 TCK: putAll_partialSuccess"),
            due: [writer, .feature(.bulkPut)],
            "Where some of several writes fail, those are told and changed nothing.",
            explanation: """
                The writer fails for one of three keys: the other two are stored and written, the old value of \
                the third stays. Witness: a hit. Finds bulk writes that change what could not be written.
                """,
            [
                .put(b, value(1)), .writes, .failWritesOf([b]),
                .putMany([
                    KeyedPayload(a, value(2)), KeyedPayload(b, value(3)), KeyedPayload(Array("c".utf8), value(4)),
                ]),
                .get(a), .get(b), .get(Array("c".utf8)), .writes, .failWritesOf([]),
                .putMany([KeyedPayload(b, value(5))]), .get(b), .writes,
            ]),
        Check(
            .init("WRT-5", revision: 3, source: "Ehcache: write-behind"), due: [.feature(.writeBehind)],
            "What is written behind comes in the order of each key's changes, the last one for certain.",
            explanation: """
                Changes two keys in turn and flushes: of each key some of its changes come, in order, the last \
                among them; so with each way of putting and removing one key up to four times. Witness: a hit. Finds queues \
                that swap, old values written over new ones, and removals that are all written before what was put, or after.
                """,
            [
                .put(a, value(1)), .put(b, value(2)), .put(a, value(3)), .get(a), .put(b, value(4)), .remove(a), .flush,
                .writes, .put(a, value(5)), .put(a, value(6)), .flush, .writes, .writes,
            ] + changesOfOneKey),
        Check(
            .init(
                "WRT-6", revision: 3, dependsOn: ["WRT-5"], source: "Ehcache: write-behind"),
            due: [.feature(.writeBehind)],
            "Flushing and closing write what waits.",
            explanation: """
                Puts and flushes, puts and does its chores, puts and closes, looking at what was written each \
                time; changes by each operation that is claimed, and flushes; puts twice as much as there is room for. \
                Witness: a hit. Finds the last changes lost at the end, operations that the queue does not hear of, and what \
                is evicted before it was written.
                """
        ) { (context) throws(CheckStop) in
            try context.verify(
                context.claimed([
                    .put(a, value(1)), .get(a), .flush, .writes, .put(a, value(2)), .maintain, .writes,
                    .put(b, value(3)),
                    .remove(a), .close, .writes,
                ]))
            try context.each(\.creations) { $1 + [.flush, .writes] }
            try context.each({ $0.overwrites + $0.removals.filter { $0.count == 1 } }) {
                $0.full(1) + [.flush, .writes] + $1 + [.flush, .writes]
            }
            guard context.claims.room?.units.contains(.objects) == true else { return }
            let (setup, room) = try context.room(.objects, 2)
            let puts = (0..<2 * room).map { CacheOperation.put(Array("k\($0)".utf8), value($0)) }
            try context.verify(puts + [.flush, .writes], setup: setup, witness: .none)
        },
        Check(
            .init("WRT-7", dependsOn: ["WRT-1", "LDR-1"], source: "JSR-107: CacheWriter"),
            due: [writer, .feature(.loader)],
            "What a load stores is not written back.",
            explanation: """
                Loads one key, also in a group, and several, and where that is claimed has one loaded afresh, and looks at \
                the writer. Witness: a hit. Finds loads that go to the store they came from.
                """
        ) { (context) throws(CheckStop) in
            let load = CacheOperation.load(a, Origin(.value(value(1))))
            try context.verify(
                context.claimed([
                    load, .get(a), .writes, .put(a, value(2)), .writes,
                    .loadMany([a, b], lacking: [], sequence: 20), .writes,
                    .within(group: "g", load), .within(group: "g", .get(a)), .writes,
                ]))
            guard context.claims.claims(.refresh), context.claims.claims(.timeToLive) else { return }
            try context.verify(
                [load, .advance(nanoseconds: 60), .load(a, Origin(.value(value(2)))), .maintain, .get(a), .writes],
                setup: CacheSetup(refreshNanoseconds: 50))
        },
        Check(
            .init("WRT-8", dependsOn: ["WRT-1"], source: "JSR-107: CacheWriter"), due: [writer],
            "What leaves by itself is not taken out of the store behind the cache.",
            explanation: """
                Lets an entry expire, and evicts some, each as far as it is claimed, and looks at the writer: it hears \
                of the puts alone. Witness: a hit. Finds caches for which everything that leaves has been removed.
                """
        ) { (context) throws(CheckStop) in
            let ends: [CacheOperation] = [
                .put(b, value(2), terms: PutTerms(timeToLiveNanoseconds: 10)), .advance(nanoseconds: 10), .get(b),
                .maintain, .writes,
            ]
            let isTimed = context.claims.claims(.timeToLive)
            try context.verify([.put(a, value(1)), .get(a), .writes] + (isTimed ? ends : []))
            guard context.claims.room?.units.contains(.objects) == true else { return }
            let (setup, room) = try context.room(.objects, 2)
            let puts = (0..<2 * room).map { CacheOperation.put(Array("k\($0)".utf8), value($0)) }
            try context.verify(puts + [.maintain, .writes], setup: setup, witness: .none)
        },
        Check(
            .init(
                "WRT-9", revision: 2, dependsOn: ["WRT-5"], source: "Ehcache: write-behind; hazelcast/hazelcast#14019"),
            due: [.feature(.writeBehind)],
            "What the writer does not take for a while is written later, or the caller is told.",
            explanation: """
                Puts, flushes while the writer fails, for all or for one key, and again when it works: unless the first flush was \
                an error, the changes have come, those of one key in their order. Witness: a hit. Finds queues that are emptied \
                whether the writer took anything or not, and ones that hold what failed twice.
                """
        ) { (context) throws(CheckStop) in
            try context.verify(
                context.claimed([
                    .put(a, value(3)), .put(b, value(2)), .put(a, value(1)), .get(a), .failWrites(true), .flush,
                    .writes,
                    .failWrites(false),
                    .flush, .writes,
                ]))
            try context.verify(
                [.put(a, value(1)), .put(b, value(2)), .failWritesOf([b]), .flush, .failWritesOf([]), .flush, .writes],
                witness: .none)
        },
    ]
}
