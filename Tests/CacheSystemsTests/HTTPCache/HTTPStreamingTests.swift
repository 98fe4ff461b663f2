import CacheCore
import CacheEngine
import CacheStorage
import CacheSystems
import Foundation
import Synchronization
import Testing
import _CacheTestSupport

#if canImport(Glibc)
    import Glibc
#endif

@Suite("Bodies go from the origin to the disk and to readers in pieces")
struct HTTPStreamingTests {
    private static func body(_ pieces: Int, _ piece: Int = 10_000) -> [UInt8] {
        (0..<pieces).reversed().flatMap { [UInt8](repeating: UInt8(truncatingIfNeeded: $0), count: piece) }
    }

    private func bodies(_ directory: TemporaryDirectory) -> [String] {
        directory.files().filter { $0.contains("/bodies/") && !$0.hasSuffix("/lock") }
    }

    @Test
    func `readers of one answer get it whole while it comes, each at its own pace, and progress is told by its pieces`()
        async throws
    {
        let directory = try TemporaryDirectory()
        let origin = FunctionOrigin { _, _ in
            HTTPResponse(
                200, fields: ["Cache-Control": "max-age=9", "Content-Length": "1000000"],
                body: HTTPBody(MadeBody(pieces: 100)))
        }
        let cache = try httpCache(in: directory.path, origin: origin)
        let whole = Self.body(100)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<6 {
                group.addTask {
                    let response = try await cache.respond(to: get("/a"))
                    #expect(response.body.length == 1_000_000)
                    var seen: [UInt8] = []
                    for try await chunk in response.body {
                        #expect(!chunk.isEmpty && chunk.count <= 64 << 10)
                        seen += chunk
                        if number % 2 == 0 { await Task.yield() }
                    }
                    #expect(seen == whole)
                }
            }
            try await group.waitForAll()
        }
        try await cache.settle()
        #expect(origin.questions.count == 1 && bodies(directory).count == 1)
        let stored = try await cache.respond(to: get("/a"))
        #expect(stored.source == .fresh)
        // A stored body can be read again.
        for _ in 0..<2 { #expect(try await stored.body.bytes() == whole) }
        let part = try await cache.respond(to: get("/a", ["Range": "bytes=499999-500000"]))
        #expect(try await part.body.bytes() == Array(whole[499_999...500_000]))
    }

    @Test func `a body that comes is not to be seen before it is whole, and no part of it stays if it never is`()
        async throws
    {
        let directory = try TemporaryDirectory()
        let gate = Gate()
        let (stream, input) = AsyncThrowingStream<[UInt8], any Error>.makeStream()
        let origin = FunctionOrigin { _, number in
            if number > 1 { return HTTPResponse(200, fields: lasting, body: HTTPBody("second")) }
            return HTTPResponse(200, fields: lasting, body: HTTPBody(stream))
        }
        let cache = try httpCache(in: directory.path, origin: origin)
        input.yield([UInt8](repeating: 1, count: 5000))
        let response = try await cache.respond(to: get("/a"))
        var reader = response.body.makeAsyncIterator()
        #expect(try await reader.next()?.count == 5000)
        #expect(try cache.urls() == [] && cache.storedBody(for: get("/a")) == nil)
        #expect(bodies(directory).allSatisfy { $0.contains("/new-") })
        input.finish(throwing: Trouble(number: 3))
        await #expect(throws: Trouble(number: 3)) { while try await reader.next() != nil {} }
        try await cache.settle()
        #expect(try cache.urls() == [] && bodies(directory) == [])
        #expect(cache.statistics[.truncated] == 1)
        #expect(try await cache.respond(to: get("/a")).body.bytes() == Array("second".utf8))
        gate.open()
    }

    @Test func `when nobody reads any more the rest is not asked for, and nothing is stored`() async throws {
        let directory = try TemporaryDirectory()
        let given = Counter()
        let (stream, input) = AsyncThrowingStream<[UInt8], any Error>.makeStream()
        let ended = Switch()
        input.onTermination = { _ in ended.raise() }
        let origin = FunctionOrigin { _, _ in HTTPResponse(200, fields: lasting, body: HTTPBody(stream)) }
        let cache = try httpCache(in: directory.path, origin: origin)
        do {
            let response = try await cache.respond(to: get("/a"))
            input.yield([UInt8](repeating: 1, count: 5000))
            for try await chunk in response.body {
                given.add()
                #expect(chunk.count == 5000)
                break
            }
        }
        while !ended.isRaised { await Task.yield() }
        try await cache.settle()
        #expect(try cache.urls() == [] && bodies(directory) == [] && given.count == 1)
    }

    @Test func `a reader goes on with what was replaced or removed while it reads`() async throws {
        let directory = try TemporaryDirectory()
        let origin = FunctionOrigin { _, number in
            HTTPResponse(200, fields: lasting, body: HTTPBody(MadeBody(pieces: number * 20)))
        }
        let cache = try httpCache(in: directory.path, origin: origin)
        _ = try await cache.respond(to: get("/a")).body.bytes()
        let old = try await cache.respond(to: get("/a"))
        var reader = old.body.makeAsyncIterator()
        var seen = try await reader.next() ?? []
        #expect(try await cache.respond(to: get("/a"), HTTPRequestOptions(.reload)).body.bytes() == Self.body(40))
        try cache.purge(address("/a"))
        while let chunk = try await reader.next() { seen += chunk }
        #expect(seen == Self.body(20) && bodies(directory) == [])
    }

    @Test
    func `bodies without a record, and unfinished ones, are deleted at opening; a record without its body is nothing`()
        async throws
    {
        let directory = try TemporaryDirectory()
        let origin = FunctionOrigin { _, _ in HTTPResponse(200, fields: lasting, body: HTTPBody(MadeBody(pieces: 1))) }
        var cache = try httpCache(in: directory.path, origin: origin)
        for path in ["/a", "/b", "/c"] { _ = try await cache.respond(to: get(path)).body.bytes() }
        try cache.close()
        let files = bodies(directory)
        #expect(files.count == 3)
        let folder = directory.path + "/bodies/"
        for name in ["new-77", "body-999"] { try Data("x".utf8).write(to: URL(filePath: folder + name)) }
        try FileManager.default.removeItem(atPath: files[0])
        try Data("short".utf8).write(to: URL(filePath: files[1]))
        cache = try httpCache(in: directory.path, origin: origin)
        #expect(Set(bodies(directory)) == Set(files[1...]))
        for path in ["/a", "/b", "/c"] { #expect(try await cache.respond(to: get(path)).body.bytes() == Self.body(1)) }
        #expect(cache.statistics[.damaged] == 2 && origin.questions.count == 5)
        try cache.close()
    }

    @Test func `a damaged record is removed, and costs one request`() async throws {
        let directory = try TemporaryDirectory()
        let origin = FunctionOrigin { _, _ in HTTPResponse(200, fields: lasting, body: HTTPBody("short")) }
        var cache = try httpCache(in: directory.path, origin: origin)
        _ = try await cache.respond(to: get("/a")).body.bytes()
        try cache.close()
        for file in directory.files() where file.contains("/records/") && !file.hasSuffix("lock") {
            var bytes = try Data(contentsOf: URL(filePath: file))
            bytes[bytes.count - 1] ^= 1
            try bytes.write(to: URL(filePath: file))
        }
        cache = try httpCache(in: directory.path, origin: origin)
        for _ in 0..<2 { #expect(try await cache.respond(to: get("/a")).body.bytes() == Array("short".utf8)) }
        #expect(origin.questions.count == 2)
        try cache.close()
    }

    @Test func `a process that is killed while it stores and removes leaves every answer whole or absent`() async throws
    {
        let folder = try TemporaryDirectory()
        let directory = folder.path + "/store"
        let writer = KilledWriter(directory: directory)
        for round in 1...2 {
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [directory = directory as String, round = round as Int] in
                let store = try BackendEntry(ResourceStorage.self).open(directory: directory)
                KilledWriter(directory: directory).work(on: store, operations: 300 * round, seed: UInt64(round))
            }
            let store = try BackendEntry(ResourceStorage.self).open(directory: directory)
            let (problems, done) = try writer.problems(of: store)
            #expect(problems == [])
            #expect(done >= 300 * round)
            try store.close()
        }
    }

    #if os(Linux)
        /// The most memory that this process has had, in kilobytes.
        private static func peakKilobytes() throws -> Int {
            let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
            let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
            return line.flatMap { Int($0.filter(\.isNumber)) } ?? 0
        }

        /// How much the most memory has grown when a body of so many pieces has been stored and read, against a small one.
        private static func growthKilobytes(pieces: Int, keepsFiles: Bool) async throws -> Int {
            let directory = try TemporaryDirectory()
            let origin = FunctionOrigin { request, _ in
                let count = request.url.path == "/small" ? 16 : pieces
                return HTTPResponse(200, fields: lasting, body: HTTPBody(MadeBody(pieces: count, piece: 65_536)))
            }
            let cache = try httpCache(in: directory.path, origin: origin) { if !keepsFiles { $0.bodyDirectory = nil } }
            var peaks: [Int] = []
            for path in ["/small", "/large", "/large"] {
                var bytes = 0
                for try await chunk in try await cache.respond(to: get(path)).body { bytes += chunk.count }
                try await cache.settle()
                precondition(bytes == (path == "/small" ? 16 : pieces) * 65_536)
                peaks.append(try peakKilobytes())
            }
            precondition(origin.questions.count == 2 && peaks[0] > 0, "the second read was not from the store")
            return peaks[2] - peaks[0]
        }

        /// A body of 256 MiB, of 2 GiB where `ASSAY_ALL_CELLS=1` asks for everything.
        @Test func `memory does not grow with a body that is stored and read`() async throws {
            await #expect(processExitsWith: .success) {
                let isWhole = ProcessInfo.processInfo.environment["ASSAY_ALL_CELLS"] == "1"
                let growth = try await Self.growthKilobytes(pieces: isWhole ? 32_768 : 4096, keepsFiles: true)
                precondition(growth < 32 << 10, "memory grew by \(growth) kB")
            }
        }

        @Test func `memory that grows with a body is seen to grow`() async throws {
            await #expect(processExitsWith: .success) {
                let growth = try await Self.growthKilobytes(pieces: 768, keepsFiles: false)
                precondition(growth > 32 << 10, "memory grew by \(growth) kB alone")
            }
        }
    #endif
}
