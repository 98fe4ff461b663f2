public import CacheCore
internal import Synchronization

/// A trace whose objects are numbered densely in order of first appearance, in columns that are mapped into memory.
///
/// Open one by ``TraceStore``, which verifies its checksum. Many replays may share it. Immutable; the memory lives as long as this object or any columns taken from it.
public final class CompiledTrace: Sendable {
    private let mapped: CompiledColumns
    private let future = Mutex<FutureColumn?>(nil)

    /// The name of the file that holds the columns.
    public let path: String

    init(_ mapped: CompiledColumns, path: String) {
        self.mapped = mapped
        self.path = path
    }

    /// The number of requests.
    public var requests: Int { mapped.header.requests }
    /// The number of distinct objects.
    public var objects: Int { mapped.header.objects }
    /// The sum of the requests' sizes, in bytes; where the trace carries no sizes every request counts 1.
    public var bytesRequested: Int { mapped.header.bytesRequested }
    /// The sum of each object's largest size, in bytes; where the trace carries no sizes every object counts 1.
    public var footprintBytes: Int { mapped.header.footprintBytes }
    /// Whether the trace carries sizes, equal or not.
    public var hasSizes: Bool { mapped.header.carriesSizes }
    /// 64 hexadecimal digits that stand for the file's content, the format and its parameters together: equal digests
    /// mean equal requests.
    public var digest: String { mapped.header.digest }
    /// 64 hexadecimal digits that stand for the requests and the objects' keys: equal where another file, or the same one
    /// compressed or in another format, holds equal requests.
    public var contentDigest: String { mapped.header.contentDigest }
    /// What recognises the source: `xxh128:` and the XXH3 hash of the file as it lies on the disk, as `xxhsum -H2` prints it, or
    /// the SHA-256 of a generated workload's specification.
    public var sourceDigest: String { mapped.header.sourceDigest }
    /// The format with its parameters, as it can be written again: `csv:key=5,size=4,header=true`.
    public var formatDescription: String { mapped.header.formatDescription }

    /// What was odd about the file though it could be read, a sentence each: to be told to whoever opens the trace.
    public var notes: [String] { mapped.header.notes }

    /// The columns that a replay reads; the next requests are not among them.
    public var columns: RequestColumns { mapped.requestColumns(owner: mapped.map) }

    /// The columns with the position of each request's next one, for policies that know the future.
    ///
    /// Computed at the first call by one pass backwards and kept, 4 bytes a request; later calls are O(1). Safe to call
    /// from several threads, which then wait for the one that computes.
    ///
    /// - Throws: `AssayError` with code `unavailable` for traces of more than 2^32 - 2 requests.
    public func columnsWithFuture() throws(AssayError) -> RequestColumns {
        guard requests < Int(UInt32.max) else {
            throw AssayError(
                .unavailable, "The trace has more requests than 32-bit positions can tell apart. Use a part of it.")
        }
        let column = future.withLock { kept in
            if let kept { return kept }
            let column = FutureColumn(mapped)
            kept = column
            return column
        }
        return mapped.requestColumns(next: column.next, owner: column)
    }

    /// When each request was made, in nanoseconds from any fixed origin; nil if the trace does not say or all are equal.
    /// The memory is this trace's.
    public var timesNanoseconds: UnsafeBufferPointer<Int64>? { mapped.times.isEmpty ? nil : mapped.times }

    /// The names of the tenants, by the numbers in the columns; empty if the trace states none. O(tenants).
    public var tenantNames: [String] { mapped.tenantNames }

    /// The bytes of the tenants' names, as ``tenantNames``.
    public var tenantNameBytes: [[UInt8]] { mapped.tenantNameBytes }

    /// The key of an object as a text trace would write it. O(length of the key).
    public func key(of id: ObjectID) -> [UInt8] { mapped.key(of: id) }

    /// The number that an object's key is, nil if its key is other bytes. O(1).
    public func integerKey(of id: ObjectID) -> UInt64? { mapped.integerKey(of: id) }

    /// The largest size of each object in the trace, in bytes, by object. O(requests).
    public func largestSizes() -> [Int] { mapped.largestSizes() }
}

/// The position of the next request for the same object, for each request.
private final class FutureColumn: @unchecked Sendable {
    let next: UnsafeBufferPointer<UInt32>
    private let map: MappedFile

    init(_ columns: CompiledColumns) {
        map = columns.map
        let ids = columns.ids
        let next = UnsafeMutableBufferPointer<UInt32>.allocate(capacity: ids.count)
        let last = UnsafeMutableBufferPointer<UInt32>.allocate(capacity: columns.header.objects)
        defer { last.deallocate() }
        last.initialize(repeating: .max)
        for position in stride(from: ids.count - 1, through: 0, by: -1) {
            let id = Int(ids[position])
            next.initializeElement(at: position, to: last[id])
            last[id] = UInt32(truncatingIfNeeded: position)
        }
        self.next = UnsafeBufferPointer(next)
    }

    deinit { next.deallocate() }
}
