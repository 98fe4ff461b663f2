import CacheCore
import CacheEngine
import CacheStorage
import CacheSystems
import CacheSystemsPackages
import Foundation
import Testing
import _CacheTestSupport

@Suite("Packages are imported whole, or not at all")
struct PackageImportTests {
    private static func request(_ address: String) throws -> HTTPRequest { HTTPRequest("GET", try url(address)) }
    private func bodies(_ directory: TemporaryDirectory) -> Int {
        directory.files().count { $0.contains("/bodies/") && !$0.hasSuffix("/lock") }
    }

    /// Ten resources of a version, every second with a long body.
    private static func items(_ version: Int) throws -> [PackageItem] {
        try (0..<10).map { number in
            var item = PackageItem(
                try url("http://a.example/\(number)"),
                .bytes(Array("\(version) ".utf8) + madeBytes(number, number % 2 == 0 ? 10 : 3000)))
            item.lastModifiedSeconds = 1000 + Int64(version)
            item.expiresSeconds = 2000
            item.mediaType = "text/plain"
            item.userData = Array("data \(number)".utf8)
            return item
        }
    }

    private static func path(_ version: Int, in directory: String) throws -> String {
        let path = "\(directory)/\(version).zip"
        try PackageBuilder().write(try items(version), to: path)
        return path
    }

    /// The versions of what is stored, nil where there is nothing.
    private static func versions(_ cache: HTTPCache) throws -> [Int?] {
        try (0..<10).map { number in
            let request = try request("http://a.example/\(number)")
            guard let body = try cache.storedBody(for: request) else { return nil }
            let version = Int(body[0]) - 48
            #expect(try items(version)[number].content == .bytes(body))
            #expect(try cache.userData(for: request) == Array("data \(number)".utf8))
            return version
        }
    }

    @Test(arguments: 1...4)
    func `what a package was built from is what the cache has, after a restart too`(_ seed: Int) throws {
        let directory = try TemporaryDirectory()
        let items = try PackageBuilderTests.items(seed)
        let path = directory.path + "/a.zip"
        try PackageBuilder().write(items, to: path)
        let clock = VirtualClock(wallNanoseconds: 1_000_000_000_000_000_000)
        var cache = try packageCache(in: directory.path, clock: clock)
        let report = try cache.importPackage(try CachePackage(path), as: "made")
        #expect(report.stored == items.count && report.kept == 0 && report.displaced == 0)
        for _ in 0..<2 {
            #expect(try Set(cache.urls()) == Set(items.map(\.url.description)))
            for item in items {
                let request = HTTPRequest("GET", item.url)
                let answer = try #require(try cache.storedAnswer(for: request))
                #expect(item.content == .bytes(try #require(try cache.storedBody(for: request))))
                #expect(answer.fields["Last-Modified"] == item.lastModifiedSeconds.map { HTTPDate.text(of: $0) })
                #expect(answer.fields["Expires"] == item.expiresSeconds.map { HTTPDate.text(of: $0) })
                #expect(answer.fields["Content-Type"] == item.mediaType && answer.status == 200)
                #expect(try cache.userData(for: request) == item.userData)
            }
            try cache.close()
            cache = try packageCache(in: directory.path, clock: clock)
        }
    }

    @Test func `an entry is fresh until the moment that the manifest names, and serves offline after it`() async throws
    {
        let directory = try TemporaryDirectory()
        let clock = VirtualClock(wallNanoseconds: 1_900_000_000_000)
        let cache = try packageCache(in: directory.path, clock: clock)
        try cache.importPackage(try CachePackage(try Self.path(1, in: directory.path)), as: "one")
        let request = try Self.request("http://a.example/1")
        let answer = try await cache.respond(to: request)
        #expect(answer.source == .fresh && answer.fields["Age"] == "899")
        #expect(Array(try await answer.body.bytes().prefix(2)) == Array("1 ".utf8))
        clock.advance(by: .seconds(99))
        #expect(try cache.isFresh(request))
        clock.advance(by: .seconds(2))
        #expect(try !cache.isFresh(request))
        cache.isOffline = true
        #expect(try await cache.respond(to: request).source == .stale)
    }

    @Test func `one without an end, or from times to come, is to be confirmed at once`() throws {
        let directory = try TemporaryDirectory()
        let cache = try packageCache(in: directory.path, clock: VirtualClock(wallNanoseconds: 1_900_000_000_000))
        var items = try Self.items(1)
        items[0].expiresSeconds = nil
        items[1].lastModifiedSeconds = 100_000
        items[1].expiresSeconds = nil
        items[2].lastModifiedSeconds = 100_000
        let path = directory.path + "/a.zip"
        try PackageBuilder().write(items, to: path)
        try cache.importPackage(try CachePackage(path), as: "one")
        let fresh = try (0..<4).map { try cache.isFresh(try Self.request("http://a.example/\($0)")) }
        #expect(fresh == [false, false, true, true])
    }

    @Test func `the same again stores nothing, an older one neither, and a newer one takes its place with its name`()
        throws
    {
        let directory = try TemporaryDirectory()
        let cache = try packageCache(in: directory.path, clock: VirtualClock(wallNanoseconds: 1_900_000_000_000))
        let paths = try (1...3).map { try Self.path($0, in: directory.path) }
        func load(_ version: Int, _ name: String, _ conflict: HTTPBatch.Conflict = .newer) throws -> [Int] {
            let report = try cache.importPackage(try CachePackage(paths[version - 1]), as: name, conflict)
            return [report.stored, report.kept]
        }
        #expect(try load(2, "two") == [10, 0])
        #expect(try load(2, "two") == [0, 10] && load(1, "one") == [0, 10])
        #expect(try load(3, "three", .keep) == [0, 10] && load(3, "three") == [10, 0])
        #expect(cache.urls(inGroup: "two") == [] && cache.urls(inGroup: "three").count == 10 && bodies(directory) == 5)
        #expect(try load(1, "one", .replace) == [10, 0])
        #expect(try Self.versions(cache) == Array(repeating: 1, count: 10))
    }

    @Test func `purging a package removes exactly what came from it and was not replaced, after a restart too`() throws
    {
        let directory = try TemporaryDirectory()
        let clock = VirtualClock(wallNanoseconds: 1_900_000_000_000)
        var cache = try packageCache(in: directory.path, clock: clock)
        try cache.importPackage(try CachePackage(try Self.path(1, in: directory.path)), as: "one")
        let other = PackageItem(try url("http://b.example/"), .bytes([1]))
        try PackageBuilder().write([other], to: directory.path + "/b.zip")
        try cache.importPackage(try CachePackage(directory.path + "/b.zip"), as: "b")
        let own = try Self.request("http://a.example/3")
        try cache.store(HTTPResponse(200, fields: ["Cache-Control": "max-age=9"]), body: [7], for: own)
        try cache.close()
        cache = try packageCache(in: directory.path, clock: clock)
        #expect(try cache.purge(group: "one").count == 9)
        #expect(try cache.urls().sorted() == ["http://a.example/3", "http://b.example/"])
        #expect(try cache.storedBody(for: own) == [7] && bodies(directory) == 0)
    }

    // MARK: What goes wrong

    /// A package whose last body is damaged.
    private func damaged(_ directory: TemporaryDirectory) throws -> String {
        var files = (0..<10).map { MadeZip.File("\($0)", String(repeating: "2", count: 500)) }
        files[9].checksum = 1
        let manifest = (0..<10).map { "http://a.example/\($0) ; NULL ; NULL ; NULL ; \($0)\n" }.joined()
        return try MadeZip(manifest: manifest, files).write(in: directory)
    }

    @Test func `a package that turns out to be damaged leaves what was there, and no file`() throws {
        let directory = try TemporaryDirectory()
        let cache = try packageCache(in: directory.path)
        try cache.importPackage(try CachePackage(try Self.path(1, in: directory.path)), as: "one")
        let package = try CachePackage(try damaged(directory))
        let error = try #require(refusal { try cache.importPackage(package, as: "two", .replace) })
        #expect(error.code == .badInput && error.message.contains("'9'"))
        #expect(try Self.versions(cache) == Array(repeating: 1, count: 10))
        #expect(bodies(directory) == 5 && cache.urls(inGroup: "two") == [])
        // One entry after the other, as it was done before, is noticed.
        _ = refusal {
            for entry in package.entries {
                var body: [UInt8] = []
                try package.read(entry) { body += $0 }
                try cache.store(HTTPResponse(200), body: body, for: HTTPRequest("GET", entry.url))
            }
        }
        #expect(try cache.storedBody(for: try Self.request("http://a.example/0"))?.first == UInt8(ascii: "2"))
    }

    @Test func `a package that does not fit is refused before anything leaves`() throws {
        let directory = try TemporaryDirectory()
        let clock = VirtualClock(wallNanoseconds: 1_900_000_000_000)
        let cache = try packageCache(in: directory.path, clock: clock) { $0.storeBytesMax = 12_000 }
        try cache.store(
            HTTPResponse(200, fields: ["Cache-Control": "max-age=9"]), body: [7],
            for: try Self.request("http://b.example/"))
        let package = try CachePackage(try Self.path(1, in: directory.path))
        do {
            try cache.importPackage(package, as: "one")
            Issue.record("15 kB fit in 12")
        } catch let error as StoreError { #expect(error.code == .full) }
        #expect(try cache.urls() == ["http://b.example/"] && bodies(directory) == 0)
    }

    @Test
    func
        `a process that is killed while it imports leaves every entry whole or absent, and the import can be repeated`()
        async throws
    {
        let directory = try TemporaryDirectory()
        let folder = directory.path
        for version in 1...2 { _ = try Self.path(version, in: folder) }
        for round in 1...4 {
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [folder = folder as String, round = round as Int] in
                let cache = try packageCache(in: folder + "/cache")
                let packages = try (1...2).map { try CachePackage("\(folder)/\($0).zip") }
                try cache.importPackage(packages[0], as: "one", .replace)
                Thread.detachNewThread {
                    usleep(UInt32(7_000 * round))
                    raise(SIGKILL)
                }
                while true {
                    try cache.importPackage(packages[1], as: "two", .replace)
                    try cache.importPackage(packages[0], as: "one", .replace)
                }
            }
            let cache = try packageCache(in: folder + "/cache")
            // Each was stored before the kill, and whatever was in its place then is whole.
            #expect(try Self.versions(cache).allSatisfy { $0 == 1 || $0 == 2 })
            #expect(bodies(directory) == 5, "what belongs to no record is gone")
            try cache.importPackage(try CachePackage("\(folder)/2.zip"), as: "two", .replace)
            #expect(try Self.versions(cache) == Array(repeating: 2, count: 10) && bodies(directory) == 5)
            try cache.close()
        }
    }

    #if os(Linux)
        /// How much the most memory grows while a package with a body of 48 MiB is built, imported and read.
        private static func growthKilobytes(keepsFiles: Bool) throws -> Int {
            func peak() throws -> Int {
                let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
                let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
                return line.flatMap { Int($0.filter(\.isNumber)) } ?? 0
            }
            let directory = try TemporaryDirectory()
            let cache = try packageCache(in: directory.path) { if !keepsFiles { $0.bodyDirectory = nil } }
            // Repeats itself only where deflate does not see it.
            let block = Data(madeBytes(1, 64 << 10))
            var peaks: [Int] = []
            for blocks in [16, 768] {
                let path = "\(directory.path)/\(blocks)"
                _ = FileManager.default.createFile(atPath: path, contents: nil)
                let file = try FileHandle(forWritingTo: URL(filePath: path))
                for _ in 0..<blocks { try file.write(contentsOf: block) }
                try file.close()
                let item = PackageItem(try url("http://a.example/\(blocks)"), .file(path))
                try PackageBuilder().write([item], to: path + ".zip")
                let report = try cache.importPackage(try CachePackage(path + ".zip"), as: "large")
                precondition(report.stored == 1 && report.bytes == blocks << 16)
                peaks.append(try peak())
            }
            return peaks[1] - peaks[0]
        }

        @Test func `memory does not grow with a body that is packed and imported`() async throws {
            await #expect(processExitsWith: .success) {
                let growth = try Self.growthKilobytes(keepsFiles: true)
                precondition(growth < 32 << 10, "memory grew by \(growth) kB")
            }
        }

        @Test func `memory that grows with a body is seen to grow`() async throws {
            await #expect(processExitsWith: .success) {
                let growth = try Self.growthKilobytes(keepsFiles: false)
                precondition(growth > 32 << 10, "memory grew by \(growth) kB alone")
            }
        }
    #endif
}
