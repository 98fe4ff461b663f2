internal import Synchronization

/// The sizes of a trace's requests.
public protocol SizeColumn: Sendable {
    /// The size of the request at a position, in bytes.
    func size(at position: Int) -> Int
}

/// Every request has the same size.
@frozen
public struct UniformSizes: SizeColumn {
    /// The size, in bytes.
    public let size: Int
    /// Requests of `size` bytes.
    @inlinable public init(_ size: Int) { self.size = size }
    /// The one size.
    @inlinable @inline(__always) public func size(at position: Int) -> Int { size }
}

/// Sizes as recorded: 32 bits a request, and the few that do not fit beside them.
@frozen
public struct RecordedSizes: SizeColumn, @unchecked Sendable {
    @usableFromInline let narrow: UnsafeBufferPointer<UInt32>
    @usableFromInline let wide: [Int: Int]

    /// Sizes from a column in which `UInt32.max` marks a position whose size is in `wide`.
    @inlinable
    public init(_ narrow: UnsafeBufferPointer<UInt32>, wide: [Int: Int] = [:]) {
        self.narrow = narrow
        self.wide = wide
    }

    /// The recorded size.
    @inlinable @inline(__always)
    public func size(at position: Int) -> Int {
        let size = narrow[position]
        return size == .max ? wideSize(at: position) : Int(size)
    }

    @usableFromInline @inline(never) func wideSize(at position: Int) -> Int { wide[position] ?? Int(UInt32.max) }
}

/// The columns of a trace that a replay reads. Borrowed memory, kept alive by `owner`.
public struct RequestColumns: @unchecked Sendable {
    /// The object of each request.
    public let ids: UnsafeBufferPointer<ObjectID>
    /// The recorded sizes, nil when every request has `uniformSize`.
    public let sizes: RecordedSizes?
    /// The size of every request when none are recorded, in bytes.
    public let uniformSize: Int
    /// The position of the next request for the same object, `UInt32.max` for never. Nil until it is asked for.
    public let next: UnsafeBufferPointer<UInt32>?
    /// The ids that occur.
    public let objects: ObjectSpace
    /// Whatever owns the memory behind the columns.
    public let owner: (any AnyObject & Sendable)?

    /// Columns over memory that `owner` keeps alive. `next` is needed by policies whose `needsFuture` is true.
    public init(
        ids: UnsafeBufferPointer<ObjectID>, sizes: RecordedSizes?, uniformSize: Int = 1,
        next: UnsafeBufferPointer<UInt32>? = nil, objects: ObjectSpace, owner: (any AnyObject & Sendable)?
    ) {
        self.ids = ids
        self.sizes = sizes
        self.uniformSize = uniformSize
        self.next = next
        self.objects = objects
        self.owner = owner
    }
}

/// The exact result of one replay.
@frozen
public struct ReplayCounts: Sendable, Hashable, Codable {
    /// Requests replayed.
    public var requests = 0
    /// Requests whose object was resident.
    public var hits = 0
    /// Resident objects that left for space.
    public var evictions = 0
    /// The sum of the requests' sizes, in bytes.
    public var bytesRequested = 0
    /// The sum of the hits' sizes, in bytes.
    public var bytesHit = 0
    /// The sum of the sizes of objects admitted, in bytes: what a cache would write.
    public var bytesWritten = 0
    /// Objects resident at the end.
    public var residentObjects = 0
    /// The weight of the objects resident at the end, in the capacity's unit.
    public var residentWeight = 0

    /// Nothing replayed yet.
    @inlinable public init() {}

    /// Requests whose object was not resident.
    public var misses: Int { requests - hits }
    /// Hits over requests; 0 for no requests.
    public var hitRatio: Double { requests == 0 ? 0 : Double(hits) / Double(requests) }
    /// Bytes hit over bytes requested; 0 for no bytes.
    public var byteHitRatio: Double { bytesRequested == 0 ? 0 : Double(bytesHit) / Double(bytesRequested) }
}

/// Shared between a replay and whoever watches it: progress out, a wish to stop in. Read and written between blocks only.
public final class ReplayMonitor: Sendable {
    private let finished = Atomic<Int>(0)
    private let stopping = Atomic<Bool>(false)

    /// A monitor of a replay that has not started.
    public init() {}

    /// Requests replayed so far, over every replay that shares this monitor.
    public var requests: Int { finished.load(ordering: .relaxed) }
    /// Whether the replays should end at their next block.
    public var isStopping: Bool { stopping.load(ordering: .relaxed) }
    /// Asks the replays to end at their next block.
    public func stop() { stopping.store(true, ordering: .relaxed) }
    /// Reports a block of replayed requests.
    public func advance(by requests: Int) { finished.wrappingAdd(requests, ordering: .relaxed) }
}

/// Counts evictions and ignores everything else.
@frozen
public struct CountingSink: EvictionSink {
    /// Evictions so far.
    public var evictions = 0
    /// No evictions yet.
    @inlinable public init() {}
    /// Counts one.
    @inlinable @inline(__always) public mutating func evicted(_ id: ObjectID) { evictions &+= 1 }
    /// Does nothing.
    @inlinable @inline(__always) public mutating func forgotten(_ id: ObjectID) {}
}

/// Requests between two looks at the monitor.
@usableFromInline let replayBlock = 1 << 16
/// How many requests ahead the policy is told of: far enough to hide a read from memory, near enough to stay cached.
@usableFromInline let prefetchDistance = 16

/// Drives one policy through a whole trace: the one hot loop. O(requests) calls of the policy.
///
/// Specialised for each policy in the module that registers it. Returns nil if the monitor asked to stop before the end.
@inlinable
public func replay<Policy: EvictionPolicy & ~Copyable, Sizes: SizeColumn>(
    _ policy: inout Policy, _ columns: RequestColumns, sizes: Sizes, monitor: ReplayMonitor
) -> ReplayCounts? {
    var counts = ReplayCounts()
    var sink = CountingSink()
    let ids = columns.ids
    let next = columns.next
    precondition(!Policy.needsFuture || next != nil, "this policy needs the future")
    var start = 0
    while start < ids.count {
        if monitor.isStopping { return nil }
        let end = min(start &+ replayBlock, ids.count)
        let last = ids.count &- 1
        for position in start..<end {
            policy.prefetch(ids[min(position &+ prefetchDistance, last)])
            let size = sizes.size(at: position)
            var request = Request(id: ids[position], size: size, index: position)
            if Policy.needsFuture, let next {
                let following = next[position]
                request.nextIndex = following == .max ? Request.never : Int(following)
            }
            counts.bytesRequested &+= size
            if policy.touch(request) {
                counts.hits &+= 1
                counts.bytesHit &+= size
            } else if policy.insert(request, evicting: &sink) {
                counts.bytesWritten &+= size
            }
        }
        monitor.advance(by: end &- start)
        start = end
    }
    counts.requests = ids.count
    counts.evictions = sink.evictions
    counts.residentObjects = policy.residentCount
    counts.residentWeight = policy.residentWeight
    return counts
}
