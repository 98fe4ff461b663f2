/// The dense number of an object in a compiled trace: `0..<objects`, in order of first appearance.
public typealias ObjectID = UInt32

/// One line of a trace, as a policy sees it.
@frozen
public struct Request: Sendable, Hashable {
    /// The object that is asked for.
    public var id: ObjectID
    /// The object's size, in bytes (1 where the trace carries no sizes).
    public var size: Int
    /// The position of this request in the trace, from 0: the policy's logical clock.
    public var index: Int
    /// The position of the next request for the same object, `Request.never` if there is none.
    ///
    /// Only filled for policies whose `needsFuture` is true; otherwise `Request.never`.
    public var nextIndex: Int
    /// What a miss costs, in any unit of the trace's: milliseconds, money. Finite and at least 0.
    ///
    /// Only filled for policies whose `needsCost` is true, from traces that state costs; otherwise 1.
    public var cost: Double
    /// When the request was made, in nanoseconds; 0 unless `needsTime` is true and the trace says.
    public var timeNanoseconds: Int64 = 0
    /// How long an object that enters by this request stays valid, in nanoseconds; 0 for without end, and unless
    /// `needsTime` is true and the trace says.
    public var timeToLiveNanoseconds: Int64 = 0

    /// The next index of an object that is not asked for again.
    @inlinable public static var never: Int { Int.max }

    /// A request for an object.
    @inlinable
    public init(
        id: ObjectID, size: Int = 1, index: Int = 0, nextIndex: Int = Request.never, cost: Double = 1
    ) {
        self.id = id
        self.size = size
        self.index = index
        self.nextIndex = nextIndex
        self.cost = cost
    }
}
