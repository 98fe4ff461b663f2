import CacheCore

// What depends on the version that an entry had when it was marked.
extension ConditionalChecks {
    private static let brief = PutTerms(timeToLiveNanoseconds: 10)

    static let ofVersions: [Check] = [
        Check(
            .init("CON-7", source: "memcached: gets and cas"), due: [.feature(.versions)],
            "A key is removed if it has the version that was marked, and only then.",
            explanation: """
                Marks and removes; then marks, overwrites and tries. Witness: a hit. Finds removals by an old version that \
                take a newer value away.
                """,
            [
                .put(a, value(1)), .mark(a), .removeIfMarked(a), .get(a), .put(a, value(2)), .mark(a),
                .put(a, value(3)), .removeIfMarked(a), .get(a), .removeIfMarked(b),
            ]),
        Check(
            .init("CON-8", revision: 2, dependsOn: ["CON-7"], source: "memcached: gets and cas"),
            due: [.feature(.versions)],
            "Every write gives a key another version, one of an equal value too.",
            explanation: """
                Marks, writes the same value again, and tries to set; then the same over a removal, a clear and \
                an end. Witness: a hit. Finds versions that are a hash of the value, or that begin anew.
                """
        ) { (context) throws(CheckStop) in
            try context.verify([
                .put(a, value(1)), .mark(a), .setIfMarked(a, value(2)), .get(a), .setIfMarked(a, value(3)), .get(a),
                .mark(a), .put(a, value(2)), .setIfMarked(a, value(4)), .get(a), .mark(a), .remove(a),
                .setIfMarked(a, value(5)), .put(a, value(2)), .setIfMarked(a, value(6)), .get(a),
            ])
            try context.verify([
                .put(a, value(1)), .mark(a), .removeAll, .put(a, value(1)), .setIfMarked(a, value(2)), .get(a),
            ])
            let ends: [CacheOperation] = [
                .put(a, value(4), terms: brief), .mark(a), .advance(nanoseconds: 10), .put(a, value(4)),
                .setIfMarked(a, value(5)), .get(a),
            ]
            if context.claims.claims(.timeToLive) { try context.verify([.put(b, value(9)), .get(b)] + ends) }
        },
    ]
}
