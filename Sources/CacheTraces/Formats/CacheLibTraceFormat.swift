public import CacheCore

/// Requests of Meta's key-value caches, as CacheLib's CacheBench replays them: CSV under a header with `key`, `op` and `size`.
///
/// The columns may be in any order. `op_count` says how often a request is made; without it once. `key_size` is added to the
/// size, `op_time` and `ttl` count seconds, and `usecase` is the tenant. A lease reads or writes as the operation after which
/// it is named.
public struct CacheLibTraceFormat: LineTraceFormat {
    /// Name and meaning.
    public static let descriptor = TraceFormatDescriptor(
        name: "cachelib", aliases: ["meta-kv"],
        summary: "CSV with a header: key,op,size and op_count,key_size,ttl,op_time,usecase where it has them; "
            + "op_count repeats a request.",
        citation: "CacheLib CacheBench, kvcache traces 202206 and 202401")

    /// The most requests of one line, as CacheBench counts them.
    static let countMax: UInt64 = 65_535

    private struct Places {
        let key, operation, size: Int
        let keySize, count, timeToLive, time, tenant: Int?

        init(_ names: NamedColumns) throws(LineFault) {
            key = try names.requiredPlace(of: "key")
            operation = try names.requiredPlace(of: "op")
            size = try names.requiredPlace(of: "size")
            keySize = names.place(of: "key_size")
            count = names.place(of: "op_count")
            timeToLive = names.place(of: "ttl")
            time = names.place(of: "op_time")
            tenant = names.place(of: "usecase")
        }
    }

    private var lines = HeadedLines<Places>()

    /// The format has no parameters.
    public init(_ parameters: ParameterValues) {}

    /// Reads one line, or the header.
    public mutating func read(_ line: UnsafeRawBufferPointer, into requests: inout LineRequests) throws(LineFault) {
        guard let places = try lines.take(line, Places.init) else { return }
        func column(_ place: Int) -> UnsafeRawBufferPointer { lines.column(place, of: line) }
        let count = try places.count.map { (place) throws(LineFault) in try Self.count(column(place)) } ?? 1
        var attributes = RequestAttributes(operation: try Self.operation(column(places.operation)))
        let size = try LineColumns.size(column(places.size))
        let keySize = try places.keySize.map { (place) throws(LineFault) in try LineColumns.size(column(place)) }
        attributes.sizeBytes = size + (keySize ?? 0)
        if let place = places.time {
            attributes.timeNanoseconds = try LineColumns.time(column(place), decimals: 9)
        }
        if let place = places.timeToLive {
            attributes.timeToLiveNanoseconds = try LineColumns.timeToLive(column(place))
        }
        let key = column(places.key)
        guard key.count > 0 else { throw LineFault(expected: "a key of at least one byte") }
        for _ in 0..<count { requests.append(key, attributes, tenant: places.tenant.map(column)) }
    }

    private static func count(_ column: UnsafeRawBufferPointer) throws(LineFault) -> UInt64 {
        guard let count = Fields.integer(column), (1...countMax).contains(count) else {
            throw LineFault(column, expected: "an op_count from 1 to \(countMax)")
        }
        return count
    }

    private static func operation(_ column: UnsafeRawBufferPointer) throws(LineFault) -> TraceOperation {
        let lease = "_LEASE".utf8
        let isLease = column.count > lease.count && column.suffix(lease.count).elementsEqual(lease)
        let word = isLease ? UnsafeRawBufferPointer(rebasing: column.dropLast(lease.count)) : column
        guard let operation = Fields.operation(word) else {
            throw LineFault(column, expected: "an operation: GET, GET_LEASE, SET, SET_LEASE, DELETE or their kin")
        }
        return operation
    }

    /// Recognises the header.
    public static func recognise(_ sample: TraceSample) -> Recognition? {
        guard let first = sample.lines.first else { return nil }
        let names = NamedColumns(header: first, LineColumns.comma)
        guard let places = try? Places(names) else { return nil }
        return places.count != nil && places.keySize != nil ? Recognition(.certain) : nil
    }
}
