import CacheCore
import CacheEngine
import CacheStorage
import CacheSystems
import Foundation
import Testing
import _CacheTestSupport

@Suite("Objects with a date of expiry, on disk and in memory")
struct ExpiringDiskCacheTests {
    struct Article: Codable, Hashable {
        var title = "a"
        var score: Double? = .infinity
    }

    static func make<Object: Codable & Sendable>(
        _ directory: String, of type: Object.Type = String.self, clock: VirtualClock = VirtualClock(),
        backend: String = "file", diskBytesMax: Int? = nil, memory: Int = 10
    ) throws -> ExpiringDiskCache<Object> {
        var options = ExpiringDiskCacheOptions()
        options.memoryObjectsMax = memory
        options.diskBytesMax = diskBytesMax
        options.clock = clock
        return try ExpiringDiskCache(options, policy: policy("lru"), storage: openStore(backend, in: directory))
    }

    @Test(arguments: persistentBackends.map(\.descriptor.name))
    func `any codable object is there after the cache was opened again, with the time that it has left`(
        _ backend: String
    ) throws {
        let directory = try TemporaryDirectory()
        let clock = VirtualClock(wallNanoseconds: 1_000_000_000_000)
        var cache = try Self.make(directory.path, of: Article?.self, clock: clock, backend: backend)
        try cache.set(Article(), forKey: "a", expires: .seconds(10))
        try cache.set(nil, forKey: "nothing")
        clock.advance(by: .seconds(9))
        try cache.close()
        cache = try Self.make(directory.path, of: Article?.self, clock: clock, backend: backend)
        #expect(try cache.object(forKey: "a") == .some(Article()))
        #expect(try cache.object(forKey: "nothing") == .some(nil) && cache.object(forKey: "other") == .none)
        clock.advance(by: .seconds(1))
        #expect(try cache.object(forKey: "a") == .none)
        try cache.close()
    }

    @Test func `programs agree with a dictionary of deadlines, in both tiers`() throws {
        for seed in 0..<8 as Range<UInt64> {
            let directory = try TemporaryDirectory()
            let clock = VirtualClock(wallNanoseconds: 5_000_000_000)
            let cache = try Self.make(directory.path, of: Int.self, clock: clock, backend: "log", memory: 3)
            var model: [String: (value: Int, deadline: Int?)] = [:]
            var now = 0
            var generator = SeededGenerator(seed: seed)
            for step in 0..<400 {
                let key = ["", "/", "a/b", "a-b", "é", "日本", "x"][generator.next(below: 7)]
                switch generator.next(below: 10) {
                case 0..<3: #expect(try cache.object(forKey: key) == model[key]?.value, "seed \(seed), step \(step)")
                case 3..<5:
                    let life = generator.next(below: 5)
                    try cache.set(step, forKey: key, expires: life == 0 ? .never : .seconds(Double(life)))
                    model[key] = (step, life == 0 ? nil : now + life)
                case 5: #expect(try cache.remove(key) == (model.removeValue(forKey: key) != nil))
                case 6: cache.dropMemory()
                case 7: #expect(try cache.allObjects() == model.mapValues(\.value))
                case 8: try cache.removeExpired()
                default:
                    clock.advance(by: .seconds(1))
                    now += 1
                    model = model.filter { $0.value.deadline.map { $0 > now } ?? true }
                }
            }
            try cache.close()
        }
    }

    @Test func `the subscript reads, writes for ever, and removes for nil`() throws {
        let directory = try TemporaryDirectory()
        let clock = VirtualClock()
        let cache = try Self.make(directory.path, clock: clock)
        try cache.set("old", forKey: "k", expires: .seconds(1))
        cache["k"] = "new"
        clock.advance(by: .seconds(100))
        #expect(cache["k"] == "new" && cache["other"] == nil)
        cache["k"] = nil
        #expect(cache["k"] == nil)
        #expect(try !cache.contains("k"))
    }

    @Test(arguments: [
        (CacheExpiry.seconds(0), false), (.seconds(-5), false), (.seconds(.nan), false), (.seconds(.infinity), true),
        (.seconds(1e300), true), (.seconds(-1e300), false), (.date(.distantFuture), true), (.date(.distantPast), false),
        (.date(Date(timeIntervalSince1970: 1000)), false), (.date(Date(timeIntervalSince1970: 1000.001)), true),
        (.never, true),
    ])
    func `any date and any number of seconds is an expiry`(_ row: (expiry: CacheExpiry, isKept: Bool)) throws {
        let directory = try TemporaryDirectory()
        let cache = try Self.make(directory.path, clock: VirtualClock(wallNanoseconds: 1_000_000_000_000))
        cache["k"] = "old"
        try cache.set("new", forKey: "k", expires: row.expiry)
        #expect(cache["k"] == (row.isKept ? "new" : nil))
        cache.dropMemory()
        #expect(cache["k"] == (row.isKept ? "new" : nil))
    }

    // By itself: such a date cannot be printed, as arguments of tests are.
    @Test func `a date that is no number has passed`() throws {
        let directory = try TemporaryDirectory()
        let cache = try Self.make(directory.path)
        cache["k"] = "old"
        try cache.set("new", forKey: "k", expires: .date(Date(timeIntervalSince1970: .nan)))
        #expect(cache["k"] == nil)
    }

    /// A clock that goes on by a second whenever it is read.
    private final class TickingClock: CacheClock {
        private let readings = Counter()

        func monotonicNanoseconds() -> Int64 { Int64(readings.add()) * 1_000_000_000 }
        func wallNanoseconds() -> Int64 { monotonicNanoseconds() }
    }

    @Test func `what is wanted expired or not stays, though its time ends while it is read`() throws {
        var options = ExpiringDiskCacheOptions()
        options.clock = TickingClock()
        let cache = try ExpiringDiskCache<String>(options, policy: policy("lru"), storage: DictionaryStorage.make())
        for seconds in 6..<30 {
            try cache.set("a", forKey: "k", expires: .seconds(Double(seconds)))
            for _ in 0..<10 { #expect(try cache.object(forKey: "k", returningExpired: true) == "a", "\(seconds)") }
            #expect(try cache.object(forKey: "k") == nil || seconds > 10)
        }
    }

    @Test func `all objects are listed, expired ones on request, and removed together`() throws {
        let directory = try TemporaryDirectory()
        let clock = VirtualClock()
        let cache = try Self.make(directory.path, clock: clock)
        for key in ["a", "b", "c"] { try cache.set(key, forKey: key, expires: key == "c" ? .seconds(1) : .never) }
        clock.advance(by: .seconds(1))
        #expect(try cache.allObjects(includingExpired: true).count == 3)
        #expect(try cache.allObjects() == ["a": "a", "b": "b"])
        #expect(try cache.object(forKey: "c", returningExpired: true) == nil)
        try cache.removeAll()
        #expect(try cache.allObjects(includingExpired: true).isEmpty)
    }

    @Test func `one spelling of a key finds the other, in memory and on disk`() throws {
        let directory = try TemporaryDirectory()
        let cache = try Self.make(directory.path)
        cache["e\u{301}"] = "v"
        #expect(cache["\u{E9}"] == "v")
        cache.dropMemory()
        #expect(cache["\u{E9}"] == "v" && cache["e"] == nil)
    }

    @Test func `those who ask at once share one load, on tasks and on threads`() async throws {
        let directory = try TemporaryDirectory()
        let cache = try Self.make(directory.path)
        let calls = Counter()
        let gate = Gate()
        let found = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    try await cache.object(forKey: "k", expires: .seconds(60)) {
                        calls.add()
                        await gate.pass()
                        return "v"
                    }
                }
            }
            while cache.memoryStatistics.misses < 20 { await Task.yield() }
            gate.open()
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(found == ["v"] && calls.count == 1)
        let results = await onThreads(4) { _ in
            (0..<50).map { n in (try? cache.object(forKey: "\(n)") { "\(calls.add())" }) ?? "" }
        }
        #expect(calls.count == 51 && Set(results).count == 1)
        #expect(try await cache.object(forKey: "k") == "v")
    }

    @Test func `a codec with another stage behind it is undone in the right order, and may use the cache`() throws {
        let directory = try TemporaryDirectory()
        let codec = ObjectCodec<String>.json.followed(
            by: { $0.map { $0 ^ 0x55 } + [1] }, undoneBy: { $0.dropLast().map { $0 ^ 0x55 } })
        let cache = try ExpiringDiskCache(
            policy: policy("lru"), storage: openStore("file", in: directory.path), codec: codec)
        try cache.set("v", forKey: "k")
        cache.dropMemory()
        #expect(cache["k"] == "v")
        try cache.close()
        // Another codec cannot read it: an error, and not another object.
        let other = try Self.make(directory.path)
        #expect(throws: StoreError.self) { try other.object(forKey: "k") }
        #expect(try other.object(forKey: "k") { "fresh" } == "fresh")
    }

    @Test func `files are the owner's alone, and strangers' files are left alone`() throws {
        let directory = try TemporaryDirectory()
        let stranger = directory.path + "/notes.cache"
        try Data("mine".utf8).write(to: URL(filePath: stranger))
        let cache = try Self.make(directory.path)
        cache["k"] = "v"
        for file in directory.files() where file != stranger {
            let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
            #expect(mode.map { $0 & 0o077 } == 0, "\(file)")
        }
        try cache.removeAll()
        #expect(try String(contentsOfFile: stranger, encoding: .utf8) == "mine")
    }

    @Test func `the disk keeps to its limit from the start, by the policy of the disk`() throws {
        let directory = try TemporaryDirectory()
        let big = try Self.make(directory.path)
        for number in 0..<100 { big["\(number)"] = String(repeating: "x", count: 100) }
        try big.close()
        let small = try Self.make(directory.path, diskBytesMax: 2000)
        #expect(try small.allObjects().count < 20 && !small.allObjects().isEmpty)
    }

    @Test func `all objects are there, those too that memory alone has left`() throws {
        let directory = try TemporaryDirectory()
        let cache = try Self.make(directory.path, diskBytesMax: 40)
        let values = String(repeating: "x", count: 20)
        for key in ["a", "b", "c"] { try cache.set(values, forKey: key) }
        #expect(try Set(cache.allObjects().keys) == ["a", "b", "c"])
        #expect(try Set(cache.allObjects(includingExpired: true).keys) == ["a", "b", "c"])
        try cache.close()
    }
}
