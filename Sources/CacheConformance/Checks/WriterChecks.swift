import CacheCore

/// WRT: writes that go through to what lies behind the cache.
enum WriterChecks {
    private static let a = Array("a".utf8)
    private static let b = Array("b".utf8)
    private static let writer = Claim.feature(.writer)

    private static func check(
        _ id: String, due claims: [Claim] = [], _ assertion: String, explanation: String, _ operations: [Operation]
    ) -> Check {
        Check(id, due: [writer] + claims, assertion, explanation: explanation) { (context) throws(CheckStop) in
            try context.verify(Program(operations))
        }
    }

    static let all: [Check] = [
        check(
            "WRT-1", "Each change is written once, in its order.",
            explanation:
                "Puts, overwrites and removes, and looks at what was written. Witness: a hit. Finds writes twice.",
            [.put(a, value(1)), .get(a), .writes, .put(a, value(2)), .put(b, value(3)), .remove(a), .writes, .writes]),
        check(
            "WRT-2", "Reads write nothing.",
            explanation:
                "Reads, looks and counts between two looks at the writer. Witness: a hit. Finds reads written back.",
            [.put(a, value(1)), .writes, .get(a), .get(b), .contains(a), .count, .writes]),
        check(
            "WRT-3", "A write that fails leaves the cache as it was.",
            explanation: """
                Puts, overwrites and removes while the writer fails: the caller is told, the old value stays. Witness: a \
                hit. Finds caches that change first and write then.
                """,
            [
                .put(a, value(1)), .get(a), .failWrites(true), .put(a, value(2)), .get(a), .put(b, value(3)), .get(b),
                .remove(a), .get(a), .failWrites(false), .put(a, value(4)), .get(a),
            ]),
        check(
            "WRT-7", due: [.feature(.loader)], "What a load stores is not written back.",
            explanation:
                "Loads and looks at the writer. Witness: a hit. Finds loads that go to the store they came from.",
            [.load(a, Origin(.value(value(1)))), .get(a), .writes, .put(a, value(2)), .writes]),
    ]
}
