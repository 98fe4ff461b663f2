import CacheCore

/// MIG: stores that a program of another version wrote.
enum MigrationChecks: LetterKeys {
    private static let keys = (0..<12).map { Array("old-\($0)".utf8) }

    private static func check(
        _ head: Check.Head, due claims: [Claim] = [], _ assertion: String, explanation: String,
        body: @escaping @Sendable (CheckContext, Claims.Formats) throws(CheckStop) -> Void
    ) -> Check {
        Check(head, due: [.durability(.exit), .migrates] + claims, assertion, explanation: explanation) {
            (context) throws(CheckStop) in
            guard context.subject.needsDirectory else { throw .blocked("the subject has no directory") }
            try body(context, context.claims.formats!)
        }
    }

    static let all: [Check] = [
        check(
            .init("MIG-1", source: "hyperoslo/Cache#295"),
            "An entry of an older store has all that belongs to it in the newest, or is gone whole.",
            explanation: """
                A program of each older version stores entries of all sizes, and tags, costs, groups and moments as far as \
                they are claimed, with names of all kinds; the newest reads them, removes by tag and adds up, at once and \
                after another opening. \
                Then the same with random operations. Witness: a hit. Finds schema changes that drop all entries, or one \
                field of each.
                """
        ) { (context, formats) throws(CheckStop) in
            for version in formats.older { try fields(context, CacheSetup(format: version)) }
        },
        check(
            .init("MIG-2", dependsOn: ["MIG-1"], source: "onevcat/Kingfisher#1152"), due: [.feature(.timeToLive)],
            "A deadline means the same moment in the newest version.",
            explanation: """
                Entries with and without an end; a part of their time passes before the older store is opened by the \
                newest program, the rest afterwards. Witness: a hit. Finds times that are read as another kind of time, so \
                that everything expires at an upgrade, or nothing ever does.
                """
        ) { (context, formats) throws(CheckStop) in
            for version in formats.older {
                try context.verify(
                    [
                        put(a, 1, lives: 100), .put(b, value(2)), put(keys[0], 3, lives: 30), .advance(nanoseconds: 40),
                        .upgrade, .get(a), .get(b), .get(keys[0]), .advance(nanoseconds: 59), .get(a), .reopen,
                        .get(a), .advance(nanoseconds: 1), .get(a), .get(b), .contains(a),
                    ], setup: CacheSetup(format: version))
            }
        },
        check(
            .init("MIG-3", source: "hyperoslo/Cache#295"),
            "A store of a version that is not known yet is refused and left as it is.",
            explanation: """
                A program of the version after the newest stores an entry; the newest program throws when it opens the \
                store, and no file has changed. Witness: the later program finds its entry again. Finds programs that read \
                what they do not know, and ones that tidy it away.
                """
        ) { (context, formats) throws(CheckStop) in
            try FormatScenario(context).refuses(writer: formats.newest + 1, reader: nil)
        },
        check(
            .init("MIG-4", dependsOn: ["MIG-1"], source: "hyperoslo/Cache#295"),
            "An older entry that cannot be decoded is absent, can be removed and can be put anew.",
            explanation: """
                One byte of a value in the files of an older store is changed. The newest program opens the store; the \
                entry is no wrong value; to remove it, to put it and to read it then are no errors, and another entry is \
                whole or absent. Blocked where the value's bytes do not lie in the files as they are. Finds removals that \
                need to decode what they remove.
                """
        ) { (context, formats) throws(CheckStop) in
            for version in formats.older { try FormatScenario(context).undecodable(version) }
        },
        check(
            .init("MIG-5", dependsOn: ["MIG-1"]), due: [.durability(.kill)],
            "An upgrade that is killed on its way is taken up again.",
            explanation: """
                A child process opens an older store with the newest program, reads once, and is killed at 12 moments or \
                more; then the store is opened again, and each entry is what it was. Witness: a kill came before the read \
                was answered. Finds upgrades that write over what they read.
                """
        ) { (context, formats) throws(CheckStop) in
            for version in formats.older {
                try KillScenario(context, formats.keepsEntries ? .exact : .anyWhole).runOpening(filledBy: version)
            }
        },
        check(
            .init("MIG-6", dependsOn: ["MIG-1"]),
            "A program of an older version does to a store of the newest what is claimed.",
            explanation: """
                The newest program stores an entry, and that of each older version opens the store. As claimed, it throws \
                and leaves every file as it is, or serves each entry whole or not at all and takes new ones. Witness: the \
                newest program finds its entry. Finds old programs that take a new store for an empty one and write over it.
                """
        ) { (context, formats) throws(CheckStop) in
            for version in formats.older {
                guard formats.opensNewer else {
                    try FormatScenario(context).refuses(writer: nil, reader: version)
                    continue
                }
                try FormatScenario(context).servesWhole(version)
            }
        },
    ]

    private static func fields(_ context: CheckContext, _ setup: CacheSetup) throws(CheckStop) {
        let moments: [Int64?] =
            context.claims.claims(.storedExpiry) ? [nil, 1, .max, 1_800_000_000_123_456_789] : [nil]
        let puts = keys.enumerated().map { index, key in
            CacheOperation.put(
                key, value(index, [24, 300, 5_000, 40_000][index % 4]),
                expiresAtNanoseconds: moments[index % moments.count])
        }
        let reads = keys.map { CacheOperation.get($0) }
        let lists: [CacheOperation] = context.claims.iterates ? [.count, .keys] : []
        try context.verify(
            puts + [.remove(keys[3]), .upgrade] + lists + reads + [.put(keys[0], value(90)), .reopen] + reads,
            setup: setup)
        // As the upgrade has it in memory, and as it has written it.
        for upgrade: [CacheOperation] in [[.upgrade], [.upgrade, .reopen]] { try names(context, setup, upgrade) }
        if context.claims.claims(.cost), context.claims.room?.units.contains(.bytes) == true {
            var (room, _) = try context.room(.bytes, 100)
            room.format = setup.format
            let heavy = [(a, 30), (b, 50)].map { key, cost in
                CacheOperation.put(key, value(cost), terms: PutTerms(cost: cost))
            }
            for upgrade: [CacheOperation] in [[.upgrade], [.upgrade, .reopen]] {
                try context.verify(heavy + upgrade + [.get(a), .cost, .remove(a), .cost], setup: room)
            }
        }
        var random = ProgramGenerator(claims: context.claims, keys: keys, random: context.generator)
        for _ in 0..<10 {
            var program = random.programOfEverything(operations: 40)
            program.setup = setup
            program.operations += [.upgrade] + reads
            try context.verify(program, witness: .none)
        }
    }

    /// Keys of all kinds, tags and groups.
    private static func names(
        _ context: CheckContext, _ setup: CacheSetup, _ upgrade: [CacheOperation]
    ) throws(CheckStop) {
        let mixed = KeyPool.mixed.filter { !$0.isEmpty && $0.count <= context.claims.keyBytesMax }
        let puts = mixed.enumerated().map { CacheOperation.put($1, value($0)) }
        try context.verify(
            puts + upgrade + mixed.map { .get($0) }, setup: setup,
            witness: context.claims.formats?.keepsEntries == true ? .hits(1) : .none)
        if context.claims.claims(.tags) {
            let tagged = CacheOperation.put(a, value(1), terms: PutTerms(tags: ["s", "t"]))
            let end: [CacheOperation] = [.removeTagged("t"), .get(a), .get(b)]
            try context.verify([tagged, .put(b, value(2))] + upgrade + end, setup: setup)
        }
        guard context.claims.claims(.groups) else { return }
        let places = ["g", "h"].map { CacheOperation.within(group: $0, .put(a, value(1))) }
        let looks = ["g", "h", "G"].map { CacheOperation.within(group: $0, .get(a)) }
        try context.verify(places + [.put(a, value(2))] + upgrade + [.get(a)] + looks, setup: setup)
    }
}
