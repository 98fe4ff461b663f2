import CacheCore
import CacheEngine
import CacheSystems
import Foundation
import Testing
import _CacheTestSupport

@Suite("Answers of a batch are stored together, or not at all")
struct HTTPBatchTests {
    private static func fields(_ date: Int, _ age: Int = 100) -> HTTPFields {
        ["Date": HTTPDate.text(of: Int64(date)), "Cache-Control": "max-age=\(age)"]
    }

    /// Content of a length that lies in a file, or beside the record.
    private static func body(_ number: Int, _ version: Int) -> [UInt8] {
        [UInt8](repeating: UInt8(version), count: number % 2 == 0 ? 50 : 5000)
    }

    private static func pieces(_ bytes: [UInt8]) -> () throws -> [UInt8]? {
        var rest = bytes[...]
        return {
            guard !rest.isEmpty else { return nil }
            defer { rest = rest.dropFirst(999) }
            return Array(rest.prefix(999))
        }
    }

    private static func batch(_ cache: HTTPCache, _ numbers: Range<Int>, version: Int, date: Int = 0) throws
        -> HTTPBatch
    {
        let batch = cache.batch()
        for number in numbers {
            try batch.add(
                HTTPResponse(200, fields: fields(date)), for: get("/\(number)"), body: pieces(body(number, version)))
        }
        return batch
    }

    /// The version of each answer; nil for none.
    private static func versions(_ cache: HTTPCache, _ numbers: Range<Int>) throws -> [Int?] {
        try numbers.map { number in
            guard let bytes = try cache.storedBody(for: get("/\(number)")) else { return nil }
            #expect(bytes == body(number, Int(bytes[0])))
            return Int(bytes[0])
        }
    }

    private func bodies(_ directory: TemporaryDirectory) -> Int {
        directory.files().count { $0.contains("/bodies/") && !$0.hasSuffix("/lock") }
    }

    private let origin = FunctionOrigin { _, _ in throw Trouble() }

    @Test func `nothing is to be seen before it is stored, and all of it after, and after a restart`() throws {
        let directory = try TemporaryDirectory()
        var cache = try httpCache(in: directory.path, origin: origin)
        let batch = try Self.batch(cache, 0..<6, version: 1)
        #expect(try cache.urls() == [] && batch.count == 6 && bodies(directory) == 3)
        #expect(try batch.store() == Array(repeating: .stored, count: 6))
        #expect(throws: AssayError.self) { try batch.store() }
        #expect(throws: AssayError.self) { try batch.add(HTTPResponse(200), for: get("/z")) { nil } }
        for _ in 0..<2 {
            #expect(try Self.versions(cache, 0..<6) == Array(repeating: 1, count: 6))
            #expect(bodies(directory) == 3)
            try cache.close()
            cache = try httpCache(in: directory.path, origin: origin)
        }
        withExtendedLifetime(try Self.batch(cache, 0..<6, version: 2)) { #expect(bodies(directory) == 6) }
        #expect(bodies(directory) == 3, "what is given up leaves nothing")
        #expect(try Self.versions(cache, 0..<6) == Array(repeating: 1, count: 6))
    }

    @Test func `a batch that outlives its cache leaves the next one's bodies alone`() throws {
        let directory = try TemporaryDirectory()
        var cache = try httpCache(in: directory.path, origin: origin)
        var old: HTTPBatch? = try Self.batch(cache, 1..<2, version: 1)
        try cache.close()
        #expect(throws: HTTPCacheError.closed) { try old?.store() }
        cache = try httpCache(in: directory.path, origin: origin)
        _ = try Self.batch(cache, 1..<2, version: 2).store()
        old = nil
        #expect(try Self.versions(cache, 1..<2) == [2])
    }

    /// A cache without memory over a store that can be told to fail, or to be slow.
    private func counted(_ directory: TemporaryDirectory) throws -> (HTTPCache, CountingStorage) {
        let storage = CountingStorage(try openStore("file", in: directory.path + "/records"))
        var options = HTTPCacheOptions("test")
        options.bodyDirectory = directory.path + "/bodies"
        options.inlineBytesMax = 100
        options.memoryBytesMax = 0
        options.clock = VirtualClock()
        return (try HTTPCache(options, policy: try policy("lru"), storage: storage, origin: origin), storage)
    }

    /// How many writes a way to store four answers over three has done when the store fails, for every moment at which it may.
    private func torn(_ store: (HTTPCache, Range<Int>) throws -> Void) throws -> Int {
        var torn = 0
        for writes in 0..<4 {
            let directory = try TemporaryDirectory()
            let (cache, storage) = try counted(directory)
            _ = try Self.batch(cache, 0..<3, version: 1).store()
            storage.fail(onceAfterWrites: writes)
            #expect(throws: StoreError.self) { try store(cache, 0..<4) }
            if try Self.versions(cache, 0..<4) != [1, 1, 1, nil] || bodies(directory) != 1 { torn += 1 }
            try store(cache, 0..<4)
            #expect(try Self.versions(cache, 0..<4) == [2, 2, 2, 2] && bodies(directory) == 2)
        }
        return torn
    }

    @Test func `a store that fails in the middle has what it had before, and what was not stored leaves no file`()
        throws
    {
        #expect(try torn { cache, numbers in _ = try Self.batch(cache, numbers, version: 2, date: 1).store() } == 0)
        let oneByOne = try torn { cache, numbers in
            for number in numbers {
                try cache.store(
                    HTTPResponse(200, fields: Self.fields(1)), body: Self.body(number, 2), for: get("/\(number)"))
            }
        }
        #expect(oneByOne == 4, "the test notices answers that are stored one after the other")
    }

    @Test func `a body that breaks off, is too long or not as long as it says leaves the batch as it was`() throws {
        let directory = try TemporaryDirectory()
        let cache = try httpCache(in: directory.path, origin: origin) {
            $0.bodyBytesMax = 6000
            $0.storeBytesMax = 9000
        }
        let batch = try Self.batch(cache, 1..<2, version: 1)
        func add(_ bytes: [UInt8], _ length: String? = nil) throws {
            var fields = Self.fields(0)
            fields["Content-Length"] = length
            try batch.add(HTTPResponse(200, fields: fields), for: get("/x"), body: Self.pieces(bytes))
        }
        var pieces = 0
        #expect(throws: Trouble(number: 7)) {
            try batch.add(HTTPResponse(200, fields: Self.fields(0)), for: get("/x")) {
                pieces += 1
                if pieces == 5 { throw Trouble(number: 7) }
                return [UInt8](repeating: 0, count: 400)
            }
        }
        #expect(throws: HTTPCacheError.truncated(bytes: 3000, expected: 3001)) {
            try add([UInt8](repeating: 0, count: 3000), "3001")
        }
        for (count, code) in [(6001, StoreError.Code.valueRefused), (4000, .full)] {
            do {
                try add([UInt8](repeating: 0, count: count))
                Issue.record("\(count) bytes are taken")
            } catch let error as StoreError { #expect(error.code == code) }
        }
        #expect(batch.count == 1 && bodies(directory) == 1)
        #expect(try batch.store() == [.stored] && cache.urls().count == 1)
        let secret = cache.batch()
        let isTaken = try secret.add(HTTPResponse(200, fields: ["Cache-Control": "no-store"]), for: get("/s")) {
            Issue.record("the body of what may not be stored is asked for")
            return nil
        }
        #expect(!isTaken && secret.count == 0)
    }

    @Test
    func `the newer of two stays, or the one that is chosen; what must be confirmed or has lost its body makes way`()
        throws
    {
        let directory = try TemporaryDirectory()
        let clock = VirtualClock()
        let cache = try httpCache(in: directory.path, clock: clock, origin: origin)
        clock.advance(by: .seconds(1000))
        func fate(_ version: Int, _ date: Int, _ age: Int = 100, _ conflict: HTTPBatch.Conflict = .newer) throws
            -> String
        {
            let batch = cache.batch()
            try batch.add(
                HTTPResponse(200, fields: Self.fields(date, age)), for: get("/1"),
                body: Self.pieces(Self.body(1, version)))
            let fate = try batch.store(conflict)[0]
            return "\(fate) \(try Self.versions(cache, 1..<2)[0] ?? 0)"
        }
        #expect(try fate(1, 500) == "stored 1")
        #expect(try fate(2, 499) == "kept 1")
        #expect(try fate(2, 500) == "kept 1")
        #expect(try fate(2, 500, 101) == "stored 2")
        #expect(try fate(3, 501, 1) == "stored 3")
        #expect(try fate(4, 400, 1, .replace) == "stored 4")
        #expect(try fate(5, 900, 1, .keep) == "kept 4")
        try cache.invalidate(address("/1"))
        #expect(try fate(6, 300) == "stored 6")
        for file in directory.files() where file.contains("/bodies/body-") {
            try FileManager.default.removeItem(atPath: file)
        }
        #expect(try fate(7, 200) == "stored 7")
        #expect(bodies(directory) == 1)
    }

    @Test func `of two for one request the newer stays, and those for different requests both`() throws {
        let directory = try TemporaryDirectory()
        let cache = try httpCache(in: directory.path, origin: origin)
        let batch = cache.batch()
        for (date, version) in [(2, 1), (1, 2), (3, 3)] {
            try batch.add(
                HTTPResponse(200, fields: Self.fields(date)), for: get("/1"), body: Self.pieces(Self.body(1, version)))
        }
        for language in ["de", "sv"] {
            var fields = Self.fields(0)
            fields["Vary"] = "Accept-Language"
            try batch.add(
                HTTPResponse(200, fields: fields), for: get("/v", ["Accept-Language": language]),
                body: Self.pieces(Array(language.utf8)))
        }
        #expect(try batch.store() == [.displaced, .kept, .stored, .stored, .stored])
        #expect(try Self.versions(cache, 1..<2) == [3] && bodies(directory) == 1)
        for language in ["de", "sv"] {
            #expect(try cache.storedBody(for: get("/v", ["Accept-Language": language])) == Array(language.utf8))
        }
    }

    @Test func `whoever sees one answer of a batch sees the others`() async throws {
        let directory = try TemporaryDirectory()
        let (cache, storage) = try counted(directory)
        // Slow enough for readers to get in between, if they could.
        storage.delayWrites(seconds: 0.0005)
        let isOver = Switch()
        let torn = Counter()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<2 {
                group.addTask {
                    await onThread {
                        while !isOver.isRaised {
                            let first = try? cache.storedBody(for: get("/0"))
                            let last = try? cache.storedBody(for: get("/9"))
                            if (last?.first ?? 0) < (first?.first ?? 0) { torn.add() }
                        }
                    }
                }
            }
            await onThread {
                for version in 1...30 {
                    do { _ = try Self.batch(cache, 0..<10, version: version, date: 0).store(.replace) } catch {
                        Issue.record(error)
                    }
                }
                isOver.raise()
            }
        }
        #expect(try torn.count == 0 && Self.versions(cache, 0..<10) == Array(repeating: 30, count: 10))
    }
}
