/// Where a policy keeps the weight of each slot: nowhere when every object weighs 1, in a column otherwise.
///
/// A policy is generic over this so that a run in objects carries no trace of sizes.
public protocol SizeStore: ~Copyable {
    /// Whether every object weighs 1.
    static var isUnit: Bool { get }
    /// Room for the weights of that many slots.
    init(slots: Int)
    /// What a request weighs against the capacity.
    static func weight(of request: Request) -> Int
    /// The weight that was stored for a slot.
    func weight(at slot: UInt32) -> Int
    /// Stores the weight of a slot.
    func setWeight(_ weight: Int, at slot: UInt32)
    /// Asks the processor to fetch the weight of a slot.
    func prefetch(_ slot: UInt32)
}

/// Every object weighs 1: nothing is stored.
@frozen
public struct UnitSizes: SizeStore {
    /// True.
    @inlinable public static var isUnit: Bool { true }
    /// Stores nothing.
    @inlinable public init(slots: Int) {}
    /// 1.
    @inlinable @inline(__always) public static func weight(of request: Request) -> Int { 1 }
    /// 1.
    @inlinable @inline(__always) public func weight(at slot: UInt32) -> Int { 1 }
    /// Does nothing.
    @inlinable @inline(__always) public func setWeight(_ weight: Int, at slot: UInt32) {}
    /// Does nothing.
    @inlinable @inline(__always) public func prefetch(_ slot: UInt32) {}
}

/// Every object weighs its size in bytes: 8 bytes a slot.
@frozen
public struct ByteSizes: ~Copyable, SizeStore {
    @usableFromInline let weights: FixedBuffer<Int>
    /// False.
    @inlinable public static var isUnit: Bool { false }
    /// Room for that many weights.
    @inlinable public init(slots: Int) { weights = FixedBuffer(repeating: 0, count: slots) }
    /// The request's size.
    @inlinable @inline(__always) public static func weight(of request: Request) -> Int { request.size }
    /// The stored size.
    @inlinable @inline(__always) public func weight(at slot: UInt32) -> Int { weights[slot] }
    /// Fetches the size.
    @inlinable @inline(__always) public func prefetch(_ slot: UInt32) { weights.prefetch(slot) }
    /// Stores a size.
    @inlinable @inline(__always) public func setWeight(_ weight: Int, at slot: UInt32) { weights[slot] = weight }
}
