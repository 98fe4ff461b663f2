public import CacheCore

/// Accesses to blocks of Meta's Tectonic file system: `block offset size time operation …`, in three layouts that the header
/// names.
///
/// Operations 1, 2 and 5 read; 3, 4 and 6 write. Each block of storage is cut into segments, of 128 KiB as in the Baleen
/// paper. A line stands for `op_count` accesses in the same second, which follow one another here. The user is the tenant.
public struct BaleenTraceFormat: LineTraceFormat {
    /// Name, parameters and meaning.
    public static let descriptor = TraceFormatDescriptor(
        name: "baleen",
        summary:
            "'block offset size time operation …' a line; every segment that a range touches is op_count requests.",
        citation: "Wong et al., Baleen, FAST 2024", parameters: [BlockSize.parameter(128 * 1024)])

    /// The most requests of one line: far more than a second has, and few enough to be read at once.
    private static let requestsMax = 1 << 20

    private static let layout = "the columns 'block_id io_offset io_size op_time op_name user_namespace user_name …'"
    private let blockBytes: UInt64
    /// Whether there is a column `pipeline` before the namespace and none that parts a block; nil while nothing has said so.
    private var hasPipeline: Bool?

    /// Takes the size of a segment.
    public init(_ parameters: ParameterValues) { blockBytes = BlockSize.bytes(parameters) }

    /// Reads one line.
    public mutating func read(_ line: UnsafeRawBufferPointer, into requests: inout LineRequests) throws(LineFault) {
        guard line[0] != 0x23 else {
            let header = String(decoding: line, as: UTF8.self)
            if header.contains("op_name") { hasPipeline = header.contains("pipeline") }
            return
        }
        var columns = LineColumns(line, LineColumns.space, layout: Self.layout)
        let block = try columns.next()
        let offset = try columns.integer("an offset in bytes")
        let size = try columns.integer("a size in bytes")
        let time = try columns.time(decimals: 9)
        let operation = try columns.integer("an operation from 1 to 6")
        let five = try columns.next()
        let six = try columns.next()
        let seven = columns.nextIfAny()
        let eight = columns.nextIfAny()
        if hasPipeline == nil { hasPipeline = seven != nil && eight == nil }
        let isPipelined = hasPipeline == true
        for number in [block, five, six, seven].compactMap(\.self) {
            _ = try LineColumns.integer(number, "a whole number")
        }
        guard (1...6).contains(operation) else { return requests.passOver("operation \(operation)") }
        guard size > 0 else { return requests.passOver("0 bytes") }
        let count =
            try eight.map { column throws(LineFault) in
                try LineColumns.integer(column, "a number of accesses")
            } ?? 1
        // Damage in a count and a size would multiply.
        let blocks = BlockRange.blocks(offsetBytes: offset, lengthBytes: size, blockBytes: blockBytes)?.count ?? 1
        guard count > 0, count <= Self.requestsMax / blocks else {
            throw LineFault(expected: "an op_count from 1 and at most \(Self.requestsMax) requests in one line")
        }
        let attributes = RequestAttributes(
            timeNanoseconds: time, operation: [1, 2, 5].contains(operation) ? .read : .write)
        for _ in 0..<count {
            try requests.appendBlocks(
                volume: block, part: isPipelined ? nil : seven, offsetBytes: offset, lengthBytes: size,
                blockBytes: blockBytes, attributes, tenant: isPipelined ? seven ?? six : six)
        }
    }

    /// Recognises the header, or the columns without it.
    public static func recognise(_ sample: TraceSample) -> Recognition? {
        guard !sample.begins(with: "# block_id io_offset io_size") else { return Recognition(.certain) }
        return canRead(sample) && sample.lines.contains { $0.first != 0x23 } ? Recognition(.likely) : nil
    }
}
