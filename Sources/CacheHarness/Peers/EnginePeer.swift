internal import CacheCore
internal import CacheEngine

/// The engine's cache with string keys and array values.
struct EnginePeer: PeerCache {
    /// What else the cache does besides holding so many entries.
    enum Variant: Sendable {
        /// Counts entries.
        case counting
        /// Weighs entries by bytes.
        case weighing
        /// Weighs entries and lets them expire after an hour.
        case expiring
    }

    private let cache: Cache<String, [UInt8]>
    private let objects: PeerObjects

    /// An empty cache of so many entries.
    ///
    /// - Throws: `AssayError` with code `usage` for a policy that cannot drive a cache.
    init(
        _ objects: PeerObjects, capacity: Int, policy: PolicyEntry, _ variant: Variant,
        _ order: CacheOrder
    ) throws(AssayError) {
        self.objects = objects
        var options = CacheOptions<String, [UInt8]>(capacity: .objects(capacity))
        if variant != .counting, objects.count > 0 {
            let weight = objects[0].key.utf8.count + objects[0].value.count
            options.capacity = .bytes(capacity * weight)
            options.weigher = { key, value in key.utf8.count + value.count }
            options.expectedEntries = capacity
            options.smallestWeight = weight
        }
        if variant == .expiring { options.expiry = .afterWrite(.seconds(3600)) }
        options.order = order
        cache = try Cache(options, policy: policy)
    }

    @inline(__always)
    func get(_ object: Int) -> Bool {
        cache.value(for: objects[object].key)?.first == PeerObject.byte(object)
    }

    @inline(__always)
    func put(_ object: Int) { cache.put(objects[object].value, for: objects[object].key) }

    var count: Int? { cache.count }
}
