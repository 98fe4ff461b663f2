import CacheCore

// What depends on the version that an entry had when it was marked.
extension ConditionalChecks {
    private static let a = Array("a".utf8)
    private static let b = Array("b".utf8)
    private static let c = Array("c".utf8)
    private static let brief = PutTerms(timeToLiveNanoseconds: 10)

    static let ofVersions: [Check] = [
        Check(
            "CON-7", due: [.feature(.versions)],
            "A key is removed if it has the version that was marked, and only then.",
            explanation: """
                Marks and removes; then marks, overwrites and tries. Witness: a hit. Finds removals by an old version that \
                take a newer value away.
                """
        ) { (context) throws(CheckStop) in
            try context.verify(
                Program([
                    .put(a, value(1)), .mark(a), .removeIfMarked(a), .get(a), .put(a, value(2)), .mark(a),
                    .put(a, value(3)), .removeIfMarked(a), .get(a), .removeIfMarked(b),
                ]))
        },
        Check(
            .init("CON-8", dependsOn: ["CON-7"]), due: [.feature(.versions)],
            "Every write gives a key another version, one of an equal value too.",
            explanation: """
                Marks, writes the same value again, and tries to set; then the same over a removal, over a clear, over \
                an end, over a step of a counter, over a rename after reopening, and over 256 and 65536 writes; a count \
                that is refused gives none. Witness: a hit. Finds versions that are a hash of the value, or that begin \
                anew.
                """
        ) { (context) throws(CheckStop) in
            try context.verify(
                Program([
                    .put(a, value(1)), .mark(a), .setIfMarked(a, value(2)), .get(a), .setIfMarked(a, value(3)), .get(a),
                    .mark(a), .put(a, value(2)), .setIfMarked(a, value(4)), .get(a), .mark(a), .remove(a),
                    .setIfMarked(a, value(5)), .put(a, value(2)), .setIfMarked(a, value(6)), .get(a),
                ]))
            try context.verify(
                Program([
                    .put(a, value(1)), .mark(a), .removeAll, .put(a, value(1)), .setIfMarked(a, value(2)), .get(a),
                ]))
            let others = context.claimed([
                .put(c, .bytes(Array("7".utf8))), .mark(c), .increment(c, by: 0), .setIfMarked(c, value(3)), .get(c),
            ])
            let ends: [CacheOperation] = [
                .put(a, value(4), terms: brief), .mark(a), .advance(nanoseconds: 10), .put(a, value(4)),
                .setIfMarked(a, value(5)), .get(a),
            ]
            try context.verify(
                Program([.put(b, value(9)), .get(b)] + others + (context.claims.claims(.timeToLive) ? ends : [])))
            if context.claims.claims(.counter) {
                try context.verify(
                    Program([.put(a, value(1)), .mark(a), .increment(a, by: 1), .setIfMarked(a, value(2)), .get(a)]),
                    witness: .none)
            }
            if context.claims.durability >= .exit, context.claims.claims(.rename) {
                try context.verify(
                    Program([
                        .put(a, value(1)), .put(b, value(2)), .reopen, .get(a), .mark(b), .rename(a, to: b),
                        .setIfMarked(b, value(3)), .get(b),
                    ]))
            }
            try ManyScenario(context).versions()
        },
    ]
}
