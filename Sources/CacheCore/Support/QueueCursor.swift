public import CPrefetch

/// Where the hand of a ``HandedQueue`` is and how far its log is written: what every request changes, small enough to
/// stay in registers.
///
/// The hand walks through one region at a time, a stretch of a word of the log. Which objects of the region are live and
/// marked is read when the hand enters it; what changes later is kept here.
@frozen
public struct QueueCursor: BitwiseCopyable {
    /// The positions of the region that the hand may take: not passed, not marked, not gone.
    @usableFromInline var candidates: UInt64 = 0
    /// The positions of the region that the hand has not passed. Those that are live and no candidates are marked.
    @usableFromInline var ahead: UInt64 = 0
    /// The first position of the hand's word.
    @usableFromInline var base = QueueLog.first
    /// The next position to write. Unless the queue is empty, the position before it is occupied.
    @usableFromInline var head = QueueLog.first

    @inlinable init() {}

    /// The position that the hand would take, if there is a candidate.
    @inlinable @inline(__always)
    var candidate: UInt32 { base &+ UInt32(truncatingIfNeeded: candidates.trailingZeroBitCount) }

    /// The bit of the candidate; 0 if there is none.
    @inlinable @inline(__always)
    var candidateBit: UInt64 { candidates & (0 &- candidates) }

    /// All bits if a position is in the hand's word, else none.
    @inlinable @inline(__always)
    func inHandWord(_ place: UInt32) -> UInt64 { assay_all_if_zero(UInt64(place & ~63 ^ base)) }

    /// Takes a position off the candidates if it is one.
    @inlinable @inline(__always)
    mutating func strike(_ place: UInt32) { candidates &= ~(QueueLog.bit(place) & inHandWord(place)) }

    /// Lets the hand pass a position of its region.
    @inlinable @inline(__always)
    mutating func pass(_ bit: UInt64) {
        candidates &= ~bit
        ahead &= 0 &- (bit << 1)
    }
}

/// What changes rarely about a ``HandedQueue``: in memory, so that it takes no register from the cursor.
@frozen
public struct QueueTotals: BitwiseCopyable {
    @usableFromInline var count = 0
    @usableFromInline var weight = 0
    /// The position after the hand's region.
    @usableFromInline var limit = QueueLog.first
    /// No object is older by position than this one and newer by rank: see ``QueueLog/reentered(_:)``.
    @usableFromInline var tail = QueueLog.first

    @inlinable init() {}
}
