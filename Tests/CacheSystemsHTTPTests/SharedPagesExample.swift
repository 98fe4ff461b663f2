import CacheCore
import CachePolicies
import CacheStorage
import CacheSystems
import CacheSystemsHTTP

/// A cache that all clients of a web server share.
struct SharedPages {
    let proxy: HTTPProxy
    private let cache: HTTPCache
    private let network: HTTPClientOrigin

    init(before server: HTTPURL, directory: String) async throws {
        let lru = PolicyEntry(unit: LRUPolicy<UnitSizes>.self, bytes: LRUPolicy<ByteSizes>.self)
        let records = try BackendEntry(FileStorage.self).open(directory: directory + "/records")
        var options = HTTPCacheOptions("pages")
        options.profile = .shared
        options.bodyDirectory = directory + "/bodies"
        network = HTTPClientOrigin()
        cache = try HTTPCache(options, policy: lru, storage: records, origin: network)
        proxy = try await HTTPProxy.start(HTTPProxyOptions(origin: server), cache: cache)
    }

    /// Lets requests under way come to their end, for half a minute at most.
    func stop() async throws {
        await proxy.stop(within: .seconds(30))
        try cache.close()
        try await network.shutdown()
    }
}
