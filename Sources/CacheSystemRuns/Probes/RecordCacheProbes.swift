package import CacheCore
internal import CacheHarness
package import CacheSystems

/// Experiments with RecordCache.
package enum RecordCacheProbes {
    static let all = [
        SystemProbe("thresholds of memory", thresholds), SystemProbe("schemas", schemas),
        SystemProbe("hashes") { setup in
            try hashFigures((0..<setup.probeCount(50_000, least: 1000)).map(hashed)) { $0.hashValue }
        },
    ]

    // MARK: Thresholds

    private struct Blob: CacheRecord, Equatable {
        var number: Int
        var body: [UInt8]

        /// Bodies of 48 bytes to 12 KiB, as many of each length.
        init(_ number: Int) {
            self.number = number
            body = Payload(id: ObjectID(number), version: 0, count: 48 << (number % 9)).bytes()
        }
    }

    /// What memory holds, and how many reads it answers, when records above some length are kept out of it. It has room for a quarter
    /// of all.
    private static func thresholds(_ setup: SystemRunSetup) throws -> [SystemFigure] {
        let records = setup.probeCount(1800, least: 90)
        let blobs = (0..<records).map(Blob.init)
        let reads = setup.drawnObjects(10 * records, of: records, exponent: 0.8).map(Int.init)
        return try [256, 1024, 4096, 16_384].flatMap { threshold in
            var setup = setup
            setup.directory += "/\(threshold)"
            return try figures(of: threshold, blobs, reads, setup)
        }
    }

    private static func figures(
        of threshold: Int, _ blobs: [Blob], _ reads: [Int], _ setup: SystemRunSetup
    ) throws -> [SystemFigure] {
        var options = RecordCacheOptions("blobs")
        options.memoryEntryBytesMax = threshold
        options.memoryBytesMax = blobs.reduce(0) { $0 + $1.body.count } / 4
        let cache = try RecordCache(options, policy: setup.policy, storage: setup.openStore())
        let group = cache.group("blobs")
        for blob in blobs { try group.set(blob, forKey: "\(blob.number)") }
        var fromMemory = 0
        for number in reads {
            if group.isInMemory("\(number)") { fromMemory += 1 }
            let found = try group.value(forKey: "\(number)", as: Blob.self)
            try require(found == blobs[number], "blob \(number)")
        }
        let held = blobs.filter { group.isInMemory("\($0.number)") }.map(\.body.count)
        try require(held.allSatisfy { $0 <= threshold }, "memory holds what is longer than \(threshold) bytes")
        try cache.close()
        return [
            SystemFigure("in memory at a threshold of \(threshold)", Double(held.reduce(0, +)), .bytes),
            SystemFigure("read from memory at a threshold of \(threshold)", fromMemory, of: reads.count),
        ]
    }

    // MARK: Schemas

    /// What it costs to store and read records by schemas that are recorded by themselves, against plain `Codable`: the encoder of the
    /// platform, which makes JSON.
    private static func schemas(_ setup: SystemRunSetup) throws -> [SystemFigure] {
        let books = (0..<setup.probeCount(1000, least: 50)).map { BookSchemaVersions.v1($0, hasPages: true) }
        let cache = try RecordCache(RecordCacheOptions("books"), policy: setup.policy, storage: setup.openStore())
        let json = ObjectCodec<BookSchemaVersions.V1>.json
        let stored = try books.map { try cache.bytes(of: $0) }
        let texts = try books.map(json.encode)
        func decoding(_ body: () throws -> [BookSchemaVersions.V1]) throws -> Double {
            var decoded: [BookSchemaVersions.V1] = []
            let time = try ProbeRounds.nanoseconds { decoded = try body() }
            try require(decoded == books, "a book is decoded as another")
            return time
        }
        let times = try ProbeRounds(ways: 4) { way in
            switch way {
            case 0: try ProbeRounds.nanoseconds { for book in books { _ = try cache.bytes(of: book) } }
            case 1: try ProbeRounds.nanoseconds { for book in books { _ = try json.encode(book) } }
            case 2: try decoding { try stored.map { try cache.value(of: $0) } }
            default: try decoding { try texts.map(json.decode) }
            }
        }
        try cache.close()
        let count = Double(books.count)
        return [
            SystemFigure("encoding a record", times.median(0) / count, .nanoseconds),
            SystemFigure("decoding a record", times.median(2) / count, .nanoseconds),
            SystemFigure("encoding, against plain Codable to JSON", times.medianRatio(0, over: 1), .times),
            SystemFigure("decoding, against plain Codable from JSON", times.medianRatio(2, over: 3), .times),
            SystemFigure("bytes stored, of those of JSON", stored.joined().count, of: texts.joined().count),
        ]
    }

    // MARK: Hashes

    /// Records of which no two are equal: books, and every other time one of two fields with the same text, which cancel out in a hash
    /// that is the exclusive or of those of the fields.
    package static func hashed(_ number: Int) throws -> RecordValue {
        guard number.isMultiple(of: 2) else {
            return try RecordValue(of: BookSchemaVersions.v1(number, hasPages: true))
        }
        let text = BookSchemaVersions.title(number)
        return try RecordValue(of: ["heading": text, "spine": text])
    }

    /// What a hash costs, and how many of the records have that of another.
    package static func hashFigures(
        _ values: [RecordValue], _ hash: (RecordValue) -> Int
    ) throws -> [SystemFigure] {
        var hashes: [Int] = []
        let times = try ProbeRounds { _ in
            let before = hashes
            let time = ProbeRounds.nanoseconds { hashes = values.map(hash) }
            try require(before.isEmpty || before == hashes, "a record has another hash each time")
            return time
        }
        return [
            SystemFigure("hash of a record", times.median() / Double(max(1, values.count)), .nanoseconds),
            SystemFigure("hashes that collided", values.count - Set(hashes).count, of: values.count),
        ]
    }
}
