import CacheCore
import Testing

@testable import CacheStorageServers

/// A cluster of Redis servers on the loopback address, each with a share of the slots.
final class RedisTestCluster: Sendable {
    let nodes: [ServerProcess]

    var addresses: [ServerAddress] { nodes.map(\.address) }

    init(size: Int) throws {
        nodes = try (0..<size).map { _ in
            try RedisStorage.startServer(.redisClusterNode(), deadline: TestServers.patience)
        }
        let share = RedisSlots.count / size
        for (index, address) in addresses.enumerated() {
            let last = index == size - 1 ? RedisSlots.count - 1 : (index + 1) * share - 1
            try ask(address, "CLUSTER", "ADDSLOTSRANGE", "\(index * share)", "\(last)")
        }
        for node in nodes.dropFirst() {
            // The bus has a port of its own, which the node knows.
            let bus = try busPort(node.address)
            let parts = "\(node.address)".split(separator: ":")
            try ask(addresses[0], "CLUSTER", "MEET", "\(parts[0])", "\(parts[1])", bus)
        }
        while try !addresses.allSatisfy(isReady) { TestServers.patience.pause(milliseconds: 20) }
    }

    /// A client of the first node.
    func client() throws -> RedisClient {
        try RedisClient(addresses[0], deadlineMilliseconds: 30 * 60_000, limits: .init(), password: nil)
    }

    /// Asks a node directly and expects no error.
    @discardableResult
    func ask(_ address: ServerAddress, _ words: String...) throws -> RESPValue {
        let link = RedisClient.Link(address, parser: { RESPParser() }, handshake: { (_, _) throws(LinkFailure) in })
        let reply = try link.send(
            RedisCommand.encoded([RedisCommand(words)]), replyCount: 1, deadline: TestServers.patience)[0]
        if case .error(let text) = reply { throw StoreError(.inputOutput, "\(words): \(text)") }
        return reply
    }

    private func busPort(_ address: ServerAddress) throws -> String {
        let reply = try ask(address, "CONFIG", "GET", "cluster-port")
        return try #require(reply.elements?.last?.text)
    }

    private func isReady(_ address: ServerAddress) throws -> Bool {
        let text = try ask(address, "CLUSTER", "INFO").text ?? ""
        let slots = try RedisSlots(ask(address, "CLUSTER", "SLOTS"), askedOf: address.host)
        return text.contains("cluster_state:ok") && slots?.servers.count == nodes.count
    }
}
