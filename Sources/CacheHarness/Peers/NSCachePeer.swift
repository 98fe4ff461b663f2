internal import Foundation

/// Foundation's `NSCache` with a limit of entries. Its keys and values are objects that were made beforehand: converting
/// them at each call would be several times slower.
final class NSCachePeer: PeerCache {
    // Documented to be safe for use by several threads at once; Foundation does not say so to the compiler everywhere.
    nonisolated(unsafe) private let cache = NSCache<NSString, NSData>()
    nonisolated(unsafe) private let keys: [NSString]
    nonisolated(unsafe) private let values: [NSData]

    /// An empty cache of so many entries.
    init(_ objects: PeerObjects, capacity: Int) {
        keys = (0..<objects.count).map { NSString(string: objects[$0].key) }
        values = (0..<objects.count).map { NSData(data: Data(objects[$0].value)) }
        cache.countLimit = capacity
    }

    @inline(__always)
    func get(_ object: Int) -> Bool {
        cache.object(forKey: keys[object])?.bytes.load(as: UInt8.self) == PeerObject.byte(object)
    }

    @inline(__always)
    func put(_ object: Int) { cache.setObject(values[object], forKey: keys[object]) }

    var count: Int? { nil }
}
