import CacheCore
import CacheEngine
import Testing

@Suite("Two tiers: what waits to be written")
struct TieredWritingTests {
    @Test func `what the backend refuses of older writes is no fault of newer ones, and is told once`() throws {
        let storage = FaultyStorage()
        let cache = try TieredCacheTests.make(storage, .back(waiting: 16), capacity: 500)
        try cache.put([1], for: [0])
        storage.refuse([0])
        for key in UInt8(1)..<200 { try cache.put([key], for: [key]) }
        #expect(code { try cache.flush() } == .valueRefused)
        try cache.flush()
        #expect(try cache.value(for: [0]) == nil)
        for key in UInt8(1)..<200 { #expect(try cache.value(for: [key]) == [key]) }
        #expect(storage.entries.count == 199)
    }

    @Test func `what is longer than the backend takes is refused at once, and the old value is gone`() throws {
        let storage = FaultyStorage()
        let cache = try TieredCacheTests.make(storage, .back(waiting: 16))
        try cache.put([1], for: [0])
        #expect(code { try cache.put([UInt8](repeating: 1, count: 1001), for: [0]) } == .valueRefused)
        #expect(try cache.value(for: [0]) == nil)
        try cache.flush()
        #expect(storage.entries.isEmpty)
    }

    @Test func `a cache whose backend fails stays open until everything has been written`() throws {
        let storage = FaultyStorage()
        let cache = try TieredCacheTests.make(storage, .back(waiting: 64))
        try cache.put([7], for: [7])
        storage.fail(.full)
        #expect(code { try cache.close() } == .full)
        #expect(!cache.isClosed)
        storage.fail(nil)
        try cache.close()
        #expect(cache.isClosed && storage.entries[[7]]?.value == [7])
        try cache.close()
    }

    @Test func `options that need to know of reads are refused over a backend`() throws {
        var options = CacheOptions<[UInt8], Int>(capacity: .objects(3))
        options.expiry = .afterAccess(.seconds(1))
        let error = #expect(throws: StoreError.self) {
            try StoredCache<[UInt8], [UInt8]>(
                options, policy: ReplayTests.entry("lru"), storage: FaultyStorage(), codec: .bytes)
        }
        #expect(error?.code == .unavailable)
    }

    @Test func `what a backend has dropped at a write that failed is not served from memory`() throws {
        let storage = FaultyStorage()
        let lower = try BoundedStorage(.objects(10), policy: ReplayTests.entry("lru"), over: storage)
        let cache = try TieredCache<[UInt8], [UInt8]>(
            CacheOptions(capacity: .objects(10)), policy: ReplayTests.entry("lru"), over: lower, codec: .bytes)
        try cache.put([1], for: [0])
        storage.fail(.full)
        #expect(code { try cache.put([2], for: [0]) } == .full)
        #expect(!cache.upperContains([0]))
        storage.fail(nil)
        #expect(try cache.value(for: [0]) == nil && cache.keys.isEmpty)
    }

    @Test func `a write that must wait and cannot leaves memory alone`() throws {
        let storage = FaultyStorage()
        let cache = try TieredCacheTests.make(storage, .back(waiting: 16), capacity: 500)
        storage.fail(.full)
        var kept: [UInt8: [UInt8]] = [:]
        for key in UInt8(0)..<100 where code({ try cache.put([key], for: [key]) }) == nil { kept[key] = [key] }
        #expect(!kept.isEmpty && kept.count < 100)
        for (key, value) in kept { #expect(try cache.value(for: [key]) == value) }
    }
}
