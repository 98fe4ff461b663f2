/// A cache in this process that `scripts/peers-live` compares: asked for objects by number, whose keys and values have been
/// made beforehand in the form that its own API takes. Threads use it at the same time.
protocol PeerCache: Sendable {
    /// Looks an object up and makes its value available; returns whether it was there.
    func get(_ object: Int) -> Bool
    /// Stores an object.
    func put(_ object: Int)
    /// The objects that are there; nil for a cache that cannot say.
    var count: Int? { get }
}

/// The keys and values of all objects, shared by whoever stores them: a cache allocates what it adds to them.
struct PeerObjects: Sendable {
    /// Keys that are longer than what a `String` holds inline, as most in use are.
    let keys: [String]
    /// Values, each an allocation of its own.
    let values: [[UInt8]]

    /// The keys and values of so many objects.
    init(count: Int, valueBytes: Int) {
        keys = (0..<count).map { number in
            let digits = String(number)
            return "object/" + String(repeating: "0", count: max(0, 13 - digits.count)) + digits
        }
        values = (0..<count).map { [UInt8](repeating: UInt8(truncatingIfNeeded: $0), count: valueBytes) }
    }
}
