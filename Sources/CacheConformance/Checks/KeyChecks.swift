import CacheCore

/// KEY: keys are exact bytes, of any kind, up to the declared length.
enum KeyChecks {
    static let all: [Check] = [
        Check(
            .init("KEY-1", revision: 2, profile: .core, source: "memcached, Redis: a key of no bytes"),
            "The empty key works, or is refused as the claims say.",
            explanation: """
                Where it is allowed it is a key like any other; where not, put throws keyRefused and nothing is \
                stored. Witness: another key is found.
                """
        ) { (context) throws(CheckStop) in
            let a = Array("a".utf8)
            try context.verify([
                .get([]), .put(a, value(1)), .put([], value(2)), .get([]), .get(a), .contains([]), .put([], value(3)),
                .get([]), .remove([]), .get([]), .get(a),
            ])
        },
        distinct(
            .init("KEY-2", revision: 3, dependsOn: ["PER-1", "TIR-1"], profile: .core, source: "AFCache 0e5eb13"),
            "Keys of every length up to the limit are exact, and longer ones are refused.",
            explanation: """
                Two keys of each length around 8, 16, … 65536 and the limit, equal but for the last byte; then \
                one byte more than the limit. Finds names cut to 255 bytes, long keys that are not stored in \
                silence, and paths beyond the system's limit. Witness: a hit.
                """
        ) { context in
            KeyPool.lengths(upTo: context.claims.keyBytesMax)
                + (context.claims.keyBytesMax < 1 << 20
                    ? [[UInt8](repeating: 0x6B, count: context.claims.keyBytesMax + 1)] : [])
        },
        distinct(
            .init(
                "KEY-3", revision: 3, dependsOn: ["PER-1", "TIR-1"], profile: .core,
                source: "stephanenicolas/robospice#97"),
            "Path-hostile keys are distinct and stay inside the store's directory.",
            explanation: """
                Separators, dots, drive letters, device names, trailing spaces, percent escapes, and names that are too long for a \
                file, whole or after the last dot (SDWebImage/SDWebImage#2444). After the run nothing may \
                lie beside or above the store's directory. As in each check of many keys what lies below memory is read too, as far as \
                claimed. Witness: a hit. Finds keys used as paths, and names that mean another key when they are read back \
                (fangfufu/httpdirfs#128).
                """
        ) { context in
            KeyPool.pathHostile + KeyPool.unfileable.filter { $0.count <= context.claims.keyBytesMax }
        },
        distinct(
            .init(
                "KEY-4", revision: 2, dependsOn: ["PER-1", "TIR-1"], profile: .core,
                source: "symfony/symfony#20453, JakeWharton/DiskLruCache#73"),
            "Keys that differ in case alone are distinct.",
            explanation: "ASCII and beyond. Witness: a hit. Finds file names on file systems that fold case."
        ) { _ in KeyPool.casePairs },
        distinct(
            .init("KEY-5", revision: 3, dependsOn: ["PER-1", "TIR-1"], source: "Swift: String equality is canonical"),
            "Keys of different bytes are distinct although Unicode calls them equal.",
            explanation: """
                Composed and decomposed letters, compatibility forms, joiners, marks of direction, escapes. Witness: a hit. Finds \
                keys that pass through String or through a file system that normalises, and ones that are written in ASCII \
                (Beaker 1.14).
                """
        ) { _ in KeyPool.unicode },
        distinct(
            .init(
                "KEY-6", revision: 2, dependsOn: ["PER-1", "TIR-1"], profile: .core, source: "vertx-redis-client#502"),
            "Keys are exact bytes: NUL, line ends, and what is no UTF-8.",
            explanation: """
                Every single byte, bytes around NUL and CR LF, invalid and overlong UTF-8. Witness: a hit. Finds keys that \
                pass through C strings or decoding with replacement.
                """
        ) { _ in KeyPool.binary },
        Check(
            .init("KEY-7", revision: 2, dependsOn: ["PER-1", "TIR-1"], source: "dgraph-io/ristretto#30"),
            "Keys with equal hashes do not see each other's values.",
            explanation: """
                Pairs that collide under MD5, CRC-32, FNV-1a, Java's and Bernstein's hashes, sums and exclusive-ors, and \
                keys equal in their first or last 8 or 16 bytes. Witness: a hit. Finds stores that take a digest for the key. \
                Where collide is claimed, the same keys follow in a cache whose hash has few values, and are overwritten, looked for \
                before they are put, and removed after others took their places. Finds caches that compare keys by their hash alone.
                """
        ) { (context) throws(CheckStop) in
            try context.verify(distinct(KeyPool.colliding, context.upFromBelow))
            guard context.claims.claims(.collide) else { return }
            var setup = CacheSetup()
            setup.collide = true
            let (all, some) = (KeyPool.colliding, Array(KeyPool.colliding.prefix(9)))
            for key in some {
                let others = some.filter { $0 != key }
                try context.verify(
                    [.put(key, value(1))] + others.flatMap { [.get($0), .remove($0), .contains($0)] }
                        + [.put(key, value(2)), .get(key)], setup: setup)
            }
            let again = all.enumerated().map { CacheOperation.put($1, value(100 + $0)) }
            try context.verify(distinct(all) + again + again.reversed() + distinct(all.reversed()), setup: setup)
        },
        distinct(
            .init("KEY-8", revision: 3, dependsOn: ["PER-1", "TIR-1"], source: "kvcache-ai/Mooncake#2980"),
            "Families of keys that differ in one character do not mix.",
            explanation: """
                4000 keys in two families: one varying digit, and chains of prefixes (400 where each put waits \
                for the device). Witness: a hit. Finds truncated digests, and separators that are taken for \
                structure.
                """
        ) { context in KeyPool.families(context.claims.durability == .power ? 400 : 4_000) },
        Check(
            recording: .survey, .init("KEY-9", profile: .experimental, source: "hash flooding: CVE-2011-4815"),
            "The cost of keys that hash functions find hard.",
            explanation:
                "Times 2000 keys of one pattern against 2000 random ones and records whether it is over 8 times."
        ) { (context) throws(CheckStop) in try flood(context) },
        Check(
            .init(
                "KEY-10", revision: 2, dependsOn: ["PER-1", "TIR-1"], profile: .core,
                source: "ECMA-262: Object.prototype; PHP: numeric strings as keys of arrays"),
            "Keys that read as one number, or name what objects have, are distinct, and absent until they are put.",
            explanation: """
                Looks for each, puts them, and looks for them again. Witness: a hit. Finds keys that become numbers, and \
                objects of a language that are taken for empty maps.
                """
        ) { (context) throws(CheckStop) in
            try context.verify(KeyPool.lookalikes.map { .get($0) } + distinct(KeyPool.lookalikes, context.upFromBelow))
        },
    ]

    /// A check that stores a value under each key, reads all, removes every other one and reads all again, from below memory too.
    private static func distinct(
        _ head: Check.Head, _ assertion: String, explanation: String,
        keys: @escaping @Sendable (CheckContext) -> [[UInt8]]
    ) -> Check {
        Check(head, assertion, explanation: explanation) { (context) throws(CheckStop) in
            try context.verify(distinct(keys(context), context.upFromBelow))
        }
    }

    private static func distinct(_ keys: [[UInt8]], _ ways: [CacheOperation] = []) -> [CacheOperation] {
        let puts = keys.enumerated().map { CacheOperation.put($1, value($0)) }
        let removes = keys.enumerated().filter { $0.offset % 2 == 0 }.map { CacheOperation.remove($0.element) }
        let reads = keys.map { CacheOperation.get($0) }
        let again = ways.flatMap { [$0] + reads }
        return puts + [.keys] + reads + again + removes + reads + again + keys.map { .contains($0) }
    }

    private static func flood(_ context: CheckContext) throws(CheckStop) -> String {
        var random = context.generator
        let plain = (0..<2_000).map { _ in bytes(random.next()) }
        let patterned = (0..<2_000).map { bytes(UInt64($0) << 40) }
        let slow = try time(patterned, context)
        let fast = try time(plain, context)
        return slow > fast * 8
            ? "patterned keys cost more than 8 times as much as random ones"
            : "patterned keys cost at most 8 times as much as random ones"
    }

    private static func time(_ keys: [[UInt8]], _ context: CheckContext) throws(CheckStop) -> Duration {
        let program = Program(keys.enumerated().map { .put($1, value($0, 8)) } + keys.map { .get($0) })
        let runner = ProgramRunner(subject: context.subject, claims: context.claims)
        var best = Duration.seconds(3_600)
        for _ in 0..<(context.claims.durability == .power ? 1 : 3) {
            let clock = ContinuousClock()
            let start = clock.now
            guard runner.run(program).divergence == nil else {
                throw .blocked("not all of 2000 keys are there")
            }
            best = min(best, clock.now - start)
        }
        return best
    }

    private static func bytes(_ word: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * $0)) }
    }
}
