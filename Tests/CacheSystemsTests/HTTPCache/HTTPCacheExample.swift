import CacheCore
import CachePolicies
import CacheStorage
import CacheSystems

/// The pages of a magazine, which can be read on the way, where there is no network.
struct PageStore {
    let cache: HTTPCache

    init(directory: String, network: any HTTPOrigin) throws {
        let lru = PolicyEntry(unit: LRUPolicy<UnitSizes>.self, bytes: LRUPolicy<ByteSizes>.self)
        let records = try BackendEntry(FileStorage.self).open(directory: directory + "/records")
        var options = HTTPCacheOptions("magazine")
        options.bodyDirectory = directory + "/bodies"
        options.storeBytesMax = 500 << 20
        cache = try HTTPCache(options, policy: lru, storage: records, origin: network)
    }

    /// A page of an issue, and whether it may be older than the magazine's own.
    func page(_ url: HTTPURL, issue: String) async throws -> (content: [UInt8], mayBeOld: Bool)? {
        var options = HTTPRequestOptions()
        options.groups = [issue]
        let answer = try await cache.respond(to: HTTPRequest("GET", url), options)
        guard answer.status == 200 else { return nil }
        return (try await answer.body.bytes(), answer.source == .stale)
    }

    /// Reads on without a network, or with it again.
    func travel(_ isAway: Bool) { cache.isOffline = isAway }

    /// Forgets the pages of an issue, and nothing else.
    func discard(issue: String) throws { try cache.purge(group: issue) }
}
