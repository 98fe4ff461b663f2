internal import CacheCore

/// Hits at every capacity in objects: what one pass over a trace finds for a stack algorithm.
public struct StackCurve: Sendable, Hashable {
    /// Requests in the trace.
    public let requests: Int
    /// Bytes requested in the trace.
    public let bytesRequested: Int
    private let hits: [Int]
    /// Empty where every request has one size.
    private let bytes: [Int]
    private let uniformSize: Int

    /// A curve from a pass's tally.
    init(_ tally: borrowing DistanceTally) {
        requests = tally.requests
        bytesRequested = tally.bytesRequested
        uniformSize = tally.uniformSize ?? 0
        hits = Self.cumulated(tally.counts, largest: tally.largest)
        bytes = tally.uniformSize == nil ? Self.cumulated(tally.bytes, largest: tally.largest) : []
    }

    /// The least capacity from which on nothing changes.
    public var largestCapacity: Int { hits.count - 1 }

    /// What hits in a cache of that many objects. O(1).
    public func hits(at capacity: Int) -> CurveHits {
        let index = min(max(0, capacity), hits.count - 1)
        return CurveHits(hits: hits[index], bytesHit: bytes.isEmpty ? hits[index] * uniformSize : bytes[index])
    }

    private static func cumulated(_ counts: borrowing FixedBuffer<Int>, largest: Int) -> [Int] {
        var sum = 0
        return (0...largest).map { distance in
            sum += counts[UInt32(distance)]
            return sum
        }
    }
}

/// Hits of LRU at some capacities in bytes, from one pass over a trace.
///
/// A request hits at a capacity if the sizes of all objects that were asked for since its object's last request, its own
/// included, sum up to no more. That is what LRU does that evicts until the newcomer fits, as long as no object is larger
/// than the capacity and objects keep their sizes: an object stays until those asked for since do not fit beside it, and what
/// was asked for since is resident whenever it is. An object larger than the capacity is refused and displaces nothing,
/// where the sum counts it, so below the largest size the curve is a lower bound. An object whose size changes weighs what
/// it was first asked for with, where a cache takes the size of the request that admits it. ``isExact(at:)`` tells.
public struct ByteStackCurve: Sendable, Hashable {
    /// Requests in the trace.
    public let requests: Int
    /// Bytes requested in the trace.
    public let bytesRequested: Int
    /// The capacities, ascending.
    public let capacities: [Int]
    /// What hits at each of them.
    public let hits: [CurveHits]
    /// The largest size of an object at its first request.
    public let largestSize: Int
    /// Whether an object was asked for with another size than its first.
    public let hasChangingSizes: Bool

    /// Whether a replay of LRU counts the same at that capacity for certain.
    public func isExact(at capacity: Int) -> Bool { !hasChangingSizes && capacity >= largestSize }
}

/// Takes note of stack distances; a negative distance is that of an object's first request.
protocol StackTally: ~Copyable {
    mutating func record(_ distance: Int, size: Int)
    /// Hints that a distance will be recorded soon.
    func prefetch(_ distance: Int)
}

extension StackTally where Self: ~Copyable {
    /// Most tallies are small.
    @inline(__always) func prefetch(_ distance: Int) {}
}

/// How many requests, and bytes of requests, had each distance, from 1 on.
struct DistanceTally: ~Copyable, StackTally {
    let counts: FixedBuffer<Int>
    let bytes: FixedBuffer<Int>
    /// The size of every request; nil if they differ, so that bytes are counted by distance.
    let uniformSize: Int?
    private(set) var requests = 0
    private(set) var bytesRequested = 0
    private(set) var largest = 0

    init(objects: Int, uniformSize: Int?) {
        counts = FixedBuffer(repeating: 0, count: objects + 1)
        bytes = FixedBuffer(repeating: 0, count: uniformSize == nil ? objects + 1 : 0)
        self.uniformSize = uniformSize
    }

    @inline(__always) mutating func record(_ distance: Int, size: Int) {
        requests &+= 1
        bytesRequested &+= size
        guard distance >= 0 else { return }
        let index = UInt32(truncatingIfNeeded: distance)
        counts.update(index) { $0 &+= 1 }
        if uniformSize == nil { bytes.update(index) { $0 &+= size } }
        largest = max(largest, distance)
    }

    @inline(__always) func prefetch(_ distance: Int) {
        let index = UInt32(truncatingIfNeeded: max(0, distance))
        counts.prefetch(index)
        if uniformSize == nil { bytes.prefetch(index) }
    }
}
