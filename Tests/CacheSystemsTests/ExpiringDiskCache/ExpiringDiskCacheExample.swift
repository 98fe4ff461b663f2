import CacheCore
import CachePolicies
import CacheStorage
import CacheSystems

/// Articles that are fetched at most every ten minutes, and shown from disk when there is no network.
struct ArticleStore {
    struct Article: Codable, Sendable, Equatable {
        var title: String
    }

    let articles: ExpiringDiskCache<Article>

    init(directory: String) throws {
        var options = ExpiringDiskCacheOptions()
        options.memoryObjectsMax = 100
        options.diskBytesMax = 50 << 20
        let lru = PolicyEntry(unit: LRUPolicy<UnitSizes>.self, bytes: LRUPolicy<ByteSizes>.self)
        let files = try BackendEntry(FileStorage.self).open(directory: directory)
        articles = try ExpiringDiskCache(options, policy: lru, storage: files)
    }

    func article(_ name: String, fetch: @escaping @Sendable () async throws -> Article) async throws -> Article {
        let old = try articles.object(forKey: name, returningExpired: true)
        do {
            return try await articles.object(forKey: name, expires: .seconds(600), load: fetch)
        } catch {
            guard let old else { throw error }
            return old
        }
    }
}
