import CacheCore
import Testing

@testable import CacheStorageServers

/// What is special about a memcached server: item sizes, eviction, long keys, claims.
@Suite("Memcached storage", .enabled(if: TestServers.memcached != nil, TestServers.memcachedHint))
struct MemcachedStorageTests {
    @Test func `the longest value follows the server's item size and fits`() throws {
        for (options, items) in [([], 1 << 20), (["-I", "4m"], 4 << 20), (["-I", "2m"], 2 << 20)] {
            let server = try MemcachedStorage.startServer(
                .memcached(memoryMiB: 64, options), deadline: TestServers.patience)
            defer { withExtendedLifetime(server) {} }
            let store = try TestServers.open(MemcachedStorage.self, server.address)
            let limit = store.claims.valueBytesMax
            #expect(limit < items && limit > items - 8_192)
            let value = [UInt8](repeating: 3, count: limit)
            for key in [[1], [UInt8](repeating: 1, count: 4_096)] {
                try store.put(StoredEntry(value, expiresAtNanoseconds: 1), for: key)
                #expect(try store.get(key) == StoredEntry(value, expiresAtNanoseconds: 1))
                let error = #expect(throws: StoreError.self) { try store.put(StoredEntry(value + [1]), for: key) }
                #expect(error?.code == .valueRefused)
                #expect(try store.get(key) == nil)
            }
        }
    }

    @Test func `a full server evicts and never answers what was not put`() throws {
        let server = try MemcachedStorage.startServer(.memcached(memoryMiB: 8), deadline: TestServers.patience)
        defer { withExtendedLifetime(server) {} }
        let store = try TestServers.open(MemcachedStorage.self, server.address)
        #expect(!store.claims.retains && !store.claims.iterates && store.claims.durability == .volatile)
        for index in UInt8(0)..<200 {
            try store.put(StoredEntry([UInt8](repeating: index, count: 100_000)), for: [index])
        }
        let found = try (UInt8(0)..<200).filter { index in
            guard let entry = try store.get([index]) else { return false }
            #expect(entry.value == [UInt8](repeating: index, count: 100_000))
            return true
        }
        #expect(!found.isEmpty && found.count < 200)
    }

    @Test func `a server that may not evict is full`() throws {
        let server = try MemcachedStorage.startServer(.memcached(memoryMiB: 8, ["-M"]), deadline: TestServers.patience)
        defer { withExtendedLifetime(server) {} }
        let store = try TestServers.open(MemcachedStorage.self, server.address)
        let error = #expect(throws: StoreError.self) {
            for index in UInt8(0)..<200 {
                try store.put(StoredEntry([UInt8](repeating: index, count: 100_000)), for: [index])
            }
        }
        #expect(error?.code == .full)
    }

    @Test func `a digest that two keys share is a miss for the other, and removes nothing of it`() throws {
        let server = try #require(TestServers.memcached).address
        let store = try TestServers.open(MemcachedStorage.self, server)
        let key = [UInt8](repeating: 9, count: 300)
        try store.put(StoredEntry([1]), for: key)
        #expect(try store.contains(key))
        // Another key's entry where this one's would stand, as a collision would put it.
        let client = MemcachedClient(server, deadlineMilliseconds: 30 * 60_000)
        let written = store.written(key)
        let other = StoredEnvelope.encode(StoredEntry([2]), key: [UInt8](repeating: 8, count: 300))
        _ = try client.perform("ms \(written) \(other.count) b", value: other, isRepeatable: true)
        #expect(try store.get(key) == nil)
        #expect(try !store.contains(key))
        #expect(try !store.remove(key))
        #expect(try client.perform("mg \(written) b", isRepeatable: true) == .status("HD", flags: []))
        try store.put(StoredEntry([3]), for: key)
        #expect(try store.get(key) == StoredEntry([3]))
        #expect(try store.remove(key))
        #expect(try store.get(key) == nil)
    }

    @Test func `keys cannot be listed, and the error says so`() throws {
        let store = try TestServers.open(MemcachedStorage.self, #require(TestServers.memcached).address)
        for body in [{ _ = try store.keys() }, { _ = try store.count() }] {
            let error = #expect(throws: StoreError.self) { try body() }
            #expect(error?.code == .unsupported)
        }
    }

    @Test func `removing everything in one store leaves the others alone`() throws {
        let server = try #require(TestServers.memcached).address
        let stores = try (0..<2).map { _ in try TestServers.open(MemcachedStorage.self, server) }
        for store in stores { try store.put(StoredEntry([1]), for: [1]) }
        try stores[0].removeAll()
        #expect(try stores[0].get([1]) == nil)
        #expect(try stores[1].get([1]) == StoredEntry([1]))
    }

    @Test func `a server that is no memcached, or too old, says so`() throws {
        let fake = try FakeServer { _, _ in .silence }
        defer { withExtendedLifetime(fake) {} }
        try fake.stop()
        let error = #expect(throws: StoreError.self) {
            try TestServers.open(MemcachedStorage.self, fake.address, deadlineMilliseconds: 50)
        }
        #expect(error?.code == .unavailable)
        guard let redis = TestServers.redis else { return }
        #expect(throws: StoreError.self) {
            try TestServers.open(MemcachedStorage.self, redis.address, deadlineMilliseconds: 5_000)
        }
    }
}
