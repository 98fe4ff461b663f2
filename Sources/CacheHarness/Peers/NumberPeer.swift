internal import CacheCore
internal import CacheEngine

/// The engine's cache with string keys and numbers as values, to which no references are counted.
struct NumberPeer: PeerCache {
    private let cache: Cache<String, Int>
    private let objects: PeerObjects

    /// An empty cache of so many entries.
    ///
    /// - Throws: `AssayError` with code `usage` for a policy that cannot drive a cache.
    init(_ objects: PeerObjects, capacity: Int, policy: PolicyEntry) throws(AssayError) {
        self.objects = objects
        cache = try Cache(CacheOptions(capacity: .objects(capacity)), policy: policy)
    }

    @inline(__always)
    func get(_ object: Int) -> Bool { cache.value(for: objects[object].key) == object }

    @inline(__always)
    func put(_ object: Int) { cache.put(object, for: objects[object].key) }

    var count: Int? { cache.count }
}
