import CacheConformance
import CacheCore
import Testing

@testable import CacheStorageServers

/// A cluster of three servers on this machine.
@Suite("Redis cluster", .enabled(if: TestServers.redis != nil, TestServers.redisHint), .serialized)
struct RedisClusterTests {
    static let cluster = Result { try RedisTestCluster(size: 3) }

    private func keyCount(_ cluster: RedisTestCluster) throws -> [Int] {
        try cluster.addresses.map { Int(try #require(cluster.ask($0, "DBSIZE").integer)) }
    }

    @Test func `keys are spread over the servers, listed once and removed from all`() throws {
        let cluster = try Self.cluster.get()
        let store = try TestServers.open(RedisStorage.self, cluster.addresses[1])
        let keys = (0..<300).map { Array("key-\($0)".utf8) }
        for key in keys { try store.put(StoredEntry(key), for: key) }
        for key in keys { #expect(try store.get(key) == StoredEntry(key)) }
        #expect(try keyCount(cluster).allSatisfy { $0 > 50 })
        #expect(try Set(store.keys()) == Set(keys))
        #expect(try store.count() == 300)
        try store.removeAll()
        #expect(try keyCount(cluster) == [0, 0, 0])
        try store.close()
    }

    @Test(arguments: ConformanceSuite.storage.checks.filter { ["BAS", "CLR", "ITR", "VAL"].contains($0.section) })
    func `a cluster conforms`(check: Check) throws {
        let cluster = try Self.cluster.get()
        try check.require(on: TestServers.subject(RedisStorage.self, cluster.addresses[0]))
    }

    @Test func `a slot on its way to another server loses nothing`() throws {
        let cluster = try Self.cluster.get()
        // One tag, one slot.
        let store = try TestServers.open(RedisStorage.self, cluster.addresses[0], "prefix={moving}")
        let keys = (0..<40).map { Array("key-\($0)".utf8) }
        let other = try TestServers.open(RedisStorage.self, cluster.addresses[0], "prefix={moving}other:")
        for key in keys { for store in [store, other] { try store.put(StoredEntry(key), for: key) } }
        let slot = RedisSlots.slot(of: Array("{moving}".utf8))
        let slots = try #require(
            RedisSlots(cluster.ask(cluster.addresses[0], "CLUSTER", "SLOTS"), askedOf: nil))
        let source = try #require(slots[slot])
        let target = try #require(cluster.addresses.first { $0 != source })
        let names = try [source, target].map { try #require(cluster.ask($0, "CLUSTER", "MYID").text) }
        try cluster.ask(target, "CLUSTER", "SETSLOT", "\(slot)", "IMPORTING", names[0])
        try cluster.ask(source, "CLUSTER", "SETSLOT", "\(slot)", "MIGRATING", names[1])
        let parts = "\(target)".split(separator: ":")
        for name in keys[..<20].flatMap({ key in
            ["{moving}", "{moving}other:"].map { $0 + String(decoding: key, as: UTF8.self) }
        }) {
            try cluster.ask(source, "MIGRATE", "\(parts[0])", "\(parts[1])", name, "0", "5000")
        }
        // Half is here and half there: the server asks to ask the other.
        for key in keys { #expect(try store.get(key) == StoredEntry(key)) }
        #expect(try Set(store.keys()).isSuperset(of: keys))
        // Removing all of one store leaves nothing of it on either side, and the other store as it was.
        try other.removeAll()
        #expect(try other.count() == 0)
        #expect(try keys.allSatisfy { try other.get($0) == nil })
        let new = Array("new".utf8)
        try store.put(StoredEntry([1]), for: new)
        #expect(try store.get(new) == StoredEntry([1]))
        for key in keys[20...] {
            let name = "{moving}" + String(decoding: key, as: UTF8.self)
            try cluster.ask(source, "MIGRATE", "\(parts[0])", "\(parts[1])", name, "0", "5000")
        }
        for server in [target, source] {
            try cluster.ask(server, "CLUSTER", "SETSLOT", "\(slot)", "NODE", names[1])
        }
        // The slot has moved: the store learns it.
        for key in keys { #expect(try store.get(key) == StoredEntry(key)) }
        #expect(try store.remove(new))
        #expect(try store.count() == 40)
        try store.removeAll()
        #expect(try store.count() == 0)
    }
}
