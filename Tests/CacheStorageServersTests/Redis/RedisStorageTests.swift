import CacheCore
import Testing

@testable import CacheStorageServers

/// What is special about a Redis server: prefixes, claims, memory, clusters.
@Suite("Redis storage", .enabled(if: TestServers.redis != nil, TestServers.redisHint))
struct RedisStorageTests {
    private func open(_ more: String = "") throws -> RedisStorage {
        try TestServers.open(RedisStorage.self, #require(TestServers.redis).address, more)
    }

    /// Sends a command to a server, past the stores.
    private func ask(_ server: ServerAddress, _ words: String...) throws -> RESPValue {
        let client = try RedisClient(server, deadlineMilliseconds: 30 * 60_000, limits: .init(), password: nil)
        return try client.perform([RedisCommand(words)], at: server, isRepeatable: true)[0]
    }

    @Test func `stores remove and list what is theirs alone`() throws {
        let server = try #require(TestServers.redis).address
        // A prefix that a pattern would read as another.
        let first = try open("prefix=own[a*]?\\\\")
        let second = try open("prefix=own")
        let third = try open()
        _ = try ask(server, "SET", "foreign", "x")
        for index in UInt8(0)..<100 {
            for store in [first, second, third] { try store.put(StoredEntry([index]), for: [index, 0xFF]) }
        }
        #expect(try first.count() == 100)
        try first.removeAll()
        #expect(try first.count() == 0)
        #expect(try third.count() == 100)
        #expect(try second.get([7, 0xFF]) == StoredEntry([7]))
        try third.removeAll()
        #expect(try second.count() == 100)
        try second.removeAll()
        #expect(try ask(server, "GET", "foreign") == .bulk([UInt8(ascii: "x")]))
        for store in [first, second, third] { try store.close() }
    }

    @Test func `a random prefix leaves nothing behind, a given one keeps all`() throws {
        let server = try #require(TestServers.redis).address
        let kept = try open("prefix=kept:")
        #expect(kept.claims.durability == .kill)
        try kept.put(StoredEntry([1], expiresAtNanoseconds: -5), for: [1])
        try kept.close()
        let again = try open("prefix=kept:")
        #expect(try again.get([1]) == StoredEntry([1], expiresAtNanoseconds: -5))
        try again.removeAll()
        try again.close()
        var names: Set<String> = []
        do {
            let store = try open()
            #expect(store.claims.durability == .volatile)
            try store.put(StoredEntry([1]), for: Array("left-behind".utf8))
            names = try Set(#require(ask(server, "KEYS", "assay:*:left-behind").elements).compactMap(\.text))
            #expect(names.count == 1)
        }
        // The store went without being closed.
        #expect(try ask(server, "EXISTS", names.first!) == .integer(0))
    }

    @Test func `a server without memory left refuses as full and loses nothing`() throws {
        let server = try RedisStorage.startServer(.redis(memoryMiB: 4), deadline: TestServers.patience)
        defer { withExtendedLifetime(server) {} }
        let store = try TestServers.open(RedisStorage.self, server.address)
        #expect(store.claims.retains)
        var stored = 0
        let error = #expect(throws: StoreError.self) {
            while stored < 200 {
                try store.put(StoredEntry([UInt8](repeating: UInt8(stored), count: 65_536)), for: [UInt8(stored)])
                stored += 1
            }
        }
        #expect(error?.code == .full)
        #expect(stored > 0)
        for index in 0..<stored { #expect(try store.get([UInt8(index)])?.value.first == UInt8(index)) }
        #expect(try store.count() == stored)
        // Removing needs no memory, and what it frees can be used.
        try store.removeAll()
        try store.put(StoredEntry([1]), for: [1])
    }

    @Test func `a server that may evict is not said to retain`() throws {
        let server = try RedisStorage.startServer(
            .redis(memoryMiB: 4, ["--maxmemory-policy", "allkeys-lru"]), deadline: TestServers.patience)
        defer { withExtendedLifetime(server) {} }
        let store = try TestServers.open(RedisStorage.self, server.address)
        #expect(!store.claims.retains)
        for index in UInt8(0)..<200 { try store.put(StoredEntry([UInt8](repeating: 1, count: 65_536)), for: [index]) }
        #expect(try store.count() < 200)
    }

    @Test func `the server is handed moments of expiry, rounded up, only if it is told to`() throws {
        let server = try #require(TestServers.redis).address
        let moment: Int64 = 4_000_000_000_000_000_001
        for (parameter, expected) in [("", Int64(-1)), ("server-expiry", 4_000_000_000_001)] {
            let store = try open("prefix=expiry:" + (parameter.isEmpty ? "" : ",\(parameter)"))
            try store.put(StoredEntry([1], expiresAtNanoseconds: moment), for: Array("k".utf8))
            #expect(try store.get(Array("k".utf8))?.expiresAtNanoseconds == moment)
            #expect(try ask(server, "PEXPIRETIME", "expiry:k") == .integer(expected))
            #expect(store.claims.retains == parameter.isEmpty)
            try store.put(StoredEntry([2]), for: Array("k".utf8))
            #expect(try ask(server, "PEXPIRETIME", "expiry:k") == .integer(-1))
            try store.removeAll()
        }
    }

    @Test func `what another program wrote under the prefix is corrupt, never a value`() throws {
        let server = try #require(TestServers.redis).address
        _ = try ask(server, "SET", "alien:text", "hello")
        _ = try ask(server, "LPUSH", "alien:list", "x")
        let store = try open("prefix=alien:")
        for key in ["text", "list"] {
            let error = #expect(throws: StoreError.self) { try store.get(Array(key.utf8)) }
            #expect(error?.code == .corrupt)
        }
        try store.removeAll()
    }

    @Test func `a lost server is unavailable`() throws {
        let server = try RedisStorage.startServer(.redis(), deadline: TestServers.patience)
        defer { withExtendedLifetime(server) {} }
        let store = try TestServers.open(RedisStorage.self, server.address, deadlineMilliseconds: 5_000)
        try store.put(StoredEntry([1]), for: [1])
        server.stop()
        let quick = try? TestServers.open(RedisStorage.self, server.address, deadlineMilliseconds: 50)
        #expect(quick == nil)
        for body in [{ _ = try store.get([1]) }, { try store.put(StoredEntry([2]), for: [1]) }] {
            let error = #expect(throws: StoreError.self) { try body() }
            #expect(error?.code == .unavailable)
        }
        try store.close()
    }
}
