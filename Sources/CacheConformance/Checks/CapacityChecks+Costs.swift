import CacheCore

// What the entries cost together.
extension CapacityChecks {
    static let ofCosts: [Check] = [
        Check(
            .init("CAP-3", revision: 2, profile: .core, source: "hyperoslo/Cache#292"), due: [weighed, .strict, cost],
            "The costs of all entries stay within the limit.",
            explanation: """
                Puts entries of costs 1 to 60 into 100 and asks for the total each time. Witness: a hit. Finds \
                evictions that stop after so many.
                """
        ) { (context) throws(CheckStop) in
            let operations = (0..<40).flatMap { index -> [CacheOperation] in
                [put(keys[index], index, costs: 1 + index * 7 % 60), .get(keys[index]), .cost]
            }
            try context.weighed(operations)
        },
        Check(
            .init("CAP-4", source: "dgraph-io/ristretto#373"), due: [weighed, cost, .retains],
            "An entry costs what the caller says and nothing more.",
            explanation: "Fills 100 exactly with 4 entries of 25. Finds hidden costs that make the last one evict."
        ) { (context) throws(CheckStop) in
            try context.weighed(
                (0..<4).map { put(keys[$0], $0, costs: 25) } + [.cost] + keys[..<4].map { .get($0) } + [.cost])
        },
        Check(
            .init("CAP-6", revision: 4, dependsOn: ["CAP-4", "LDR-14"], profile: .core, source: "tumblr/TMCache#79"),
            due: [weighed, cost, .retains],
            "After an overwrite the total has the new cost instead of the old.",
            explanation: """
                Overwrites with more, less and the same, also with an equal value and beside what leaves no room \
                for both, and the oldest entry with one that leaves room for no other; where that is claimed, loads it afresh. Finds \
                totals that drift, and old values that are counted until the new one is in.
                """
        ) { (context) throws(CheckStop) in
            try context.weighed([
                put(a, 1, costs: 5), .cost, put(a, 2, costs: 15), .cost, put(a, 3, costs: 4), .cost,
                put(a, 4, costs: 4), .cost, put(a, 4, costs: 8), .cost, .get(a), put(b, 5, costs: 90), .get(a), .get(b),
                .cost, put(a, 1, costs: 50), put(b, 2, costs: 45), put(a, 3, costs: 52), .get(b), .cost,
            ])
            try context.weighed([
                put(a, 1, costs: 10), put(b, 2, costs: 20), put(keys[0], 3, costs: 30), put(a, 4, costs: 95), .cost,
                .get(a), .get(b),
            ])
            guard [.loader, .refresh, .timeToLive].allSatisfy(context.claims.claims) else { return }
            func load(_ cost: Int) -> CacheOperation { .load(a, Origin(.value(value(cost), PutTerms(cost: cost)))) }
            let setup = CacheSetup(capacity: .bytes(100), refreshNanoseconds: 50)
            try context.verify([load(5), wait(60), load(7), .maintain, .get(a), .cost], setup: setup, witness: .none)
        },
        Check(
            .init(
                "CAP-7", revision: 2, dependsOn: ["CAP-4", "TTL-2"], profile: .core, source: "Caffeine: maximumWeight"),
            due: [weighed, cost, .retains],
            "After removals the total is that of what is left.",
            explanation: """
                Removes, clears, expires and writes over what has expired, as far as claimed. Finds costs that \
                are never given back.
                """
        ) { (context) throws(CheckStop) in
            let brief = PutTerms(timeToLiveNanoseconds: 5, cost: 30)
            let expires = context.claimed(
                if: .timeToLive, .put(a, value(7), terms: brief), .cost, wait(5), .maintain, .cost,
                .put(a, value(8), terms: brief), wait(5), put(a, 9, costs: 10), .cost)
            try context.weighed(
                [
                    put(a, 1, costs: 30), put(b, 2, costs: 20), .get(a), .remove(a), .cost, .remove(a), .cost,
                    .removeAll, .cost, put(b, 3, costs: 40), .cost, .get(b),
                ] + expires)
        },
        Check(
            .init("CAP-8", revision: 2, dependsOn: ["CAP-3"], profile: .core, source: "tkem/cachetools#407"),
            due: [weighed, .retains],
            "An entry that costs more than the whole capacity is refused, the old one gone, and nothing else touched.",
            explanation: """
                Puts 101 into 100 beside two others, fresh and over an old value; where claimed, loads and \
                replaces by as much, puts it if absent and in a group. What is loaded is answered and not kept. \
                Finds caches that empty themselves, and operations that check nothing.
                """
        ) { (context) throws(CheckStop) in
            try context.weighed(
                [
                    put(a, 1, costs: 10), put(b, 2, costs: 10), put(keys[0], 3, costs: 101), .get(keys[0]), .get(a),
                    .get(b), put(a, 4, costs: 500), .get(a), .get(b),
                ]
                    + context.claimed([
                        .load(keys[1], Origin(.value(value(5), PutTerms(cost: 101)))), .get(keys[1]), .get(b),
                        put(a, 6, costs: 10), .replace(a, value(7), terms: PutTerms(cost: 500)), .get(a), .get(b),
                        .putIfAbsent(keys[2], value(10), terms: PutTerms(cost: 101)), .get(keys[2]), .get(b),
                        .within(group: "g", put(a, 11, costs: 10)), .within(group: "g", put(a, 12, costs: 101)),
                        .within(group: "g", .get(a)), .get(b),
                    ]))
        },
        Check(
            .init("CAP-9", revision: 2, dependsOn: ["CAP-4"], source: "maypok86/otter#80, ben-manes/caffeine#1982"),
            due: [weighed, cost, .retains],
            "Costs and totals beyond 32 bits are exact.",
            explanation: """
                Stores costs of 2^31 and 2^32 and more under a limit of 2^52, rewrites one with another, and \
                removes one; then one of 2^50. Finds sums that wrap (maypok86/otter#80, ben- \
                manes/caffeine#1982), and ones that are rounded.
                """
        ) { (context) throws(CheckStop) in
            try context.weighed(
                [
                    put(a, 1, costs: 1 << 31), .cost, put(b, 2, costs: 1 << 32 + 5), .cost, .get(a), .get(b),
                    put(keys[0], 3, costs: 1 << 39), .cost, .get(a), .get(b), .get(keys[0]),
                    put(a, 4, costs: 1 << 33 + 1), .cost, .remove(b), .cost, put(keys[0], 5, costs: 3), .cost, .get(a),
                    put(b, 6, costs: 1 << 50 + 1), .cost, .get(b), .get(a),
                ], room: 1 << 52)
        },
        Check(
            .init("CAP-17", dependsOn: ["CAP-4"], source: "Caffeine: maximumWeight"), due: [weighed, cost, .retains],
            "What costs nothing takes no room, and nothing costs less than that.",
            explanation: """
                Fills 100 beside entries of cost 0; then puts one of cost -50, which is refused or counts as 0, and fills \
                up again. Finds totals below zero, under which a cache grows without end.
                """
        ) { (context) throws(CheckStop) in
            try context.weighed([
                put(a, 1, costs: 0), put(b, 2, costs: 100), .cost, .get(a), .get(b), .remove(b),
                put(b, 3, costs: -50), .cost, put(keys[0], 4, costs: 60), put(keys[1], 5, costs: 40), .cost,
                .get(keys[0]), .get(keys[1]), put(keys[2], 6, costs: 50), .cost,
            ])
        },
        Check(
            .init("CAP-21", dependsOn: ["CAP-7"], source: "moka-rs/moka: weighted_size"),
            due: [weighed, cost, .concurrent],
            "What threads put and remove at once leaves no cost behind.",
            explanation: """
                Four threads put and remove 12 keys at costs of 1 to 9, 1000 times each; when all are removed the total \
                is 0. The same with six caches, of which every other one has not room for all. Finds totals that two threads \
                change at once, and that are right as long as there is one.
                """, body: addsUp),
    ]
}
