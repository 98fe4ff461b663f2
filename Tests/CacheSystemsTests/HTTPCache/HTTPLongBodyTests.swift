import CacheCore
import CacheEngine
import CacheSystems
import Foundation
import Synchronization
import Testing
import _CacheTestSupport

/// Bodies that turn out to be too long to be stored once they come.
@Suite("HTTPCache: bodies that are too long", .timeLimit(.minutes(10)))
struct HTTPLongBodyTests {
    private static let limit = 200_000

    private func bytesOnDisk(_ directory: TemporaryDirectory) -> Int {
        directory.files().filter { $0.contains("/bodies/") && !$0.hasSuffix("/lock") }.reduce(0) { sum, path in
            sum + (((try? FileManager.default.attributesOfItem(atPath: path))?[.size] as? Int) ?? 0)
        }
    }

    private func limited(_ options: inout HTTPCacheOptions) { options.bodyBytesMax = Self.limit }

    /// An origin of bodies without a length; the file of a name that ends in a number has so many pieces of 10 000 bytes.
    private func origin(_ given: Counter? = nil) -> FunctionOrigin {
        FunctionOrigin { request, _ in
            let pieces = Int(request.url.path.drop { !$0.isNumber }) ?? 1
            return HTTPResponse(200, fields: lasting, body: HTTPBody(MadeBody(pieces: pieces, given: given)))
        }
    }

    @Test(arguments: [true, false], [20, 21, 500])
    func `no more than the limit is written down of a body, and its reader gets all of it`(
        keepsFiles: Bool, pieces: Int
    ) async throws {
        let directory = try TemporaryDirectory()
        let given = Counter()
        let cache = try httpCache(in: directory.path, origin: origin(given)) {
            limited(&$0)
            if !keepsFiles { $0.bodyDirectory = nil }
        }
        var seen = 0
        var most = 0
        for try await chunk in try await cache.respond(to: get("/\(pieces)")).body {
            #expect(chunk.allSatisfy { $0 == chunk[0] || seen < Self.limit })
            seen += chunk.count
            most = max(most, bytesOnDisk(directory))
            // What is not kept is asked for as it is read.
            if seen > Self.limit { #expect(given.count * 10_000 <= seen + 30_000) }
        }
        try await cache.settle()
        let isStored = pieces * 10_000 <= Self.limit
        #expect(seen == pieces * 10_000 && given.count == pieces)
        #expect(most < Self.limit + 10_000)
        #expect((bytesOnDisk(directory) > 0) == (isStored && keepsFiles))
        #expect(try cache.urls().isEmpty == !isStored)
        #expect(cache.statistics[.tooLong] == (isStored ? 0 : 1) && cache.statistics[.truncated] == 0)
    }

    @Test func `no more is written down of a body than the whole store may hold`() async throws {
        let directory = try TemporaryDirectory()
        let cache = try httpCache(in: directory.path, origin: origin()) { $0.storeBytesMax = Self.limit }
        var most = 0
        var seen = 0
        for try await chunk in try await cache.respond(to: get("/100")).body {
            seen += chunk.count
            most = max(most, bytesOnDisk(directory))
        }
        try await cache.settle()
        #expect(seen == 1_000_000 && most < Self.limit && bytesOnDisk(directory) == 0)
        #expect(cache.statistics[.tooLong] == 1)
    }

    @Test func `those who share a body that is too long get all of it, at the pace of the slowest`() async throws {
        let directory = try TemporaryDirectory()
        let (pieces, input) = AsyncStream<[UInt8]>.makeStream()
        let gate = Gate()
        let origin = FunctionOrigin { _, number in
            if number > 1 { return HTTPResponse(200, fields: lasting, body: HTTPBody("another")) }
            await gate.pass()
            return HTTPResponse(200, fields: lasting, body: HTTPBody(pieces))
        }
        let cache = try httpCache(in: directory.path, origin: origin) { limited(&$0) }
        let came = Counter()
        let readers = (0..<4).map { number in
            Task {
                let response = try await cache.respond(to: get("/a"))
                came.add()
                var bytes: [UInt8] = []
                for try await chunk in response.body {
                    bytes += chunk
                    if number == 0 { try await Task.sleep(for: .milliseconds(1)) }
                }
                return bytes
            }
        }
        await pause()
        gate.open()
        while came.count < 4 { await Task.yield() }
        let whole = Self.feed(input)
        for reader in readers { #expect(try await reader.value == whole) }
        #expect(origin.questions.count == 1 && cache.statistics[.tooLong] == 1)
        #expect(try cache.urls() == [] && bytesOnDisk(directory) == 0)
        // Who comes later asks anew.
        #expect(try await cache.respond(to: get("/a")).body.bytes() == Array("another".utf8))
    }

    /// Gives a stream three million bytes; returns them.
    private static func feed(_ input: AsyncStream<[UInt8]>.Continuation) -> [UInt8] {
        let pieces = (0..<300).map { [UInt8](repeating: UInt8(truncatingIfNeeded: $0), count: 10_000) }
        for piece in pieces { input.yield(piece) }
        input.finish()
        return pieces.flatMap { $0 }
    }

    @Test func `one who takes nothing of a body that is too long does not hold up the others for ever`() async throws {
        let directory = try TemporaryDirectory()
        let (pieces, input) = AsyncStream<[UInt8]>.makeStream()
        let origin = FunctionOrigin { _, _ in HTTPResponse(200, fields: lasting, body: HTTPBody(pieces)) }
        let cache = try httpCache(in: directory.path, origin: origin) {
            limited(&$0)
            $0.slowReaderWait = .milliseconds(50)
        }
        let first = try await cache.respond(to: get("/a"))
        let second = try await cache.respond(to: get("/a"))
        #expect(second.source == .shared && origin.questions.count == 1)
        let whole = Self.feed(input)
        #expect(try await first.body.bytes() == whole)
        await #expect(throws: HTTPCacheError.leftBehind) { try await second.body.bytes() }
    }

    @Test func `when all have left a body that is too long, its origin is asked for no more of it`() async throws {
        let directory = try TemporaryDirectory()
        let ended = Switch()
        let origin = FunctionOrigin { _, _ in
            HTTPResponse(200, fields: lasting, body: HTTPBody(Endless(ended: ended)))
        }
        let cache = try httpCache(in: directory.path, origin: origin) { limited(&$0) }
        do {
            let response = try await cache.respond(to: get("/a"))
            while cache.statistics[.tooLong] == 0 { await Task.yield() }
            #expect(response.status == 200 && !ended.isRaised)
        }
        while !ended.isRaised { await Task.yield() }
    }

    @Test func `a refresh whose body has no end is given up, and what was stored goes`() async throws {
        let directory = try TemporaryDirectory()
        let ended = Switch()
        let endless = HTTPBody(Endless(ended: ended))
        let (cache, _, _) = try await cacheToRefresh(in: directory.path, with: endless) { limited(&$0) }
        #expect(try await cache.respond(to: get("/a")).body.bytes() == Array("old".utf8))
        while !ended.isRaised { await Task.yield() }
        try await cache.settle()
        #expect(try cache.urls() == [] && bytesOnDisk(directory) == 0)
        #expect(cache.statistics[.tooLong] == 1)
    }

    @Test func `a body that goes on after its length is not read to its end`() async throws {
        let directory = try TemporaryDirectory()
        let ended = Switch()
        let origin = FunctionOrigin { _, _ in
            HTTPResponse(
                200, fields: ["Cache-Control": "max-age=9", "Content-Length": "25000"],
                body: HTTPBody(Endless(ended: ended)))
        }
        let cache = try httpCache(in: directory.path, origin: origin)
        await #expect(throws: HTTPCacheError.truncated(bytes: 30_000, expected: 25_000)) {
            try await cache.respond(to: get("/a")).body.bytes()
        }
        try await cache.settle()
        #expect(ended.isRaised && bytesOnDisk(directory) == 0)
    }
}

/// A body without an end, which says when nobody wants more of it.
private struct Endless: AsyncSequence, Sendable {
    final class AsyncIterator: AsyncIteratorProtocol {
        let ended: Switch

        init(_ ended: Switch) { self.ended = ended }

        deinit { ended.raise() }

        func next() async throws -> [UInt8]? {
            try Task.checkCancellation()
            return [UInt8](repeating: 1, count: 10_000)
        }
    }

    let ended: Switch
    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(ended) }
}
