import CacheCore

/// BAS: reading, writing and removing one key at a time.
enum BasicChecks: LetterKeys {
    static let all: [Check] = [
        Check(
            .init("BAS-1", profile: .core, source: "JSR-107: Cache.get, put, remove, containsKey"),
            "An unknown key is absent for get, contains and remove.",
            explanation: """
                Asks a fresh store, then a store with neighbours of the key. Witness: a neighbour is found. Finds stores \
                that match keys by prefix or answer with a default.
                """
        ) { (context) throws(CheckStop) in
            let unknown = Array("neighbour-2".utf8)
            try context.verify([
                .get(unknown), .contains(unknown), .remove(unknown), .put(Array("neighbour-1".utf8), value(1)),
                .put(Array("neighbour-22".utf8), value(2)), .get(Array("neighbour-22".utf8)), .get(unknown),
                .contains(unknown), .remove(unknown), .get(Array("neighbour-1".utf8)),
            ])
        },
        Check(
            .init("BAS-2", profile: .core, source: "JSR-107: Cache.get, put, remove, containsKey"), due: [.retains],
            "Get returns what was put, as often as it is asked.",
            explanation: "Puts 16 values and reads each three times. Finds stores that lose a value or consume it."
        ) { (context) throws(CheckStop) in
            let keys = (0..<16).map { Array("key-\($0)".utf8) }
            let puts = keys.enumerated().map { CacheOperation.put($1, value($0, 10 + 7 * $0)) }
            try context.verify(puts + keys.flatMap { [.get($0), .get($0), .get($0)] }, witness: .hits(48))
        },
        Check(
            .init("BAS-3", profile: .core, source: "JSR-107: Cache.get, put, remove, containsKey"),
            "A hit after an overwrite is the new value, never the old.",
            explanation: """
                Overwrites with longer, shorter, equal and empty values. Witness: a hit. Finds stores that keep the first \
                value, or the tail of a longer old one.
                """
        ) { (context) throws(CheckStop) in
            let sizes = [40, 400, 30, 30, 6_000, 1, 0, 40]
            try context.verify(sizes.enumerated().flatMap { [.put(a, value($0, $1)), .get(a)] })
        },
        Check(
            .init("BAS-4", profile: .core, source: "JSR-107: Cache.get, put, remove, containsKey"),
            "A removed key is absent.",
            explanation: "Removes small and large values. Witness: the value was found before it was removed."
        ) { (context) throws(CheckStop) in
            let steps = [20, 3_000, 90_000].enumerated().flatMap { (index, size) -> [CacheOperation] in
                [.put(a, value(index, size)), .get(a), .remove(a), .get(a), .contains(a)]
            }
            try context.verify(steps)
        },
        Check(
            .init(
                "BAS-5", dependsOn: ["BAS-4"], profile: .core, source: "JSR-107: Cache.get, put, remove, containsKey"),
            "Remove returns true only when there was something.",
            explanation: "Removes a missing key, a stored one, and the same again. Witness: one remove returned true.",
            [
                .remove(a), .put(a, value(1)), .put(b, value(2)), .remove(a), .remove(a), .remove(b), .put(a, value(3)),
                .removeAll, .remove(a),
            ]),
        Check(
            .init("BAS-6", dependsOn: ["BAS-3", "BAS-4"], profile: .core, source: "jeromefroe/lru-rs#24"),
            "Remove, put, remove leaves no ghost of the first value.",
            explanation: """
                Alternates small and large values, which a store may keep in different places. Witness: a hit. Finds \
                stores that remove from one place only.
                """
        ) { (context) throws(CheckStop) in
            let rounds = [(20, 100_000), (100_000, 20), (100_000, 90_000), (10, 12)]
            let steps = rounds.enumerated().flatMap { (index, sizes) -> [CacheOperation] in
                [
                    .put(a, value(2 * index, sizes.0)), .get(a), .remove(a), .put(a, value(2 * index + 1, sizes.1)),
                    .get(a), .remove(a), .get(a), .contains(a),
                ]
            }
            try context.verify(steps)
        },
        Check(
            .init(
                "BAS-7", dependsOn: ["BAS-4", "BAS-1"], profile: .core,
                source: "JSR-107: Cache.get, put, remove, containsKey"), "Contains agrees with get.",
            explanation: """
                Contains must not be true for what was removed or never put; for a store that retains it must be true for \
                what was put, whatever the value. Witness: contains or get found something.
                """,
            [
                .contains(a), .get(a), .put(a, value(1)), .contains(a), .get(a), .put(b, .bytes([])), .contains(b),
                .get(b), .remove(a), .contains(a), .get(a), .contains(b), .put(a, value(2), expiresAtNanoseconds: 1),
                .contains(a), .get(a),
            ]),
        Check(
            .init("BAS-8", revision: 2, dependsOn: ["BAS-2"], profile: .core), due: [.retains],
            "Operations on one key leave 1000 others unchanged.",
            explanation: """
                Stores 1000 entries, works on another key, reads all; then removes and overwrites one of two \
                entries of one value. Finds collisions, lost buckets, and values that are kept once for all and \
                go with the first.
                """
        ) { (context) throws(CheckStop) in
            let keys = (0..<1_000).map { Array("other-\($0)".utf8) }
            let puts = keys.enumerated().map { CacheOperation.put($1, value($0, 32)) }
            let work: [CacheOperation] = [
                .put(a, value(2_000)), .put(a, value(2_001, 50_000)), .get(a), .remove(a), .remove(a),
            ]
            try context.verify(puts + work + keys.map { .get($0) }, witness: .hits(1_000))
            let same = Payload.bytes(Array("the same".utf8))
            try context.verify([
                .put(a, same), .put(b, same), .remove(a), .get(b), .put(a, same), .put(a, value(1)), .get(b),
            ])
        },
        Check(
            .init(
                "BAS-9", dependsOn: ["BAS-3", "BAS-4"], profile: .core,
                source: "JSR-107: Cache.get, put, remove, containsKey"),
            "Repeating a put or a remove changes nothing more.",
            explanation: """
                Puts the same twice, removes twice, and counts where counting is claimed. Witness: a hit. Finds stores \
                that stack versions under a key.
                """,
            [
                .put(a, value(1)), .put(a, value(1)), .get(a), .count, .keys, .remove(a), .remove(a), .get(a), .count,
                .put(a, value(2)), .put(a, value(3)), .remove(a), .get(a), .keys,
            ]),
        Check(
            .init(
                "BAS-10", dependsOn: ["BAS-1"], profile: .core, source: "JSR-107: Cache.get, put, remove, containsKey"),
            due: [.iterates],
            "Asking for a missing key creates nothing.",
            explanation: "Counts and lists after misses of get, contains and remove. Witness: a stored key is found.",
            [
                .put(a, value(1)), .get(a), .get(b), .count, .keys, .contains(Array("c".utf8)), .count,
                .remove(Array("d".utf8)), .count, .keys,
            ]),
        Check(
            .init("BAS-11", dependsOn: ["BAS-13", "CON-19", "CON-20"], sweeps: true, profile: .core),
            due: [.retains], "Ten thousand random operations agree with a dictionary.",
            explanation: """
                20 programs of 500 operations on a dozen keys, hostile ones among them, half of the operations of all that is
                claimed, with reopening where durability is claimed; where costs are, a quarter of them in a room of 60. A \
                tenth of that where each put waits for the device.
                """
        ) { (context) throws(CheckStop) in
            try randomPrograms(context, keys: KeyPool.mixed, claims: context.claims)
        },
        Check(
            .init("BAS-12", dependsOn: ["BAS-13", "BAS-11", "CON-19", "CON-20"], sweeps: true, profile: .core),
            "Ten thousand random operations never answer what was not put.",
            explanation: """
                As BAS-11 on 200 keys, but absent is always an allowed answer, so it is due for stores that evict. \
                Witness: a hit. Finds resurrection, mixed-up and torn values.
                """
        ) { (context) throws(CheckStop) in
            var claims = context.claims
            claims.retains = false
            let isAdjustable = claims.room?.isAdjustable == true && claims.room?.units.contains(.objects) == true
            let setup = isAdjustable ? try context.room(.objects, 16).setup : CacheSetup()
            try randomPrograms(
                context, keys: (0..<200).map { Array("k\($0)".utf8) }, claims: claims, setup: setup)
        },
        Check(
            .init("BAS-13", revision: 2, sweeps: true, profile: .core),
            "All programs of few operations on two keys are answered as the claims permit.",
            explanation: """
                Every sequence of up to four puts, reads, removals and clears of two keys, but for those that differ in the \
                names of the keys alone; then every sequence of up to two of all the operations that are claimed, and as many \
                of three as there is time for. After each, both keys are read and looked for, counted and listed. The same \
                puts, reads, removals and clears in a room for one, and for both, where that can be had. Witness: a hit. Finds what takes \
                few steps that nobody thought of.
                """
        ) { (context) throws(CheckStop) in try SmallPrograms.verify(context) },
    ]

    private static func randomPrograms(
        _ context: CheckContext, keys: [[UInt8]], claims: Claims, setup: CacheSetup = CacheSetup()
    ) throws(CheckStop) {
        var generator = ProgramGenerator(claims: claims, keys: keys, random: context.generator)
        // Where costs are claimed a quarter of the programs has so little room that they matter.
        let room = claims.room
        let isWeighed = claims.claims(.cost) && room?.units.contains(.bytes) == true
        let weighed = isWeighed && room?.isAdjustable == true && room?.isStrict == true
        for number in 0..<context.rounds(20) {
            var program = generator.programOfEverything(operations: 500)
            program.setup = weighed && number % 4 == 1 ? CacheSetup(capacity: .bytes(60)) : setup
            try context.verify(program, as: claims)
        }
    }
}

/// A value that is unique by its number.
func value(_ sequence: Int, _ byteCount: Int = 32) -> Payload {
    .described(sequence: sequence, byteCount: byteCount)
}
