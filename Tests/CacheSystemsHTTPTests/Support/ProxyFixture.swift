import CacheCore
import CacheEngine
import CachePolicies
import CacheStorage
import CacheSystems
import CacheSystemsHTTP
import Foundation
import Synchronization
import Testing
import _CacheTestSupport

/// A proxy before a scripted origin, with the cache between them.
final class ProxyFixture: Sendable {
    let origin: ScriptedOrigin
    let cache: HTTPCache
    let network: HTTPClientOrigin
    let proxy: HTTPProxy
    let port: Int

    fileprivate init(
        _ origin: ScriptedOrigin, _ directory: String, _ change: @Sendable (inout Setup) -> Void
    ) async throws {
        let address = HTTPURL("http://127.0.0.1:\(origin.port)")!
        var setup = Setup(proxy: HTTPProxyOptions(origin: address))
        setup.cache.profile = .shared
        setup.cache.bodyDirectory = directory + "/bodies"
        change(&setup)
        self.origin = origin
        network = HTTPClientOrigin(setup.network, server: address)
        let lru = try #require(BuiltinPolicies.all.first { $0.descriptor.name == "lru" })
        let store = try #require(BuiltinStorage.embedded.first { $0.descriptor.name == "dictionary" })
        cache = try HTTPCache(setup.cache, policy: lru, storage: store.open(directory: nil), origin: network)
        proxy = try await HTTPProxy.start(setup.proxy, cache: cache)
        port = try #require(proxy.address.split(separator: ":").last.flatMap { Int($0) })
    }

    struct Setup: Sendable {
        var cache = HTTPCacheOptions("test")
        var network = HTTPClientOrigin.Options()
        var proxy: HTTPProxyOptions
    }

    /// A connection with the proxy.
    func connect(receiveBuffer: Int? = nil) async throws -> Wire {
        try await Wire.connect(port, receiveBuffer: receiveBuffer)
    }

    /// The answer to a request on a connection of its own.
    func ask(_ method: String = "GET", _ target: String = "/", _ fields: String..., body: String = "") async throws
        -> Wire.Message
    {
        let wire = try await connect()
        let lines = (["Host: here"] + fields).map { $0 + "\r\n" }.joined()
        try await wire.write("\(method) \(target) HTTP/1.1\r\n\(lines)\r\n\(body)")
        let answer = try #require(await wire.answer(to: method))
        await wire.close()
        return answer
    }

    /// What the proxy says to some bytes, and whether it closes the connection after.
    func say(_ text: String) async throws -> (answer: Wire.Message?, closes: Bool) {
        let wire = try await connect()
        try await wire.write(text)
        let answer = await wire.answer()
        let closes = answer == nil || answer?["Connection"] == ["close"]
        if closes { #expect(await wire.rest() == []) }
        await wire.close()
        return (answer, closes)
    }
}

/// Runs a test with a proxy, and takes everything down.
func withProxy(
    _ origin: ScriptedOrigin, _ change: @Sendable (inout ProxyFixture.Setup) -> Void = { _ in },
    _ body: (ProxyFixture) async throws -> Void
) async throws {
    let directory = try TemporaryDirectory()
    let fixture = try await ProxyFixture(origin, directory.path, change)
    let result: Result<Void, any Error>
    do { result = .success(try await body(fixture)) } catch { result = .failure(error) }
    await fixture.proxy.stop(within: .zero)
    try fixture.cache.close()
    try await fixture.network.shutdown()
    await origin.stop()
    try result.get()
}

/// Waits until something is so. It hangs where it never is: the runner's own limit ends it.
func until(_ condition: () -> Bool) async throws {
    while !condition() { try await Task.sleep(for: .milliseconds(2)) }
}
