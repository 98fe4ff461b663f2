package import CacheCore
internal import CacheHarness
package import CacheSystems

/// Experiments with ExpiringDiskCache.
package enum ExpiringDiskCacheProbes {
    static let all = [
        SystemProbe("operations by threads", operationsByThreads), SystemProbe("codecs", codecs),
    ]

    // MARK: Threads

    private static let objectBytes = 1024

    /// How many reads and writes of objects of 1 KiB threads make together: of 100 operations 5 are writes, or 50. Half of the
    /// objects fit into memory.
    private static func operationsByThreads(_ setup: SystemRunSetup) throws -> [SystemFigure] {
        let operations = setup.probeCount(4000, least: 256)
        let objects = max(8, operations / 8)
        var options = ExpiringDiskCacheOptions()
        options.memoryObjectsMax = objects / 2
        let cache = try ExpiringDiskCache(options, policy: setup.policy, storage: setup.openStore(), codec: .bytes)
        for object in 0..<objects { try write(UInt32(object), version: 0, cache) }
        let drawn = setup.drawnObjects(operations, of: objects, exponent: setup.values.number("exponent"))
        var figures: [SystemFigure] = []
        for (name, writes) in [("read-mostly", 0.05), ("write-heavy", 0.5)] {
            figures += try ThreadLadder.figures("\(name) operations a second", calls: operations) { positions in
                for position in positions {
                    if setup.drawn(0x7772_6974, position) < writes {
                        try write(drawn[position], version: UInt32(position), cache)
                    } else {
                        try read(drawn[position], cache)
                    }
                }
            }
        }
        try cache.close()
        return figures
    }

    private static func write(_ object: UInt32, version: UInt32, _ cache: ExpiringDiskCache<[UInt8]>) throws {
        let payload = Payload(id: object, version: version, count: objectBytes)
        try cache.set(payload.bytes(), forKey: "object \(object)", expires: .seconds(3600))
    }

    /// Reads an object, which is there, in one of the versions that were written.
    private static func read(_ object: UInt32, _ cache: ExpiringDiskCache<[UInt8]>) throws {
        let found = try cache.object(forKey: "object \(object)") ?? []
        try require(found.count == objectBytes, "object \(object) has \(found.count) bytes")
        let payload = Payload(saidBy: found, texture: .init())
        try require(payload.id == object && payload.matches(found), "object \(object)")
    }

    // MARK: Codecs

    /// An article as an app would keep it.
    struct Article: Codable, Sendable, Equatable {
        var title: String
        var paragraphs: [String]
        var images: [Int]
        var isRead: Bool

        init(_ number: Int) {
            title = "Article \(number)"
            paragraphs = (0..<20).map {
                "Paragraph \($0) of \(number): " + String(repeating: "what was to say. ", count: 8)
            }
            images = (0..<200).map { number * 1000 + $0 }
            isRead = number.isMultiple(of: 2)
        }
    }

    /// What JSON, and a stage that changes every byte behind it, cost by the byte that is stored.
    private static func codecs(_ setup: SystemRunSetup) throws -> [SystemFigure] {
        let mask: @Sendable ([UInt8]) -> [UInt8] = { $0.map { $0 ^ 0xA5 } }
        let json = ObjectCodec<Article>.json
        return try codecFigures(
            [("JSON", json), ("JSON and a stage that masks it", json.followed(by: mask, undoneBy: mask))],
            (0..<setup.probeCount(200, least: 8)).map { Article($0) })
    }

    /// The nanoseconds a byte of encoding and decoding objects with each of some codecs, which take turns.
    package static func codecFigures<Object: Equatable>(
        _ codecs: [(name: String, codec: ObjectCodec<Object>)], _ objects: [Object]
    ) throws -> [SystemFigure] {
        let stored = try codecs.map { try objects.map($0.codec.encode) }
        let times = try ProbeRounds(ways: 2 * codecs.count) { way in
            let (name, codec) = codecs[way / 2]
            if way.isMultiple(of: 2) {
                var encoded: [[UInt8]] = []
                let time = try ProbeRounds.nanoseconds { encoded = try objects.map(codec.encode) }
                try require(encoded.map(\.count) == stored[way / 2].map(\.count), "\(name) encodes to another length")
                return time
            }
            var decoded: [Object] = []
            let time = try ProbeRounds.nanoseconds { decoded = try stored[way / 2].map(codec.decode) }
            try require(decoded == objects, "\(name) decodes something else than was encoded")
            return time
        }
        return codecs.indices.flatMap { place in
            let bytes = Double(max(1, stored[place].joined().count))
            return ["encoding", "decoding"].enumerated().map { way, verb in
                SystemFigure(
                    "\(codecs[place].name): \(verb) a byte", times.median(2 * place + way) / bytes, .nanoseconds)
            }
        }
    }
}
