public import CacheCore

/// Assay's own compressed columns, which keep everything that a trace says: `docs/assay-trace-format.md`.
///
/// Each block has a checksum, and the last one the counts of all, so that damage and a missing end show. Memory: 9 bytes an object and
/// its key where that is not a number, 8 bytes an object for each of sizes, times to live, costs and tenants, and a block.
public struct AssayTraceFormat: TraceFormat {
    /// Name and meaning.
    public static let descriptor = TraceFormatDescriptor(
        name: "assay", summary: "Assay's own compressed columns: 'assay trace convert' writes them.", citation: "Assay",
        fileExtensions: ["assay"])

    /// The format has no parameters.
    public init(_ parameters: ParameterValues) {}

    /// Certain by the first eight bytes.
    public static func recognise(_ sample: TraceSample) -> Recognition? {
        sample.bytes.starts(with: AssayTraceLayout.magic) ? Recognition(.certain) : nil
    }

    /// Reads every block.
    public func read<Sink: TraceSink & ~Copyable>(
        _ input: inout ByteStream, into sink: inout Sink
    ) throws(AssayError) {
        var blocks = try AssayBlockReader(&input)
        while let block = try blocks.next(&input, tenant: { (name) throws(AssayError) in try sink.tenant(named: name) })
        {
            for index in 0..<block.requests {
                let attributes = block.attributes(at: index)
                let id = block.ids[index]
                if let range = blocks.textKey(of: id) {
                    try withBytes(blocks.text) { (bytes) throws(AssayError) in
                        try sink.append(bytes: UnsafeRawBufferPointer(rebasing: bytes[range]), attributes)
                    }
                } else {
                    try sink.append(integer: blocks.keys[id], attributes)
                }
            }
        }
    }
}

/// The requests of one block.
struct AssayBlock {
    var requests: Int
    var ids: [Int] = []
    var sizes: [UInt64] = []
    var times: [UInt64] = []
    var timesToLive: [UInt64] = []
    var costs: [UInt64] = []
    var operations: [UInt64] = []
    var tenants: [UInt16] = []

    @inline(__always)
    func attributes(at index: Int) -> RequestAttributes {
        var attributes = RequestAttributes()
        if !sizes.isEmpty { attributes.sizeBytes = sizes[index] }
        if !times.isEmpty { attributes.timeNanoseconds = Int64(bitPattern: times[index]) }
        if !timesToLive.isEmpty, timesToLive[index] > 0 {
            attributes.timeToLiveNanoseconds = Int64(bitPattern: timesToLive[index])
        }
        if !costs.isEmpty { attributes.cost = Double(bitPattern: costs[index]) }
        if !operations.isEmpty {
            attributes.operation = TraceOperation(rawValue: UInt8(truncatingIfNeeded: operations[index]))
        }
        if !tenants.isEmpty { attributes.tenant = tenants[index] }
        return attributes
    }
}
