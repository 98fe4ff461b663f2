internal import CacheCore
internal import CacheHarness
internal import CacheSystems

/// Stores and reads a body that is far too long for memory: 1 GiB at full scale.
package enum LongBodyProbe {
    static func figures(_ setup: SystemRunSetup) throws -> [SystemFigure] {
        let pieces = setup.probeCount(16_384, least: 64)
        let bytes = pieces * LongBody.pieceBytes
        let cache = try setup.openWebCache(origin: LongBodyOrigin(pieces: pieces))
        let (stored, read) = try awaited {
            let stored = try await pass(cache, pieces, from: .origin)
            while cache.isBusy { await Task.yield() }
            return (stored, try await pass(cache, pieces, from: .fresh))
        }
        try cache.close()
        let grown = [("storing", stored.grownBytes), ("reading", read.grownBytes)]
        for (_, grownBytes) in grown { try judge(grownBytes ?? 0, of: bytes) }
        return [
            SystemFigure("a long body", Double(bytes), .bytes),
            SystemFigure("storing a long body", Double(bytes) / stored.seconds, .bytesPerSecond),
            SystemFigure("reading a long body", Double(bytes) / read.seconds, .bytesPerSecond),
        ]
            + grown.compactMap { way, grownBytes in
                grownBytes.map { SystemFigure("memory grown by \(way) it", Double($0), .bytes) }
            }
    }

    /// Holds it against a cache that memory grew with a body. Of a body that is not much longer than what an allocator keeps for itself,
    /// that cannot be told.
    ///
    /// - Throws: `AssayError` of code `verdict` if it grew by a quarter of the body.
    package static func judge(_ grownBytes: Int, of bodyBytes: Int) throws {
        try require(
            bodyBytes < 256 << 20 || grownBytes < bodyBytes / 4,
            "memory grew by \(grownBytes) bytes over a body of \(bodyBytes), which it must not hold")
    }

    /// Asks for the body and verifies all of it as it comes; looks at the memory of the process now and then, where that can be done.
    private static func pass(
        _ cache: HTTPCache, _ pieces: Int, from source: HTTPSource
    ) async throws -> (seconds: Double, grownBytes: Int?) {
        let before = ProcessMemory.residentSetBytes()
        var most = before
        var verifier = LongBody.Verifier()
        var chunks = 0
        let clock = ContinuousClock()
        let start = clock.now
        let response = try await cache.respond(to: HTTPRequest("GET", LongBodyOrigin.address))
        try require(response.source == source, "a long body comes from \(response.source), not \(source)")
        for try await chunk in response.body {
            try verifier.take(chunk)
            chunks += 1
            if chunks.isMultiple(of: 16), let now = ProcessMemory.residentSetBytes() { most = max(most ?? 0, now) }
        }
        try verifier.end(after: pieces)
        let seconds = max(1e-9, (clock.now - start) / .seconds(1))
        return (seconds, before.flatMap { before in most.map { $0 - before } })
    }
}

/// A body that is made piece by piece while it is read.
package struct LongBody: AsyncSequence, Sendable {
    /// A piece of the body.
    package typealias Element = [UInt8]
    static let pieceBytes = 64 << 10

    let pieces: Int

    /// A body of so many pieces of 64 KiB.
    package init(pieces: Int) { self.pieces = pieces }

    private static func payload(_ piece: Int) -> Payload {
        Payload(id: ObjectID(piece), version: 0, count: pieceBytes)
    }

    /// Makes the pieces.
    package struct Iterator: AsyncIteratorProtocol {
        let pieces: Int
        private var made = 0

        init(pieces: Int) { self.pieces = pieces }

        /// The next piece.
        package mutating func next() async throws -> [UInt8]? {
            guard made < pieces else { return nil }
            made += 1
            return LongBody.payload(made - 1).bytes()
        }
    }

    /// Begins to make them.
    package func makeAsyncIterator() -> Iterator { Iterator(pieces: pieces) }

    /// Holds a body, in whatever chunks it comes, against what it must be.
    package struct Verifier {
        private var rest: [UInt8] = []
        private var piece = 0

        /// Nothing has come yet.
        package init() {}

        /// Verifies as many pieces as are whole with this chunk.
        package mutating func take(_ chunk: [UInt8]) throws {
            if rest.isEmpty, chunk.count == LongBody.pieceBytes { return try verify(chunk) }
            rest += chunk
            while rest.count >= LongBody.pieceBytes {
                try verify(Array(rest.prefix(LongBody.pieceBytes)))
                rest.removeFirst(LongBody.pieceBytes)
            }
        }

        private mutating func verify(_ bytes: [UInt8]) throws {
            try require(LongBody.payload(piece).matches(bytes), "piece \(piece) of a long body")
            piece += 1
        }

        /// Verifies that there were so many pieces, and nothing after them.
        package func end(after pieces: Int) throws {
            try require(
                piece == pieces && rest.isEmpty, "\(piece) of \(pieces) pieces of a long body, and \(rest.count) bytes")
        }
    }
}

/// The origin of a long body.
private struct LongBodyOrigin: HTTPOrigin {
    static let address = HTTPURL("https://origin.example/long")!

    let pieces: Int

    func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        let bytes = pieces * LongBody.pieceBytes
        return HTTPResponse(
            200, fields: ["Cache-Control": "max-age=600", "Content-Length": "\(bytes)"],
            body: HTTPBody(LongBody(pieces: pieces), length: bytes))
    }
}
