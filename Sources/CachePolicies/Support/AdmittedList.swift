public import CacheCore

/// The objects that were last admitted with a low rank, each of which is a candidate for eviction, and which of them has the
/// lowest rank for how long.
///
/// An object that leaves the cache stays in the list: it is a candidate again if it comes back. Whoever keeps the list
/// marks its objects and says by ``forgetLowest()`` when one of them comes, goes, moves or is ranked anew. Memory: 4 bytes
/// an object of the list.
@usableFromInline
package struct AdmittedList: ~Copyable {
    @usableFromInline package let ids: FixedBuffer<UInt32>
    @usableFromInline package var next: UInt32 = 0
    /// The first of the candidates with the lowest rank; an infinite rank if there is none.
    @usableFromInline package internal(set) var lowest = Candidate.none
    @usableFromInline package var rankedAt: UInt32 = 0
    @usableFromInline package var holdsFor: UInt32 = 0

    /// A list of the last `count` objects.
    @inlinable package init(count: Int) { ids = FixedBuffer(repeating: Self.nobody, count: count) }

    /// What stands for no object.
    @inlinable package static var nobody: UInt32 { .max }

    /// How many objects it holds, which may be `nobody`.
    @inlinable package var count: Int { ids.count }

    /// An object of the list, or `nobody`.
    @inlinable package subscript(entry: Int) -> ObjectID { ids[UInt32(entry)] }

    /// Whether ``lowest`` is right at a time.
    @inline(__always)
    @inlinable package func isRanked(at now: UInt32) -> Bool { now &- rankedAt < holdsFor }

    /// Something has changed: ``lowest`` must be found anew.
    @inline(__always)
    @inlinable package mutating func forgetLowest() { holdsFor = 0 }

    /// Adds an object, and returns the one that has left the list by that, or `nobody`. O(objects of the list).
    @inlinable package mutating func append(_ id: ObjectID) -> ObjectID {
        let former = ids[next]
        ids[next] = id
        next = next + 1 == UInt32(ids.count) ? 0 : next + 1
        forgetLowest()
        // It may have been admitted twice.
        for entry in 0..<UInt32(ids.count) where ids[entry] == former { return Self.nobody }
        return former
    }

    /// States the lowest of the candidates that the list holds, and for how many requests from a time on it is right.
    @inlinable package mutating func setLowest(_ candidate: Candidate, at now: UInt32, for requests: Int) {
        lowest = candidate
        (rankedAt, holdsFor) = (now, UInt32(clamping: requests))
    }
}

/// A resident that may be evicted.
@usableFromInline
package struct Candidate: Equatable, BitwiseCopyable {
    /// Where it stands.
    @usableFromInline package internal(set) var place: UInt32
    /// The bits of its rank, which is at least 0 or -1: they are in the order of such numbers.
    @usableFromInline package internal(set) var bits: Int32

    /// A candidate with a rank.
    @inline(__always)
    @inlinable package init(_ place: UInt32, rank: Float) {
        self.place = place
        bits = Int32(bitPattern: rank.bitPattern)
    }

    /// Nobody, whom every finite rank undercuts.
    @inlinable package static var none: Candidate { Candidate(.max, rank: .infinity) }

    /// The rank.
    @inline(__always)
    @inlinable package var rank: Float { Float(bitPattern: UInt32(bitPattern: bits)) }

    /// Becomes another one if its rank is lower: without a branch, because nobody can foresee which is.
    @inline(__always)
    @inlinable package mutating func yield(to other: Candidate) {
        let isLower = other.bits < bits
        place = isLower ? other.place : place
        bits = isLower ? other.bits : bits
    }
}
