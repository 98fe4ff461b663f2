import CacheCore

/// VAL: values are exact bytes up to the declared length, with their expiry.
enum ValueChecks: LetterKeys {
    /// A value that a cache may take for none, by each operation that is claimed.
    private static func everywhere(_ nothing: Payload, _ context: CheckContext) -> [CacheOperation] {
        [.put(a, nothing), .get(a)]
            + context.claimed([
                .getMany([b, a]), .load(a, Origin(.value(value(3)))), .putIfAbsent(a, value(4)),
                .exchange(a, nothing), .compareAndSet(a, expected: nothing, nothing), .take(a),
                .load(b, Origin(.value(nothing))), .update(b, .set(nothing)), .replace(b, nothing),
                .putMany([KeyedPayload(a, nothing)]), .removeMany([a]),
            ]) + [.get(a), .get(b)]
    }

    /// The word hello as zlib, gzip and Zstandard pack it, and what Python, Java, Ruby and PHP write for nothing and for false.
    private static let encoded: [[UInt8]] = [
        [0x78, 0x9C, 0xCB, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0x06, 0x2C, 0x02, 0x15],
        [
            0x1F, 0x8B, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x03, 0xCB, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0x86,
            0xA6, 0x10, 0x36, 0x05, 0x00, 0x00, 0x00,
        ],
        [0x28, 0xB5, 0x2F, 0xFD, 0x20, 0x05, 0x29, 0x00, 0x00, 0x68, 0x65, 0x6C, 0x6C, 0x6F],
        [0x80, 0x04, 0x4E, 0x2E], [0xAC, 0xED, 0x00, 0x05, 0x70], [0x04, 0x08, 0x30], [0x4E, 0x3B],
        [0x62, 0x3A, 0x30, 0x3B],
    ]

    static let all: [Check] = [
        Check(
            .init(
                "VAL-1", revision: 3, dependsOn: ["TIR-1"], profile: .core,
                source: "acl-dev/acl#320; dominictarr/hashlru#19"),
            due: [.retains],
            "An empty value is a value and not a miss.",
            explanation: """
                Stores an empty value fresh and over a longer one, and reads, compares, takes and loads one by \
                each operation that is claimed; from below memory, too. Finds stores that read nothing as absence.
                """
        ) { (context) throws(CheckStop) in
            try context.verify([
                .put(a, .bytes([])), .get(a), .contains(a), .put(b, value(1)), .put(b, .bytes([])), .get(b), .remove(a),
                .get(a), .contains(b),
            ])
            try context.verify(everywhere(.bytes([]), context))
            try context.verify(
                [.put(a, .bytes([]))] + context.claimed(if: .tiers, .dropMemory, .contains(a), .get(a), .dropMemory)
                    + [.get(a)])
        },
        Check(
            .init("VAL-2", profile: .core, source: "memcached: -I; values up to the limit"), due: [.retains],
            "Values of 1 byte to 1 MiB and one more are exact.",
            explanation: """
                Sizes around 255, 1 KiB, 4 KiB, 16 KiB, 32 KiB, 64 KiB and 1 MiB as far as the claims allow, each over the \
                one before. Finds buffers that are one short and lengths of 15 or 16 bits.
                """
        ) { (context) throws(CheckStop) in
            let middles = [128, 256, 1 << 10, 4 << 10, 8 << 10, 16 << 10, 32 << 10, 64 << 10, 1 << 20]
            let sizes = [1, 2] + middles.flatMap { [$0 - 1, $0, $0 + 1] }
            let due = sizes.filter { $0 <= context.claims.valueBytesMax }
            try context.verify(due.enumerated().flatMap { [.put(a, value($0, $1)), .get(a)] })
        },
        Check(
            .init("VAL-3", source: "groupon/node-cached#28"), due: [.retains],
            "What the caller does to its bytes afterwards changes nothing that is stored.",
            explanation: """
                Alters the array that was put, and the array that get returned, in place. Finds stores that keep an \
                address instead of a copy.
                """, body: mutation),
        Check(
            .init("VAL-4", source: "NSCache: the object itself"), due: [.feature(.references)],
            "An object that was put is itself what get returns, until it leaves.",
            explanation: """
                Puts objects, one of them over another of the same contents, reads them, removes them and looks whether \
                anybody still holds them; the same with what is cleared, expires and is evicted, as far as claimed. \
                Blocked where the instances do not conform to ObjectInstance, as in another process. Finds copies, equal \
                objects that do not replace each other, and objects that are never let go of.
                """, body: TypedValueScenarios.identity),
        Check(
            .init(
                "VAL-5", revision: 4, dependsOn: ["VAL-2", "PER-1", "TIR-1"], profile: .core, source: "jdp/redisent#3"),
            due: [.retains],
            "Values are exact bytes: NUL, line ends, and what is no UTF-8.",
            explanation: """
                All 256 bytes, NUL at either end, CR LF, invalid UTF-8, the key itself, what languages and formats write \
                for nothing, by each operation that is claimed, and what is packed or encoded; all of them once more from below \
                memory, as far as claimed. Finds values that pass through text or, there, for numbers (tedious/Stash#384), ones that are taken for absence (jaredwray/cacheable#25), and ones that reading unpacks (neomutt/neomutt#2152).
                """
        ) { (context) throws(CheckStop) in
            let values: [[UInt8]] = [
                [UInt8](0...255), [0], [0, 1], [1, 0], [1, 0, 2], [13, 10], [1, 13, 10, 2], [10], [13, 10, 13, 10],
                [32, 1, 32],
                [0xFF, 0xFE, 0xC3, 0x28], [0xEF, 0xBB, 0xBF, 1], [0xFF], [0, 0, 0, 0], a,
            ]
            let words = [
                "END\r\n", "null", "nil", "None", "undefined", "NaN", "false", "0", "-1", "{}", "[]", "\"\"", " ",
                "007", "+5",
                "-0", "1.0", "1e3",
            ]
            let all = values + words.map { Array($0.utf8) } + encoded
            try context.verify(all.flatMap { [.put(a, .bytes($0)), .get(a), .contains(a)] })
            let own = all.enumerated().map { (key: Array("value-\($0)".utf8), value: Payload.bytes($1)) }
            for way in context.upFromBelow {
                try context.verify(own.map { .put($0.key, $0.value) } + [way] + own.map { .get($0.key) })
            }
            for word in ["0", "false", "null"] {
                try context.verify(everywhere(.bytes(Array(word.utf8)), context))
            }
        },
        Check(
            .init("VAL-6", source: "hyperoslo/Cache: Transformer"), due: [.feature(.codable)],
            "A value of any Codable type is equal after a round trip, or refused by the put.",
            explanation: """
                Numbers that are none or have no end, the least and greatest integers, dates to the nanosecond, nil and \
                lists with nil, numbers as keys, special characters, 2000 levels. Blocked where the instances do not \
                conform to CodingInstance. Finds forms that lose digits, and values that can be written and not read.
                """, body: TypedValueScenarios.extremes),
        Check(
            .init("VAL-7", dependsOn: ["VAL-6"], source: "hyperoslo/Cache: Transformer"), due: [.feature(.codable)],
            "A value that is read as another type is an error or a miss, and stays.",
            explanation: """
                Reads a number as text, as a list and as a type with members, a text as a number, and then each as what it \
                is. Blocked where the instances do not conform to CodingInstance. Finds values that are reinterpreted, and \
                ones that are thrown away because somebody asked for another type.
                """, body: TypedValueScenarios.confusion),
        Check(
            .init(
                "VAL-8", dependsOn: ["VAL-2", "VAL-5"], profile: .core,
                source: "CacheLib CacheBench: values that describe themselves"),
            "Every hit carries the key, number and length that were put with it.",
            explanation: """
                300 values that describe themselves, of random sizes, over 40 keys, read in another order. Witness: a hit. \
                Finds torn, mixed-up and stale values even in stores that evict.
                """
        ) { (context) throws(CheckStop) in
            var random = context.generator
            let keys = (0..<40).map { Array("described-\($0)".utf8) }
            let steps = (0..<300).flatMap { sequence -> [CacheOperation] in
                let size = min(24 + random.next(below: 12_000), context.claims.valueBytesMax)
                let put = CacheOperation.put(keys[random.next(below: keys.count)], value(sequence, size))
                return [put, .get(keys[random.next(below: keys.count)])]
            }
            try context.verify(steps + keys.reversed().map { .get($0) })
        },
        Check(
            .init("VAL-9", revision: 2, source: "memcached: -I; values up to the limit"),
            "A value above the limit is refused, and the old one is gone.",
            explanation: """
                The limit itself is stored where it is at most 2 MiB; one byte more throws valueRefused, or is \
                told not stored among several, and leaves nothing behind, so that nobody reads yesterday's value \
                as today's. Witness: the old value was found. Blocked where the limit is above 64 MiB: open the \
                subject with a smaller one.
                """, body: limit),
        Check(
            .init("VAL-10", revision: 3), due: [.feature(.storedExpiry)],
            "The time of expiry is kept to the nanosecond and belongs to the value it came with.",
            explanation: """
                None, past, future, zero, negative and extreme times, overwritten by each other. Whoever owns \
                the clock decides; the backend only keeps the number. Witness: a hit.
                """
        ) { (context) throws(CheckStop) in
            let moments: [Int64?] = [
                1_800_000_000_123_456_789, nil, 1, 0, -1, Int64.max, nil, Int64.min, 1 << 53 + 1, 4_294_967_296,
            ]
            try context.verify(
                moments.enumerated().flatMap { (index, moment) -> [CacheOperation] in
                    [.put(a, value(index), expiresAtNanoseconds: moment), .get(a)]
                })
        },
        Check(
            .init("VAL-11", source: "awolverp/cachebox#84"), due: [.feature(.references)],
            "An object may use the cache as its life ends.",
            explanation: """
                An object whose deinit reads from the cache is overwritten, removed, cleared, expires and is evicted, as far as \
                claimed; each step is answered. Finds values that are let go of while a lock is held (awolverp/cachebox#84).
                """, body: TypedValueScenarios.endsAsk),
    ]

    private static func limit(_ context: CheckContext) throws(CheckStop) {
        let limit = context.claims.valueBytesMax
        if limit > 64 << 20, context.claims.deviates(.limitsAreNotEnforced) {
            throw .notClaimed("by the deviation \(Deviation.limitsAreNotEnforced.rawValue)")
        }
        guard limit <= 64 << 20 else { throw .blocked("the claimed limit of \(limit) bytes, too long to try") }
        let whole: [CacheOperation] = limit <= 2 << 20 ? [.put(b, value(3, limit)), .get(b)] : []
        try context.verify(
            [.put(a, value(1)), .get(a), .put(a, value(2, limit + 1)), .get(a), .put(a, value(4)), .get(a)] + whole)
        guard limit <= 2 << 20 else { return }
        for bulk in context.claimed([.putMany([KeyedPayload(a, value(5)), KeyedPayload(b, value(6, limit + 1))])]) {
            try context.verify([.put(b, value(3)), bulk, .get(a), .get(b)], witness: .none)
        }
    }

    private static func mutation(_ context: CheckContext) throws(CheckStop) {
        let steps = ["put value 1", "alter the array that was put", "get", "alter the array that get returned", "get"]
        let equal = try context.expecting("no error", steps: steps) { () throws(StoreError) in
            let sandbox = try Sandbox(needsDirectory: context.subject.needsDirectory)
            defer { sandbox.end() }
            let store = try context.open(in: sandbox.directory)
            var bytes = value(1, 64).bytes(for: a)
            let original = bytes.map { $0 }
            try store.put(StoredEntry(bytes), for: a)
            for index in bytes.indices { bytes[index] ^= 0xFF }
            let first = try store.get(a)?.value
            var returned = try store.get(a)?.value ?? []
            for index in returned.indices { returned[index] ^= 0x0F }
            let second = try store.get(a)?.value
            withExtendedLifetime((bytes, returned)) {}
            try store.close()
            return (first: first == original, second: second == original)
        }
        try context.require(
            equal.first && equal.second, observed: "another value after step \(equal.first ? 4 : 2)",
            permitted: "value 1 (64 bytes)", steps: steps)
    }
}
