/// Records of a key that is a number, a size and a time, in columns, that a sink takes together.
///
/// For formats whose records are read in a few instructions: a call for each would cost more than the record. Memory: 24 KiB.
public struct RecordColumns: ~Copyable {
    /// The most records.
    public static let capacity = 1024

    @usableFromInline let keyColumn = UnsafeMutablePointer<UInt64>.allocate(capacity: RecordColumns.capacity)
    @usableFromInline let sizeColumn = UnsafeMutablePointer<UInt64>.allocate(capacity: RecordColumns.capacity)
    @usableFromInline let timeColumn = UnsafeMutablePointer<Int64>.allocate(capacity: RecordColumns.capacity)
    @usableFromInline var storedCount = 0
    /// The number of records.
    @inlinable public var count: Int { storedCount }

    /// No records.
    public init() {}

    deinit {
        keyColumn.deallocate()
        sizeColumn.deallocate()
        timeColumn.deallocate()
    }

    /// Whether there is no room for another record.
    @inlinable public var isFull: Bool { count == Self.capacity }

    /// What the file calls the objects.
    public var keys: UnsafeBufferPointer<UInt64> { UnsafeBufferPointer(start: keyColumn, count: count) }
    /// The objects' sizes, in bytes.
    public var sizesBytes: UnsafeBufferPointer<UInt64> { UnsafeBufferPointer(start: sizeColumn, count: count) }
    /// When the requests were made, in nanoseconds from any fixed origin.
    public var timesNanoseconds: UnsafeBufferPointer<Int64> { UnsafeBufferPointer(start: timeColumn, count: count) }

    /// Appends a record, for which there must be room.
    @inlinable @inline(__always)
    public mutating func append(key: UInt64, sizeBytes: UInt64, timeNanoseconds: Int64) {
        precondition(count < Self.capacity, "no room for another record")
        (keyColumn + count).initialize(to: key)
        (sizeColumn + count).initialize(to: sizeBytes)
        (timeColumn + count).initialize(to: timeNanoseconds)
        storedCount &+= 1
    }

    /// Forgets the records.
    public mutating func removeAll() { storedCount = 0 }
}
