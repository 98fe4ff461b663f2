import CacheCore

// What groups and tags are called, and how many entries a group may have.
extension GroupChecks {
    /// GRP-6: limits are as great as they are said to be, and each group has its own.
    static func limits(_ context: CheckContext, _ puts: [CacheOperation]) throws(CheckStop) {
        let reads = puts.prefix(5).map { CacheOperation.get($0.key!) }
        for limit in [256, 1 << 16, 1 << 31 + 1] {
            try context.verify(Program([.limitGroup("x", limit)] + within("x", puts.prefix(5) + [.count] + reads)))
        }
        let names = (0..<9).map { "limited-\($0)" }
        try context.verify(
            Program(
                names.enumerated().map { .limitGroup($1, 2 + $0 % 3) }
                    + names.flatMap { within($0, puts.prefix(5) + [.count, .get(puts[4].key!)]) }), witness: .none)
        try context.verify(
            Program(
                [.put(b, value(50)), .limitGroup("x", 4), .limitGroup("x", 2)]
                    + within("x", puts.prefix(4) + [.count]) + [.get(b)]))
        try context.verify(
            Program([.limitGroup("x", 1), .removeAll] + within("x", puts.prefix(3).flatMap { [$0, .count] })),
            witness: .none)
        guard context.claims.claims(.loader) else { return }
        let loads = puts.prefix(4).enumerated().flatMap { index, put -> [CacheOperation] in
            [.load(put.key!, Origin(.value(value(index)))), .count]
        }
        try context.verify(Program([.limitGroup("x", 2)] + within("x", loads)), witness: .none)
    }

    /// GRP-5: tags are what they are called, to the last letter.
    static func names(_ context: CheckContext) throws(CheckStop) {
        let tags =
            [
                "a", "b", "ab", "a b", "a,b", "a/b", "a:b", "a\u{0}b", " a", "a ", "a*", "a%", "a_", "a.", "1", "01",
                "1.0",
            ]
            + [20, 70, 300].flatMap { length in [1, 2].map { String(repeating: "n", count: length) + "\($0)" } }
        let keys = tags.indices.map { Array("tagged-\($0)".utf8) }
        let puts = zip(keys, tags).enumerated().map { index, pair in
            CacheOperation.put(pair.0, value(index), terms: PutTerms(tags: [pair.1]))
        }
        for tag in tags { try context.verify(Program(puts + [.removeTagged(tag)] + keys.map { .get($0) })) }
    }
}
