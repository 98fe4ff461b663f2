internal import CacheCore

/// A cache in this process that `scripts/peers-live` compares: asked for objects by number, whose keys and values have been
/// made beforehand in the form that its own API takes. Threads use it at the same time.
protocol PeerCache: Sendable {
    /// Looks an object up and reads the first byte of its value, as whoever asks for a value reads it; returns whether it was there,
    /// and was its own.
    func get(_ object: Int) -> Bool
    /// Stores an object.
    func put(_ object: Int)
    /// The objects that are there; nil for a cache that cannot say.
    var count: Int? { get }
}

/// No cache: it is asked for a key and says that it was there. What is left is what the load itself costs, which is a part of every
/// other cache's time.
struct EmptyPeer: PeerCache {
    let objects: PeerObjects
    /// Behind a closure, into which the compiler does not look: it holds the key for it as it does for a cache.
    let ask: @Sendable (String) -> Bool

    @inline(__always)
    func get(_ object: Int) -> Bool { ask(objects[object].key) }

    func put(_ object: Int) {}

    var count: Int? { nil }
}

/// The objects in the order in which they are asked for, over and over: made beforehand, because the divisions would take as
/// long as a fast cache.
struct PeerOrder: Sendable {
    private let objects: [UInt32]

    /// The order of a trace, whose objects beyond the first `count` stand for those.
    init(_ ids: UnsafeBufferPointer<ObjectID>, objects count: Int) {
        objects = ids.map { $0 % UInt32(count) }
    }

    /// Tells the objects at some positions.
    @inline(__always)
    func forEach(in positions: Range<Int>, _ body: (Int) -> Void) {
        var place = positions.lowerBound % objects.count
        for _ in positions {
            body(Int(objects[place]))
            place &+= 1
            if place == objects.count { place = 0 }
        }
    }
}

/// The key and the value of an object. It is borrowed where it is used: a key that is taken out of an array is counted at every call,
/// in a cache line that threads take from one another, which is no cache's cost and none of other languages' loads.
struct PeerObject: ~Copyable {
    /// Longer than what a `String` holds inline, as most keys in use are.
    let key: String
    /// An allocation of its own, at least a byte.
    let value: [UInt8]

    init(_ number: Int, valueBytes: Int) {
        let digits = String(number)
        key = "object/" + String(repeating: "0", count: max(0, 13 - digits.count)) + digits
        value = [UInt8](repeating: Self.byte(number), count: valueBytes)
    }

    /// What the value of an object consists of.
    @inline(__always)
    static func byte(_ number: Int) -> UInt8 { UInt8(truncatingIfNeeded: number) }
}

/// The keys and values of all objects, shared by whoever stores them: a cache allocates what it adds to them.
final class PeerObjects: Sendable {
    nonisolated(unsafe) private let first: UnsafeMutablePointer<PeerObject>
    let count: Int

    /// The keys and values of so many objects.
    init(count: Int, valueBytes: Int) {
        first = .allocate(capacity: count)
        self.count = count
        for number in 0..<count { (first + number).initialize(to: PeerObject(number, valueBytes: valueBytes)) }
    }

    deinit {
        first.deinitialize(count: count)
        first.deallocate()
    }

    @inline(__always)
    subscript(number: Int) -> PeerObject {
        unsafeAddress { UnsafePointer(first + number) }
    }
}
