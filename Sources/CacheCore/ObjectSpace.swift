/// The number that a trace calls each object by, for traces whose keys are all numbers.
public struct ObjectKeys: @unchecked Sendable {
    private let numbers: UnsafeBufferPointer<UInt64>
    private let owner: (any AnyObject & Sendable)?

    /// Keys by id, over memory that `owner` keeps alive.
    public init(_ numbers: UnsafeBufferPointer<UInt64>, owner: (any AnyObject & Sendable)?) {
        self.numbers = numbers
        self.owner = owner
    }

    /// The key of an object. O(1).
    public subscript(id: ObjectID) -> UInt64 { numbers[Int(id)] }
}

/// The ids that a policy will see: `0..<count`.
public struct ObjectSpace: Sendable, Hashable {
    /// The number of ids.
    public var count: Int
    /// A lower bound of the objects' sizes, in bytes. Used only to keep buffers small.
    public var smallestSize: Int

    /// Ids `0..<count` whose sizes are at least `smallestSize` bytes.
    public init(count: Int, smallestSize: Int = 0) {
        self.count = count
        self.smallestSize = smallestSize
    }
}
