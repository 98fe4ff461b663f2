import CacheCore
import CacheEngine
import CachePolicies
import CacheStorage
import CacheSystems

/// Prices that are slow to work out: kept in memory for an hour, and the yearly ones on disk for good.
struct PriceList {
    let trigger = InvalidationTrigger()
    let price: MemoizedFunction<String, Int, Int, Int, Never>
    let yearly: MemoizedAsyncFunction<Int, [String: Int], any Error>
    let disk: StoredMethodCache

    init(directory: String) throws {
        var options = MethodCacheOptions(capacity: .objects(10_000))
        options.expiry = .afterWrite(.seconds(3600))
        let memory = try MethodCache(
            options, policy: PolicyEntry(unit: LRUPolicy<UnitSizes>.self, bytes: LRUPolicy<ByteSizes>.self))
        // The third argument, who asks, is not part of the key.
        price = memory.memoize(key: { article, count, _ in Arguments(article, count) }) { article, count, customer in
            article.utf8.count * 100 * count
        }
        trigger.attach(memory)

        let files = try BackendEntry(FileStorage.self).open(directory: directory)
        disk = try StoredMethodCache(
            MethodCacheOptions(capacity: .objects(100)),
            policy: PolicyEntry(unit: LRUPolicy<UnitSizes>.self, bytes: LRUPolicy<ByteSizes>.self), over: files)
        yearly = disk.memoize("yearly", version: 1) { (year: Int) async throws -> [String: Int] in ["bread": year] }
    }

    /// Forgets every price in memory, as when a new list comes.
    func newList() { trigger.fire() }
}
