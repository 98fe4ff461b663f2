import CacheCore

// What is remembered of keys that have no value.
extension LoaderChecks {
    private static let a = Array("a".utf8)
    private static let b = Array("b".utf8)

    static let ofAbsences: [Check] = [
        Check(
            .init("LDR-9", dependsOn: ["LDR-1"]), due: [loader, .feature(.negative), .retains],
            "That there is no value is remembered, and is never a value.",
            explanation: """
                Loads a key without a value three times: only the first asks, also where another's origin failed since; so \
                it is of two such keys, and what is known in one group is not known in another. \
                Reads, looks and puts over it; then the key is loaded, removed, cleared or given by a rename, and loaded \
                again; the same with each way of writing, of removing and of looking by itself. What is known not to be \
                there is not counted, not removed and not replaced, and can be put if absent. Finds sentinels that come \
                out, absences that are asked for every time, ones that outlive a put or a clear, and ones that are taken \
                for entries.
                """
        ) { (context) throws(CheckStop) in
            let steps: [CacheOperation] = [
                .load(a, Origin(.nothing)), .load(a, Origin(.nothing)), .get(a), .contains(a), .put(a, value(1)),
                .get(a),
                load(a, 4), .remove(a), .load(a, Origin(.nothing)), .put(b, value(2)), load(b, 3), .removeAll,
                load(a, 5),
                .get(a), .remove(b), .load(b, Origin(.nothing)), .put(b, value(6)), .remove(b), load(b, 7),
                .remove(a), .load(a, Origin(.nothing)), .rename(b, to: a), load(a, 8), .get(a),
                .remove(a), .load(a, Origin(.nothing)), .count, .keys, .getMany([a]), .putIfAbsent(a, value(10)),
                .get(a), .remove(a), .load(a, Origin(.nothing)), .replace(a, value(11)), .take(a), .get(a),
                load(b, 12), .remove(b), .load(b, Origin(.nothing)), .remove(b),
            ]
            try context.verify(Program(context.claimed(steps)))
            let none = CacheOperation.load(a, Origin(.nothing))
            try context.verify(Program([none, none, none]), witness: .none)
            let both = [none, .load(b, Origin(.nothing))]
            try context.verify(Program(both + both + both), witness: .none)
            try context.verify(Program([none, .load(b, Origin(.failure)), load(a, 20)]), witness: .none)
            try context.verify(
                Program([
                    .load(a, Origin(.nothing, meanwhile: [.put(a, value(13)), .remove(a)])), load(a, 14), .get(a),
                ]))
            if context.claims.claims(.timeToLive) {
                let mortal = PutTerms(timeToLiveNanoseconds: 10)
                for write in context.claimed([
                    .putIfAbsent(a, value(15), terms: mortal), .put(a, value(16), terms: mortal),
                ]) {
                    try context.verify(
                        Program([.load(a, Origin(.nothing)), write, .advance(nanoseconds: 10), load(a, 17), .get(a)]))
                }
            }
            if let (setup, steps) = WaysScenarios.evictions(context, of: a).first {
                try context.verify(
                    Program(
                        [.load(a, Origin(.nothing)), .put(a, value(18))] + steps + [load(a, 19), .get(a)], setup: setup)
                )
            }
            try knowledge(context)
        }
    ]
}
