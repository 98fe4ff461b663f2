import CacheCore
import CacheEngine
import CachePolicies

/// Pages of a site, loaded at most once at a time and kept for an hour.
struct PageCache {
    let pages: Cache<String, [UInt8]>

    init() throws {
        var options = CacheOptions<String, [UInt8]>(capacity: .bytes(64 << 20))
        options.weigher = { path, page in path.utf8.count + page.count }
        options.expiry = .afterWrite(.seconds(3600))
        options.staleIfError = .seconds(600)
        pages = try Cache(options, policy: S3FIFOPolicy<ByteSizes>.self)
    }

    func page(_ path: String, from site: String) async throws -> [UInt8] {
        try await pages.value(for: path, tags: [site]) { path in Array("the page \(path)".utf8) }
    }

    func forget(site: String) { pages.removeAll(taggedWith: site) }
}
