import CacheCore
import Testing

@testable import CacheStorageServers

/// Slots of keys and the map of who has them.
@Suite("Redis slots")
struct RedisSlotsTests {
    // The first is the specification's own test value; slots as `CLUSTER KEYSLOT` of Redis 7.0 answers.
    @Test func `the check sum is XMODEM's`() {
        #expect(RedisSlots.crc16(Array("123456789".utf8)[...]) == 0x31C3)
        #expect(RedisSlots.crc16([]) == 0)
    }

    @Test(arguments: [
        ("foo", "{foo}bar"), ("user1000", "{user1000}.following"), ("{bar", "foo{{bar}}zap"), ("bar", "foo{bar}{zap}"),
    ])
    func `a tag in braces decides`(tag: String, key: String) {
        let whole = Int(RedisSlots.crc16(Array(tag.utf8)[...])) % RedisSlots.count
        #expect(RedisSlots.slot(of: Array(key.utf8)) == whole)
    }

    @Test(arguments: ["foo{}{bar}", "foo{bar", "foo}bar{", "{}"])
    func `without a tag all bytes decide`(key: String) {
        let whole = Int(RedisSlots.crc16(Array(key.utf8)[...])) % RedisSlots.count
        #expect(RedisSlots.slot(of: Array(key.utf8)) == whole)
    }

    @Test(.enabled(if: TestServers.redis != nil, TestServers.redisHint))
    func `the server's slots are ours`() throws {
        let cluster = try RedisTestCluster(size: 1)
        defer { withExtendedLifetime(cluster) {} }
        let client = try cluster.client()
        var random = SeededGenerator(seed: 5)
        let letters = Array("{}ab\0\u{FF}".utf8)
        for _ in 0..<500 {
            let key = (0..<random.next(below: 9)).map { _ in letters[random.next(below: letters.count)] }
            let command = RedisCommand("CLUSTER", key: Array("KEYSLOT".utf8), value: key)
            let reply = try client.perform([command], at: cluster.addresses[0], isRepeatable: true)
            #expect(reply == [.integer(Int64(RedisSlots.slot(of: key)))])
        }
    }

    private func range(_ first: Int, _ last: Int, _ host: RESPValue, _ port: Int) -> RESPValue {
        .array([.integer(Int64(first)), .integer(Int64(last)), .array([host, .integer(Int64(port))])])
    }

    @Test func `the map is read, and hosts that are not named are the one that was asked`() throws {
        let reply = RESPValue.array([
            range(0, 99, .bulk(Array("a".utf8)), 1), range(100, 200, .null, 2), range(300, 300, .simple(""), 3),
        ])
        let slots = try #require(RedisSlots(reply, askedOf: "me"))
        #expect(slots[99] == ServerAddress(host: "a", port: 1))
        #expect(slots[100] == ServerAddress(host: "me", port: 2))
        #expect(slots[300] == ServerAddress(host: "me", port: 3))
        #expect(slots[201] == nil)
        #expect(slots.servers.count == 3)
    }

    @Test func `hostile maps are refused`() {
        let a = RESPValue.bulk(Array("a".utf8))
        for range in [
            range(-1, 3, a, 1), range(0, 16_384, a, 1), range(5, 4, a, 1), range(0, 1, a, 0), range(0, 1, a, 70_000),
            .array([.integer(0)]), .integer(1), .array([.integer(0), .integer(1), .array([a])]),
        ] {
            #expect(RedisSlots(.array([range]), askedOf: "me") == nil)
        }
        #expect(RedisSlots(.integer(3), askedOf: "me") == nil)
        #expect(RedisSlots(.array([range(0, 1, .null, 1)]), askedOf: nil) == nil)
    }

    @Test func `redirections are read`() {
        #expect(
            RedisRedirection("MOVED 3999 127.0.0.1:6381", from: nil)
                == .moved(slot: 3_999, ServerAddress(host: "127.0.0.1", port: 6_381)))
        #expect(RedisRedirection("ASK 1 :7", from: "h") == .ask(ServerAddress(host: "h", port: 7)))
        #expect(RedisRedirection("ASK 1 ::1:7", from: nil) == .ask(ServerAddress(host: "::1", port: 7)))
        #expect(RedisRedirection("TRYAGAIN Multiple keys", from: nil) == .tryAgain)
        for text in ["ERR x", "MOVED", "MOVED 99999 h:1", "MOVED 1 h", "MOVED 1 h:0", "MOVED 1 :1", ""] {
            #expect(RedisRedirection(text, from: nil) == nil)
        }
    }
}
