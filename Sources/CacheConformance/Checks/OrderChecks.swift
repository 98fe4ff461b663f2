import CacheCore

/// POL: which entry leaves.
enum OrderChecks {
    private static let keys = (0..<64).map { Array("k\($0)".utf8) }

    private static func fill(_ range: Range<Int>) -> [Operation] { range.map { .put(keys[$0], value($0)) } }

    private static func look(_ range: Range<Int>) -> [Operation] { range.map { .contains(keys[$0]) } }

    /// A program on a cache for so many entries, whose contents the model knows by the claimed policy.
    private static func verify(
        _ context: CheckContext, room wanted: Int = 4, _ operations: [Operation]
    ) throws(CheckStop) {
        let (setup, room) = try context.room(.objects, wanted)
        guard room == wanted else { throw .blocked("the capacity cannot be set to \(wanted)") }
        guard context.subject.orderPolicy != nil else {
            throw .blocked("no policy '\(context.claims.order ?? "")' to compare the order with")
        }
        try context.verify(Program(operations, setup: setup))
    }

    private static func check(
        _ id: String, _ order: Claim, _ assertion: String, explanation: String, _ operations: [Operation]
    ) -> Check {
        Check(id, due: [order, .strict, .retains, .capacity(.objects)], assertion, explanation: explanation) {
            (context) throws(CheckStop) in try verify(context, operations)
        }
    }

    static let all: [Check] = [
        check(
            "POL-1", .orderOf("fifo"), "First in, first out: what came first leaves first, read or not.",
            explanation: "Fills, reads the oldest, overflows one by one and looks. Finds reads that move entries.",
            fill(0..<4) + [.get(keys[0]), .get(keys[0])] + (4..<8).flatMap { fill($0..<$0 + 1) + look(0..<$0 + 1) }),
        check(
            "POL-2", .orderOf("lru"), "A read makes an entry the newest.",
            explanation: "Fills, reads the oldest, overflows and looks. Finds caches that are first in, first out.",
            fill(0..<4) + [.get(keys[0])] + fill(4..<5) + look(0..<5) + [.get(keys[2])] + fill(5..<7) + look(0..<7)),
        check(
            "POL-3", .orderOf("lru"), "A write of a present key makes it the newest.",
            explanation:
                "Fills, overwrites the oldest, overflows and looks. Finds overwrites that leave the entry old.",
            fill(0..<4) + [.put(keys[0], value(50))] + fill(4..<5) + look(0..<5)),
        Check(
            "POL-4", due: [.order, .strict, .retains, .capacity(.objects)],
            "Whatever is done, what leaves is what the claimed policy gives up.",
            explanation: """
                Twenty random programs of 500 reads, writes and removals over five times the capacity, after each of which \
                the contents are those of the policy itself, run beside the cache. Blocked where the policy is not known.
                """
        ) { (context) throws(CheckStop) in
            var random = context.generator
            for _ in 0..<20 {
                let room = 3 + random.next(below: 8)
                let operations = (0..<500).map { step -> Operation in
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
        check(
            "POL-5", .order, "Looking whether a key is there moves nothing.",
            explanation:
                "Fills, looks at the oldest, overflows and looks at all. Finds contains that counts as a read.",
            fill(0..<4) + [.contains(keys[0]), .contains(keys[0])] + fill(4..<5) + look(0..<5)),
        check(
            "POL-7", .order, "The newcomer is not the one that leaves, unless the policy says so.",
            explanation: "Overflows and reads each newcomer at once. Finds caches that evict from the wrong end.",
            fill(0..<4) + (4..<12).flatMap { [.put(keys[$0], value($0)), .get(keys[$0])] }),
        check(
            "POL-8", .orderOf("lfu"), "The entry that leaves is the least often read.",
            explanation: "Reads entries 3, 2, 1 and 0 times, overflows and looks. Finds wrong buckets of frequency.",
            fill(0..<4) + [0, 0, 0, 1, 1, 2].map { .get(keys[$0]) } + fill(4..<5) + look(0..<5) + [
                .get(keys[4]), .get(keys[4]),
            ]
                + fill(5..<6) + look(0..<6)),
    ]
}
