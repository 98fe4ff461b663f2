import CacheCore

/// CLR: removing everything at once.
enum ClearChecks: LetterKeys {
    private static let keys = (0..<300).map { Array("entry-\($0)".utf8) }
    private static let puts = keys.enumerated().map { CacheOperation.put($1, value($0)) }

    static let all: [Check] = [
        Check(
            .init("CLR-1", profile: .core, source: "varnishcache/varnish-cache#3074"), "Clear empties the store.",
            explanation: "Clears 300 entries and reads each. Witness: entries were found before. Finds skipped buckets."
        ) { (context) throws(CheckStop) in
            let reads = keys.map { CacheOperation.get($0) }
            try context.verify(puts + reads + [.removeAll] + reads + [.count, .keys])
        },
        Check(
            .init("CLR-2", dependsOn: ["CLR-1"], profile: .core, source: "mirage/irmin#1998"), due: [.retains],
            "The store can be filled again after a clear.",
            explanation: "Fills, clears, fills and reads, three times. Finds stores that stay closed or full."
        ) { (context) throws(CheckStop) in
            let round = Array(puts[..<50]) + keys[..<50].map { CacheOperation.get($0) } + [.removeAll]
            try context.verify(round + round + Array(round.dropLast()), witness: .hits(150))
        },
        Check(
            .init("CLR-3", dependsOn: ["CLR-1"], profile: .core, source: "dgraph-io/ristretto#133"),
            "Nothing put before a clear survives it, the newest included.",
            explanation: """
                Clears right after a put, after an overwrite and after a large value. Witness: a hit before. Finds puts that \
                wait in a queue or buffer while the clear overtakes them.
                """,
            [
                .put(a, value(1)), .get(a), .put(a, value(2)), .removeAll, .get(a), .put(a, value(3, 100_000)),
                .removeAll, .get(a), .contains(a), .put(a, value(4)), .remove(a), .removeAll, .get(a),
            ]),
        Check(
            .init("CLR-4", dependsOn: ["CLR-2"], source: "moka-rs/moka#155"), due: [.retains],
            "What is put right after a clear survives.",
            explanation: "Puts the same and another key at once after clearing. Finds clears that run late."
        ) { (context) throws(CheckStop) in
            let b = Array("b".utf8)
            try context.verify([
                .put(a, value(1)), .removeAll, .put(a, value(2)), .put(b, value(3)), .get(a), .get(b), .removeAll,
                .removeAll, .put(b, value(4)), .get(b), .get(a), .flush, .get(b),
            ])
        },
        Check(
            .init(
                "CLR-5", revision: 2, dependsOn: ["CLR-1"], profile: .core,
                source: "Caffeine: invalidateAll, estimatedSize"),
            due: [.iterates],
            "Clear brings the count to zero and leaves the limits.",
            explanation: """
                Counts and lists around clears; then keys of the limit and beyond are treated as before, and a capacity that was \
                changed is what it was. Witness: a hit.
                """
        ) { (context) throws(CheckStop) in
            let longest = [UInt8](repeating: 0x6B, count: min(context.claims.keyBytesMax, 4_096))
            try context.verify([
                .put(a, value(1)), .put(keys[0], value(2)), .get(a), .removeAll, .count, .keys, .put(longest, value(3)),
                .get(longest), .count, .keys, .removeAll, .count, .put(a, value(4)), .count,
            ])
            guard context.claims.claims(.resize), context.claims.retains,
                let (setup, room) = try? context.room(.objects, 4), (2...keys.count).contains(room)
            else { return }
            let puts = keys[..<room].enumerated().map { CacheOperation.put($1, value($0)) }
            try context.verify(
                [.resize(room / 2), .removeAll] + puts + [.get(keys[room - 1]), .maintain, .count], setup: setup,
                witness: .none)
        },
    ]
}
