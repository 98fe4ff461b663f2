import CacheCore
import CacheSystems
import Foundation
import Testing
import _CacheTestSupport

@Suite("What is damaged of a long body is never served")
struct BodyFileTests {
    /// Three segments, of which the last is short.
    private static let body = (0..<150_000).map { UInt8(truncatingIfNeeded: $0 / 7) }

    /// A cache that has one long body, and the file where that lies.
    private func stored(in directory: TemporaryDirectory, _ body: [UInt8]) throws -> String {
        let cache = try open(directory)
        try cache.store(HTTPResponse(200, fields: lasting), body: body, for: get("/a"))
        try cache.close()
        return try #require(directory.files().first { $0.contains("/bodies/body-") })
    }

    private func open(_ directory: TemporaryDirectory) throws -> HTTPCache {
        try httpCache(in: directory.path, origin: FunctionOrigin { _, _ in HTTPResponse(200, body: HTTPBody("new")) })
    }

    private func change(_ file: String, _ body: (inout Data) -> Void) throws {
        var data = try Data(contentsOf: URL(filePath: file))
        body(&data)
        try data.write(to: URL(filePath: file))
    }

    @Test(arguments: [101, 65_535, 65_536, 65_537, 131_072, 150_000])
    func `a body of any length is what it was, in whole and in parts`(length: Int) async throws {
        let directory = try TemporaryDirectory()
        let body = Array(Self.body.prefix(length))
        _ = try stored(in: directory, body)
        let cache = try open(directory)
        #expect(try await cache.respond(to: get("/a")).body.bytes() == body)
        #expect(try cache.storedBody(for: get("/a")) == body)
        for first in Set([0, 1, 65_535, 65_536, length - 1]).filter({ $0 < length }) {
            for last in Set([first, min(first + 70_000, length - 1), length - 1]) {
                let part = try await cache.respond(to: get("/a", ["Range": "bytes=\(first)-\(last)"]))
                #expect(try await part.body.bytes() == Array(body[first...last]), "\(first) to \(last) of \(length)")
            }
        }
    }

    @Test(arguments: [0, 40, 65_535, 65_536])
    func `damage at the beginning, and another length, are a miss`(position: Int) async throws {
        for damage in 0..<2 {
            let directory = try TemporaryDirectory()
            let file = try stored(in: directory, Self.body)
            try change(file) { if damage == 0 { $0[position] ^= 8 } else { $0.remove(at: position) } }
            let cache = try open(directory)
            let response = try await cache.respond(to: get("/a"))
            #expect(try await response.body.bytes() == Array("new".utf8))
            #expect(cache.statistics[.damaged] == 1)
        }
    }

    @Test(arguments: [65_544, 100_000, 131_087, 131_088, 150_000, 150_023])
    func `damage further on ends the answer, and the next is from the origin`(position: Int) async throws {
        let directory = try TemporaryDirectory()
        try change(stored(in: directory, Self.body)) { $0[position] ^= 1 }
        let cache = try open(directory)
        let response = try await cache.respond(to: get("/a"))
        var seen: [UInt8] = []
        await #expect(throws: HTTPCacheError.damaged) { for try await piece in response.body { seen += piece } }
        #expect(Self.body.starts(with: seen) && seen.count >= 65_536)
        #expect(try await cache.respond(to: get("/a")).body.bytes() == Array("new".utf8))
        #expect(cache.statistics[.damaged] == 1)
    }

    @Test func `segments that change places, and those of another body, are noticed`() async throws {
        let sealed = 65_536 + 8
        for from in [1, 2] {
            let directory = try TemporaryDirectory()
            let file = try stored(in: directory, Array(Self.body.prefix(131_072)) + Self.body.prefix(65_536))
            try change(file) { $0.replaceSubrange(0..<sealed, with: $0[(from * sealed)..<((from + 1) * sealed)]) }
            let response = try await open(directory).respond(to: get("/a"))
            #expect(try await response.body.bytes() == Array("new".utf8))
        }
        let directory = try TemporaryDirectory()
        let cache = try open(directory)
        for (path, byte) in [("/a", 1), ("/b", 2)] as [(String, UInt8)] {
            let body = [UInt8](repeating: byte, count: 1000)
            try cache.store(HTTPResponse(200, fields: lasting), body: body, for: get(path))
        }
        let files = directory.files().filter { $0.contains("/bodies/body-") }
        try FileManager.default.removeItem(atPath: files[0])
        try FileManager.default.copyItem(atPath: files[1], toPath: files[0])
        for path in ["/a", "/b"] {
            let body = try await cache.respond(to: get(path)).body.bytes()
            #expect(body == Array("new".utf8) || body == [UInt8](repeating: path == "/a" ? 1 : 2, count: 1000))
        }
        #expect(cache.statistics[.damaged] == 1)
    }

    /// A sealing that looks at nothing, to show that the tests above would notice.
    @Test func `without checksums damage would be served`() async throws {
        struct Bare: BodySealing, SegmentSealing {
            let headBytes = 0
            let overheadBytes = 0
            func begin(_ number: UInt64) -> (head: [UInt8], segments: any SegmentSealing) { ([], self) }
            func resume(_ number: UInt64, head: [UInt8]) -> any SegmentSealing { self }
            func seal(_ segment: [UInt8], at place: SegmentPlace) -> [UInt8] { segment }
            func open(_ sealed: [UInt8], at place: SegmentPlace) -> [UInt8] { sealed }
        }
        let directory = try TemporaryDirectory()
        let origin = FunctionOrigin { _, _ in HTTPResponse(200, body: HTTPBody("new")) }
        let cache = try httpCache(in: directory.path, origin: origin) { $0.bodySealing = Bare() }
        try cache.store(HTTPResponse(200, fields: lasting), body: Self.body, for: get("/a"))
        try change(#require(directory.files().first { $0.contains("/bodies/body-") })) { $0[5] ^= 8 }
        let body = try await cache.respond(to: get("/a")).body.bytes()
        #expect(body.count == Self.body.count && body != Self.body)
    }
}
