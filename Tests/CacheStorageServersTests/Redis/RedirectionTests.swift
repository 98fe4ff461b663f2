import CacheCore
import Testing

@testable import CacheStorageServers

/// What a changing cluster tells its clients, by servers that tell it on purpose.
@Suite("Redis redirections")
struct RedirectionTests {
    private static let a = Array("a".utf8)
    private static let found = RESPValue.bulk(StoredEnvelope.encode(StoredEntry([7])))

    private func open(_ server: FakeServer, deadlineMilliseconds: Int = 30 * 60_000) throws -> RedisStorage {
        try TestServers.open(
            RedisStorage.self, server.address, "prefix=p", deadlineMilliseconds: deadlineMilliseconds)
    }

    /// A server of a cluster whose slots are all `owner`'s.
    private static func node(
        owner: @escaping @Sendable () -> Int, _ script: @escaping FakeServer.Script
    ) -> FakeServer.Script {
        { command, connection in
            switch command[0] {
            case "HELLO": .reply(.map([]))
            case "INFO": .reply(.bulk(Array("maxmemory:0\r\ncluster_enabled:1\r\n".utf8)))
            case "CLUSTER":
                .reply(
                    .array([
                        .array([
                            .integer(0), .integer(16_383),
                            .array([.bulk(Array("127.0.0.1".utf8)), .integer(Int64(owner()))]),
                        ])
                    ]))
            default: script(command, connection)
            }
        }
    }

    private func port(_ server: FakeServer) -> Int { Int("\(server.address)".split(separator: ":")[1])! }

    /// A server that has the key, and one that sends those who ask for it there with `word`.
    private func pair(_ word: String) throws -> (target: FakeServer, first: FakeServer) {
        let target = try FakeServer(Self.node(owner: { 1 }) { _, _ in .reply(Self.found) })
        defer { withExtendedLifetime(target) {} }
        let port = port(target)
        let slot = RedisSlots.slot(of: Array("pa".utf8))
        let own = Box()
        let first = try FakeServer(
            Self.node(owner: { own.port }) { _, _ in .reply(.error("\(word) \(slot) 127.0.0.1:\(port)")) })
        defer { withExtendedLifetime(first) {} }
        own.port = self.port(first)
        return (target, first)
    }

    private final class Box: @unchecked Sendable {
        var port = 1
        var count = 0
    }

    @Test func `MOVED is followed and remembered`() throws {
        let (target, first) = try pair("MOVED")
        let store = try open(first)
        // The map still names the first server, and is asked for once a second at most: so the second call may ask it again.
        for _ in 0..<3 { #expect(try store.get(Self.a) == StoredEntry([7])) }
        #expect(target.commands.filter { $0[0] == "GET" }.count == 3)
        #expect(!target.commands.contains(["ASKING"]))
        #expect(first.commands.contains { $0[0] == "GET" })
    }

    @Test func `a server that hides its cluster is followed too`() throws {
        let own = Box()
        let target = try FakeServer(Self.node(owner: { own.port }) { _, _ in .reply(Self.found) })
        defer { withExtendedLifetime(target) {} }
        own.port = self.port(target)
        let (slot, port) = (RedisSlots.slot(of: Array("pa".utf8)), port(target))
        let first = try FakeServer(
            FakeServer.plain { _, _ in .reply(.error("MOVED \(slot) 127.0.0.1:\(port)")) })
        defer { withExtendedLifetime(first) {} }
        #expect(try open(first).get(Self.a) == StoredEntry([7]))
    }

    @Test func `ASK is followed once, after ASKING, and not remembered`() throws {
        let (target, first) = try pair("ASK")
        let store = try open(first)
        for _ in 0..<2 { #expect(try store.get(Self.a) == StoredEntry([7])) }
        #expect(target.commands.map { $0[0] } == ["ASKING", "GET", "ASKING", "GET"])
        #expect(first.commands.filter { $0[0] == "GET" }.count == 2)
    }

    @Test(arguments: ["TRYAGAIN Multiple keys", "CLUSTERDOWN The cluster is down", "LOADING Redis is loading"])
    func `a server that asks for patience gets it`(text: String) throws {
        let asked = Box()
        let own = Box()
        let server = try FakeServer(
            Self.node(owner: { own.port }) { _, _ in
                asked.count += 1
                return asked.count < 4 ? .reply(.error(text)) : .reply(Self.found)
            })
        defer { withExtendedLifetime(server) {} }
        own.port = port(server)
        #expect(try open(server).get(Self.a) == StoredEntry([7]))
    }

    @Test(arguments: ["TRYAGAIN Multiple keys", "MOVED 1 127.0.0.1:PORT", "ASK 1 127.0.0.1:PORT"])
    func `a cluster that never settles is unavailable at the deadline`(text: String) throws {
        let own = Box()
        let server = try FakeServer(
            Self.node(owner: { own.port }) { command, _ in
                .reply(
                    command[0] == "ASKING"
                        ? .simple("OK") : .error(text.replacing("PORT", with: "\(own.port)")))
            })
        defer { withExtendedLifetime(server) {} }
        own.port = port(server)
        // On a busy machine the time is over before the store is open.
        let error = #expect(throws: StoreError.self) { try open(server, deadlineMilliseconds: 200).get(Self.a) }
        #expect(error?.code == .unavailable)
    }

    /// Of a cluster whose first map took an eighth of the deadline it was said that it had to be set up.
    @Test func `a map that does not come is not said to be missing`() throws {
        let node = Self.node(owner: { 1 }) { _, _ in .silence }
        let server = try FakeServer { $0[0] == "CLUSTER" ? .silence : node($0, $1) }
        defer { withExtendedLifetime(server) {} }
        let error = #expect(throws: StoreError.self) { try open(server, deadlineMilliseconds: 200) }
        #expect(error.map { !"\($0)".contains("set it up") } == true)
    }

    @Test func `when a server of the cluster is gone, the map is asked of another`() throws {
        let own = Box()
        let survivor = try FakeServer(Self.node(owner: { own.port }) { _, _ in .reply(Self.found) })
        defer { withExtendedLifetime(survivor) {} }
        let victim = try FakeServer(Self.node(owner: { own.port }) { _, _ in .lastBytes([]) })
        defer { withExtendedLifetime(victim) {} }
        own.port = port(victim)
        let store = try open(survivor, deadlineMilliseconds: 20_000)
        own.port = port(survivor)
        try victim.stop()
        #expect(try store.get(Self.a) == StoredEntry([7]))
    }
}
