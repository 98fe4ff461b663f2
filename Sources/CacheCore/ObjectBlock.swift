/// Up to 64 requests in a row of a trace.
@frozen
public struct ObjectBlock: BitwiseCopyable {
    /// The number of requests, from 1 to 64.
    public let count: Int
    /// The objects that the requests ask for, in order.
    public let ids: UnsafePointer<ObjectID>
    /// How many requests ahead it is time to fetch what is known of an object: that many, and twice as many, may be read after any
    /// of the block.
    public let ahead: Int

    /// The most requests of a block.
    @inlinable public static var limit: Int { 64 }

    /// The requests from `ids` on; those up to ``distance`` times `ahead` after the last may be read too.
    @inlinable @inline(__always)
    init(ids: UnsafePointer<ObjectID>, count: Int, ahead: Int) {
        self.ids = ids
        self.count = count
        self.ahead = ahead
    }

    /// The object that a request of the block asks for.
    @inlinable @inline(__always)
    public subscript(position: Int) -> ObjectID { ids[position] }

    /// The object of a later request, in this block or after it, that it is time to fetch what is known of.
    @inlinable @inline(__always)
    public func upcoming(_ position: Int) -> ObjectID { ids[position &+ ahead] }

    /// The object of a request twice as far ahead as that of ``upcoming(_:)``: in the next block, where a block is looked through
    /// twice.
    @inlinable @inline(__always)
    public func distant(_ position: Int) -> ObjectID { ids[position &+ ahead &* Self.distance] }

    /// How many times as far ahead as ``upcoming(_:)`` is the farthest request that may be read.
    @inlinable static var distance: Int { 2 }

    /// The object of a request half as far ahead: what was fetched for it as ``upcoming(_:)`` is there, and leads to more.
    @inlinable @inline(__always)
    public func approaching(_ position: Int) -> ObjectID { ids[position &+ ahead / 2] }
}

/// How far a block has been served.
@frozen
public struct BlockProgress: BitwiseCopyable {
    /// The next request.
    @usableFromInline var position = 0
    /// A bit for each request so far, the lowest for the last, set where it missed.
    @usableFromInline var misses: UInt64 = 0
    /// The next position of the log to write, or the next of the planned victims.
    @usableFromInline var next: UInt32 = 0

    @inlinable init() {}

    /// Counts a request that missed, if given all bits, or hit, if given none.
    @inlinable @inline(__always)
    mutating func advance(missed: UInt64) {
        misses = misses &+ misses &- missed
        position &+= 1
    }
}
