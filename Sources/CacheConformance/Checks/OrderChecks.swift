import CacheCore

/// POL: which entry leaves.
enum OrderChecks {
    static let keys = (0..<64).map { Array("k\($0)".utf8) }

    static func key(_ name: String) -> [UInt8] { Array(name.utf8) }

    static func fill(_ range: Range<Int>) -> [CacheOperation] { range.map { .put(keys[$0], value($0)) } }

    /// Two entries are read 400 times, one `most` times, and one `least` times: that one leaves for a newcomer.
    private static func often(_ most: Int, _ least: Int) -> [CacheOperation] {
        let reads = [(2, 400), (3, 400), (0, most), (1, least)].flatMap { place, count in
            Array(repeating: CacheOperation.get(keys[place]), count: count)
        }
        return [.removeAll] + fill(0..<4) + reads + fill(4..<5) + look(0..<5)
    }

    /// A full cache in which each of these is done to the oldest, and one leaves.
    private static func each(_ uses: [[CacheOperation]]) -> [CacheOperation] {
        uses.flatMap { (use: [CacheOperation]) -> [CacheOperation] in
            [.removeAll] + fill(0..<4) + use + fill(4..<5) + look(0..<5)
        }
    }

    /// Uses of an entry that is there, by each operation that reads.
    private static let reads: [CacheOperation] =
        each([
            [.get(keys[0])], [.get(keys[1]), .get(keys[0])], [.getMany([keys[1], keys[0]])],
            [.load(keys[0], Origin(.failure))], [.loadMany([keys[1], keys[0]], lacking: [], sequence: 900)],
        ]) + grouped(.get(keys[0])) + grouped(.load(keys[0], Origin(.failure)))

    private static func grouped(_ use: CacheOperation) -> [CacheOperation] {
        let (first, last) = (CacheOperation.put(keys[0], value(50)), CacheOperation.contains(keys[0]))
        return [.removeAll, .within(group: "g", first)] + fill(1..<4) + [.within(group: "g", use)] + fill(4..<5)
            + [.within(group: "g", last)] + look(1..<5)
    }

    /// The same by each that writes.
    private static let writes: [CacheOperation] =
        each([
            [.put(keys[0], value(50))], [.put(keys[0], value(0))],
            [.compareAndSet(keys[0], expected: value(0), value(51))], [.exchange(keys[0], value(52))],
            [.update(keys[0], .set(value(53)))], [.mark(keys[0]), .setIfMarked(keys[0], value(54))],
            [.putMany([KeyedPayload(keys[0], value(55))])], [.replace(keys[0], value(56))],
        ]) + [.removeAll, .put(keys[0], .bytes(Array("7".utf8)))] + fill(1..<4)
        + [.increment(keys[0], by: 1)] + fill(4..<5) + look(0..<5)

    private static func look(_ range: Range<Int>) -> [CacheOperation] { range.map { .contains(keys[$0]) } }

    /// A program on a cache for so many entries, whose contents the model knows by the claimed policy.
    private static func verify(
        _ context: CheckContext, room wanted: Int = 4, _ operations: [CacheOperation]
    ) throws(CheckStop) {
        let (setup, room) = try context.room(.objects, wanted)
        guard room == wanted else { throw .blocked("the capacity cannot be set to \(wanted)") }
        guard context.subject.orderPolicy != nil else {
            throw .blocked("no policy '\(context.claims.order ?? "")' to compare the order with")
        }
        try context.verify(context.claimed(operations), setup: setup)
    }

    private static func check(
        _ head: Check.Head, _ order: Claim, _ assertion: String, explanation: String, _ operations: [CacheOperation]
    ) -> Check {
        Check(head, due: [order, .strict, .retains, .capacity(.objects)], assertion, explanation: explanation) {
            (context) throws(CheckStop) in try verify(context, operations)
        }
    }

    static let all = (ofCounts + ofHotSets + [ofPins] + ofBytes).inOrder

    private static let ofCounts: [Check] = [
        check(
            .init("POL-1", dependsOn: ["POL-5"], profile: .core), .orderOf("fifo"),
            "First in, first out: what came first leaves first, read or not.",
            explanation: """
                Fills, reads one, looks at the oldest, lists, overflows and looks at all; the same with each \
                operation that looks, also in a group. Finds looking that counts as a read.
                """,
            fill(0..<4) + [.get(keys[0]), .get(keys[0])] + (4..<8).flatMap { fill($0..<$0 + 1) + look(0..<$0 + 1) }),
        check(
            .init(
                "POL-2", revision: 3, dependsOn: ["POL-5"], profile: .core, source: "isaacs/node-lru-cache: get and has"
            ), .orderOf("lru"),
            "A read makes an entry the newest.",
            explanation: """
                Fills, reads the oldest by each operation that is claimed, of one and of several, and by loads that find what \
                they ask for, then so in a group; overflows and looks. Finds caches that are first in, first out.
                """,
            reads),
        check(
            .init("POL-3", revision: 3, dependsOn: ["POL-5"], profile: .core, source: "blend/go-sdk#159"),
            .orderOf("lru"),
            "A write of a present key makes it the newest.",
            explanation: """
                Fills, overwrites the oldest by each operation that is claimed, also with an equal value, overflows and \
                looks. Finds overwrites that leave the entry old.
                """,
            writes),
        Check(
            .init("POL-4", dependsOn: ["POL-5", "POL-1", "POL-2", "POL-3", "POL-8"]),
            due: [.order, .strict, .retains, .capacity(.objects)],
            "Whatever is done, what leaves is what the claimed policy gives up.",
            explanation: """
                Twenty random programs of 500 reads, writes and removals over five times the capacity, after each of which \
                the contents are those of the policy itself, run beside the cache. Blocked where the policy is not known.
                """
        ) { (context) throws(CheckStop) in
            var random = context.generator
            for _ in 0..<context.rounds(20) {
                let room = 3 + random.next(below: 8)
                let operations = (0..<500).map { step -> CacheOperation in
                    let key = keys[min(random.next(below: 5 * room), random.next(below: 5 * room))]
                    switch random.next(below: 20) {
                    case 0..<8: return .get(key)
                    case 8..<15: return .put(key, value(step))
                    case 15: return .remove(key)
                    default: return .contains(key)
                    }
                }
                try verify(context, room: room, operations + look(0..<5 * room))
            }
        },
        Check(
            .init("POL-5", revision: 3, profile: .core, source: "isaacs/node-lru-cache: get and has"),
            due: [.order, .strict, .retains, .capacity(.objects)],
            "Looking whether a key is there moves nothing.",
            explanation: """
                Fills, looks at the oldest, lists, overflows and looks at all; the same with each way of \
                looking, also in a group, with marks, conditions that do not hold and counts that are refused. Nothing is \
                read. Finds looking that counts as a read.
                """
        ) { (context) throws(CheckStop) in
            try verify(
                context,
                fill(0..<4) + [.contains(keys[0]), .contains(keys[0]), .keys, .count] + fill(4..<6)
                    + look(0..<6) + [.remainingTime(keys[3])] + fill(6..<7) + look(0..<7))
            let (setup, room) = try context.room(.objects, 4)
            guard room == 4 else { return }
            try context.each(\.looks, setup) {
                [$0.here(.put($0.key, value(50)))] + fill(0..<3) + $1 + fill(3..<5) + [$0.here(.contains($0.key))]
                    + look(0..<5)
            }
        },
        Check(
            .init("POL-6", dependsOn: ["TIR-1", "POL-2"], source: "SDWebImage/SDWebImage#3759"),
            due: [.feature(.tiers), .order, .strict, .retains, .capacity(.objects)],
            "What is read from the lower tier is the newest as well.",
            explanation: """
                Fills, drops what is in memory, reads the oldest, overflows and looks. Finds orders of the lower tier that \
                reads do not move, such as access times that the system does not keep.
                """
        ) { (context) throws(CheckStop) in
            try verify(
                context, fill(0..<4) + [.dropMemory, .get(keys[0]), .dropMemory] + fill(4..<5) + look(0..<5))
        },
        Check(
            .init(
                "POL-7", revision: 2, dependsOn: ["POL-5", "LDR-1"], profile: .core, source: "arthurprs/quick-cache#95"),
            due: [.order, .strict, .retains, .capacity(.objects)],
            "The newcomer is not the one that leaves, unless the policy says so.",
            explanation: """
                Overflows and reads each newcomer at once; then each operation that is claimed stores one after another, and a third \
                comes. Finds caches that evict from the wrong end, and loads that enter there.
                """
        ) { (context) throws(CheckStop) in
            try verify(context, fill(0..<4) + (4..<12).flatMap { [.put(keys[$0], value($0)), .get(keys[$0])] })
            let (setup, room) = try context.room(.objects, 2)
            guard room == 2 else { return }
            try context.each(\.creations, setup) {
                fill(0..<1) + $1 + fill(1..<2) + [$0.here(.contains($0.key))] + look(0..<2)
            }
        },
        check(
            .init("POL-8", revision: 2, dependsOn: ["POL-5"], source: "dgilland/cacheout#9"), .orderOf("lfu"),
            "The entry that leaves is the least often read.",
            explanation: """
                Reads entries 3, 2, 1 and 0 times, overflows and looks; then clears and removes what was read often, \
                and puts it again; reads two entries 300 and 290 times, then two 300 and 250 times. Finds wrong buckets of \
                frequency, counts that outlive their entries, and ones that stop or begin anew.
                """,
            fill(0..<4) + [0, 0, 0, 1, 1, 2].map { .get(keys[$0]) } + fill(4..<5) + look(0..<5) + [
                .get(keys[4]), .get(keys[4]),
            ]
                + fill(5..<6) + look(0..<6) + [.removeAll] + fill(0..<4) + (1..<4).map { .get(keys[$0]) } + fill(6..<7)
                + look(0..<7) + [.removeAll] + fill(0..<4) + (0..<12).map { .get(keys[$0 % 4]) } + [.remove(keys[0])]
                + fill(0..<1) + fill(7..<8) + look(0..<8) + often(300, 290) + often(300, 250)),
        Check(
            .init("POL-14", revision: 2, dependsOn: ["POL-5", "POL-2"], source: "hashicorp/golang-lru: Resize"),
            due: [.orderOf("lru"), .feature(.resize), .strict, .retains, .capacity(.objects)],
            "What leaves a cache that shrinks is what has not been used for longest.",
            explanation: """
                Fills 4, reads the oldest, shrinks to 2 and looks; grows again, overflows and looks. Finds \
                caches that shrink from the wrong end, and ones that forget their order when they do.
                """
        ) { (context) throws(CheckStop) in
            try verify(
                context,
                fill(0..<4) + [.get(keys[0]), .resize(2)] + look(0..<4) + [.resize(4)] + fill(4..<7) + look(0..<7))
        },
    ]
}
