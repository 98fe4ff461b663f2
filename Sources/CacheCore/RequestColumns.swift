/// Sizes as recorded: 32 bits a request, and the few that do not fit beside them.
@frozen
public struct RecordedSizes: @unchecked Sendable {
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

    /// How many requests for `objects` objects state another size than the one before for their object. O(requests), and 8 bytes
    /// an object.
    public func changes(of ids: UnsafeBufferPointer<ObjectID>, objects: Int) -> Int {
        var last = [Int](repeating: -1, count: objects)
        var changes = 0
        for position in ids.indices {
            let (id, size) = (Int(ids[position]), size(at: position))
            if last[id] != size {
                changes += last[id] < 0 ? 0 : 1
                last[id] = size
            }
        }
        return changes
    }
}

/// The sizes of a trace's requests: recorded, or one for all.
///
/// One type for both, so that no loop over requests is compiled for each: which it is never changes while a trace is read, and a
/// processor foresees it.
@frozen
public struct RequestSizes: Sendable {
    /// Whether all requests have one size.
    public let isUniform: Bool
    @usableFromInline let uniform: Int
    @usableFromInline let recorded: RecordedSizes

    /// The sizes of a trace's requests.
    @inlinable
    public init(_ columns: RequestColumns) {
        isUniform = columns.sizes == nil
        uniform = columns.uniformSize
        recorded = columns.sizes ?? RecordedSizes(UnsafeBufferPointer(start: nil, count: 0))
    }

    /// The size of the request at a position, in bytes.
    @inlinable @inline(__always)
    public func size(at position: Int) -> Int { isUniform ? uniform : recorded.size(at: position) }
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
    /// What a miss of each request costs; nil if the trace does not say, which makes every miss cost 1.
    public let costs: UnsafeBufferPointer<Double>?
    /// When each request was made, in nanoseconds; nil if the trace does not say or all are equal.
    public let times: UnsafeBufferPointer<Int64>?
    /// How long an object that enters by each request stays valid, in nanoseconds, 0 for without end; nil if the trace
    /// does not say.
    public let timesToLive: UnsafeBufferPointer<Int64>?
    /// What each request does, as the raw values of ``TraceOperation``; nil if all are reads.
    public let operations: UnsafeBufferPointer<UInt8>?
    /// Who made each request, by number; nil if the trace does not say.
    public let tenants: UnsafeBufferPointer<UInt16>?
    /// Requests that state another size than the one before for their object.
    public let sizeChanges: Int
    /// The ids that occur.
    public let objects: ObjectSpace
    /// The objects' keys; nil if not all are numbers.
    public let keys: ObjectKeys?
    /// Whatever owns the memory behind the columns.
    public let owner: (any AnyObject & Sendable)?

    /// Columns over memory that `owner` keeps alive. `next` is needed by policies whose `needsFuture` is true.
    ///
    /// - Parameter sizeChanges: Requests that state another size than the one before for their object; nil to have them
    ///   counted, in O(requests).
    public init(
        ids: UnsafeBufferPointer<ObjectID>, sizes: RecordedSizes?, uniformSize: Int = 1,
        next: UnsafeBufferPointer<UInt32>? = nil, costs: UnsafeBufferPointer<Double>? = nil,
        times: UnsafeBufferPointer<Int64>? = nil, timesToLive: UnsafeBufferPointer<Int64>? = nil,
        operations: UnsafeBufferPointer<UInt8>? = nil, tenants: UnsafeBufferPointer<UInt16>? = nil,
        sizeChanges: Int? = nil, objects: ObjectSpace,
        keys: ObjectKeys? = nil, owner: (any AnyObject & Sendable)?
    ) {
        self.ids = ids
        self.sizes = sizes
        self.uniformSize = uniformSize
        self.next = next
        self.costs = costs
        self.times = times
        self.timesToLive = timesToLive
        self.operations = operations
        self.tenants = tenants
        self.sizeChanges = sizeChanges ?? sizes.map { $0.changes(of: ids, objects: objects.count) } ?? 0
        self.objects = objects
        self.keys = keys
        self.owner = owner
    }
}

extension RequestColumns {
    /// What the request at a position does.
    public func operation(at position: Int) -> TraceOperation {
        operations.flatMap { TraceOperation(rawValue: $0[position]) } ?? .read
    }

    /// Whether some requests are writes. O(requests).
    public var statesWrites: Bool { operations?.contains(TraceOperation.write.rawValue) ?? false }

    /// Whether a read that finds nothing stores its object; traces of reads always do. O(requests).
    public func fills(_ rules: ReplayRules) -> Bool {
        operations == nil || rules.missedRead(statesWrites: statesWrites) == .fill
    }

    /// How many requests are writes, and how many deletes. O(requests).
    public var operationCounts: (writes: Int, deletes: Int) {
        (operations ?? UnsafeBufferPointer(start: nil, count: 0)).reduce(into: (writes: 0, deletes: 0)) { counts, raw in
            if raw == TraceOperation.write.rawValue { counts.writes += 1 }
            if raw == TraceOperation.remove.rawValue { counts.deletes += 1 }
        }
    }

    /// The request at a position with everything that the trace says of it.
    public func request(at position: Int) -> Request {
        var request = Request(id: ids[position], size: sizes?.size(at: position) ?? uniformSize, index: position)
        if let next, next[position] != .max { request.nextIndex = Int(next[position]) }
        if let costs { request.cost = costs[position] }
        if let times { request.timeNanoseconds = times[position] }
        if let timesToLive { request.timeToLiveNanoseconds = timesToLive[position] }
        return request
    }
}
