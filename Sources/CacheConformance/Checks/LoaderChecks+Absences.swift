import CacheCore

// What is remembered of keys that have no value.
extension LoaderChecks {
    static let ofAbsences: [Check] = [
        Check(
            .init("LDR-9", revision: 2, dependsOn: ["LDR-1"], source: "redisson/redisson#7326, RogerKratz/mbcache#7"),
            due: [loader, .feature(.negative), .retains],
            "That there is no value is remembered, and is never a value.",
            explanation: """
                Loads a key without a value three times: only the first asks; so it is of two such keys. Reads, \
                looks and puts over it; then the key is loaded, removed, cleared or given by a rename, and \
                loaded again. What is known not to be there is not counted, not removed and not replaced, and \
                can be put if absent. Finds sentinels that come out (redisson/redisson#7326), absences that are \
                asked for every time, and ones that outlive a put or a clear.
                """
        ) { (context) throws(CheckStop) in
            let steps: [CacheOperation] = [
                .load(a, Origin(.nothing)), .load(a, Origin(.nothing)), .get(a), .contains(a), .put(a, value(1)),
                .get(a), load(a, 4), .remove(a), .load(a, Origin(.nothing)), .put(b, value(2)), load(b, 3), .removeAll,
                load(a, 5), .get(a), .remove(b), .load(b, Origin(.nothing)), .put(b, value(6)), .remove(b), load(b, 7),
                .remove(a), .load(a, Origin(.nothing)), .rename(b, to: a), load(a, 8), .get(a),
                .remove(a), .load(a, Origin(.nothing)), .count, .keys, .getMany([a]), .putIfAbsent(a, value(10)),
                .get(a), .remove(a), .load(a, Origin(.nothing)), .replace(a, value(11)), .take(a), .get(a),
                load(b, 12), .remove(b), .load(b, Origin(.nothing)), .remove(b),
            ]
            try context.verify(context.claimed(steps))
            let both = [a, b].map { CacheOperation.load($0, Origin(.nothing)) }
            try context.verify(both + both + both, witness: .none)
        }
    ]
}
