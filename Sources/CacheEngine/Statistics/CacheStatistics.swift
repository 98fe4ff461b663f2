/// What a cache has done since it was made or its statistics were last reset: exact counts.
///
/// | operation | counts |
/// | --- | --- |
/// | `value(for:)`, `values(for:)`, loading reads | a hit or a miss for each key |
/// | a loading read that finds a key known to have no value | a negative hit and a hit |
/// | a loading read that joins a load of another | a miss; the load is counted once |
/// | a stale value served | a hit and a stale hit |
/// | `peek`, `contains`, iteration, conditional writes | neither hit nor miss |
/// | every value stored | a write |
/// | a write that stored nothing | a refusal |
public struct CacheStatistics: Sendable, Hashable, Codable {
    /// Reads that found a value.
    public var hits = 0
    /// Reads that found none.
    public var misses = 0
    /// Hits that found a value past its deadline and served it.
    public var staleHits = 0
    /// Hits that found the knowledge that there is no value.
    public var negativeHits = 0
    /// Values stored.
    public var writes = 0
    /// Writes that stored nothing: too heavy, expired already, or not let in by the policy.
    public var refusals = 0
    /// Values that left, by cause.
    public var removals: [RemovalCause: Int] = [:]
    /// Loads that returned a value, or the knowledge that there is none.
    public var loads = 0
    /// Loads that threw.
    public var loadFailures = 0
    /// Loads whose result was not stored, because the key was written, removed or cleared meanwhile.
    public var loadsOvertaken = 0
    /// The time that loads took, in nanoseconds, failed ones included.
    public var loadNanoseconds = 0

    /// Nothing done yet.
    public init() {}

    /// Reads.
    public var requests: Int { hits + misses }
    /// Hits over reads; 0 for no reads.
    public var hitRatio: Double { requests == 0 ? 0 : Double(hits) / Double(requests) }
    /// Values that left by a cause.
    public func removals(_ cause: RemovalCause) -> Int { removals[cause, default: 0] }

    init(_ counts: CacheCounts) {
        (hits, misses, staleHits, negativeHits) = (counts.hits, counts.misses, counts.staleHits, counts.negativeHits)
        (writes, refusals) = (counts.writes, counts.refusals)
        (loads, loadFailures, loadsOvertaken) = (counts.loads, counts.loadFailures, counts.loadsOvertaken)
        loadNanoseconds = counts.loadNanoseconds
        for cause in RemovalCause.allCases where counts.removed(cause) > 0 { removals[cause] = counts.removed(cause) }
    }
}

/// The counts of a cache, under its lock.
@usableFromInline
struct CacheCounts: Sendable {
    @usableFromInline var hits = 0
    @usableFromInline var misses = 0
    @usableFromInline var staleHits = 0
    @usableFromInline var negativeHits = 0
    @usableFromInline var writes = 0
    @usableFromInline var refusals = 0
    @usableFromInline var loads = 0
    @usableFromInline var loadFailures = 0
    @usableFromInline var loadsOvertaken = 0
    @usableFromInline var loadNanoseconds = 0
    @usableFromInline var evicted = 0
    @usableFromInline var expired = 0
    @usableFromInline var replaced = 0
    @usableFromInline var explicit = 0
    @usableFromInline var cleared = 0
    @usableFromInline var closed = 0
    @usableFromInline var rejected = 0
    /// Newcomers that their policy called evicted: never stored, and refusals to those who wrote them.
    @usableFromInline var bounced = 0
    /// Writes that found an entry of another weight.
    @usableFromInline var resized = 0

    @inlinable init() {}

    @inlinable
    mutating func count(_ cause: RemovalCause) {
        switch cause {
        case .evicted: evicted &+= 1
        case .expired: expired &+= 1
        case .replaced: replaced &+= 1
        case .removed: explicit &+= 1
        case .cleared: cleared &+= 1
        case .closed: closed &+= 1
        case .rejected: rejected &+= 1
        }
    }

    func removed(_ cause: RemovalCause) -> Int {
        switch cause {
        case .evicted: evicted
        case .expired: expired
        case .replaced: replaced
        case .removed: explicit
        case .cleared: cleared
        case .closed: closed
        case .rejected: rejected
        }
    }
}
