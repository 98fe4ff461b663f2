internal import CacheCore

extension UnsafeRawPointer {
    /// The little-endian number at an offset.
    @inline(__always)
    func little<Number: FixedWidthInteger>(_ offset: Int, _: Number.Type) -> Number {
        Number(littleEndian: loadUnaligned(fromByteOffset: offset, as: Number.self))
    }
}

/// Calls `read` with each record of a stream of records of one width. What it returns is wrong with the record, which goes to the sink
/// with its offset; nil is nothing.
///
/// - Throws: as ``forEachRecord(of:in:fault:_:)``, and what `read` and the sink throw.
func readRecords<Sink: TraceSink & ~Copyable>(
    of width: Int, in input: inout ByteStream, into sink: inout Sink,
    fault: (UnsafeRawBufferPointer) -> String? = { _ in nil },
    _ read: (UnsafeRawPointer, inout Sink) throws(AssayError) -> String?
) throws(AssayError) {
    let name = input.name
    var offset = input.offset
    try forEachRecord(
        of: width, in: &input, fault: fault, refuse: { (error) throws(AssayError) in try sink.refuse(error) }
    ) { (record) throws(AssayError) in
        if let message = try read(record, &sink) {
            try sink.refuse(AssayError(.badInput, message, at: AssayError.Location(name, offsetBytes: offset)))
        }
        offset += width
    }
}

extension TraceSample {
    /// Whether the bytes from `start` on are at least `least` whole records of `width` bytes, all as `isOne` says.
    func areRecords(
        of width: Int, from start: Int = 0, least: Int, _ isOne: (UnsafeRawPointer) -> Bool
    ) -> Bool {
        guard let base = bytes.baseAddress, bytes.count - start >= least * width else { return false }
        return stride(from: start, through: bytes.count - width, by: width).allSatisfy { isOne(base + $0) }
    }
}

/// What is kept, dropped and told alike in all of libCacheSim's binary formats.
struct RecordRules {
    /// What to do with requests of size 0, which libCacheSim drops.
    static let zeroSized = ParameterSpecification(
        "zero-sized", .choice(default: "drop", ["drop", "keep"]), "What to do with requests of size 0.")

    private let keepsZeroSized: Bool
    private var zeroSized = 0
    private var withoutOperation = 0
    private var tenants: [UInt32: UInt16] = [:]

    init(_ parameters: ParameterValues) { keepsZeroSized = parameters.text("zero-sized") == "keep" }

    /// Whether a request of size 0 is dropped, and counts it if it is.
    mutating func dropsZeroSized() -> Bool {
        if keepsZeroSized { return false }
        zeroSized += 1
        return true
    }

    /// The operation of a number of libCacheSim's; a request that states none is a read. Nil for a number that is none.
    mutating func operation(_ code: UInt64) -> TraceOperation? {
        switch code {
        case 1, 2, 12: return .read
        case 3...8, 10, 11, 13, 14: return .write
        case 9: return .remove
        case 0, 15, 255:
            withoutOperation += 1
            return .read
        default: return nil
        }
    }

    static func unknownOperation(_ code: UInt64) -> String {
        "Found the operation \(code); expected one of libCacheSim's numbers, from 0 to 15. Name the format with --format."
    }

    /// A time to live, in nanoseconds; nil for 0 and -1, which are without end.
    ///
    /// - Parameter seconds: Between -1 and 2^32.
    static func timeToLive(seconds: Int64) -> Int64? { seconds <= 0 ? nil : seconds * 1_000_000_000 }

    /// The sink's number of a tenant that a file numbers.
    mutating func tenant<Sink: TraceSink & ~Copyable>(
        _ number: UInt32, in sink: inout Sink
    ) throws(AssayError) -> UInt16 {
        if let known = tenants[number] { return known }
        let tenant = try withBytes(Array(String(number).utf8)) { (name) throws(AssayError) in
            try sink.tenant(named: name)
        }
        tenants[number] = tenant
        return tenant
    }

    /// Tells what was dropped and what was taken for reads.
    func tell<Sink: TraceSink & ~Copyable>(_ sink: inout Sink) {
        if zeroSized > 0 {
            sink.note("Requests of size 0 were dropped: \(zeroSized). The parameter zero-sized=keep keeps them.")
        }
        if withoutOperation > 0 { sink.note("Requests that state no operation count as reads: \(withoutOperation).") }
    }
}
