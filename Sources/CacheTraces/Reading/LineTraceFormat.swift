public import CacheCore

/// A trace format of which each line says itself what it asks for.
///
/// ### Purpose
/// The format reads one line; the loop, the places of errors, malformed lines that are skipped, and lines that are passed over
/// and counted are the same for all.
///
/// ### Implementers' notes
/// What a line tells the ones after it, such as the names of columns, lives in the format, which is a value of its own for
/// each file. A line that is well formed and no request is passed over with its reason.
public protocol LineTraceFormat: TraceFormat {
    /// Reads a line that is not empty, without its end, and appends its requests.
    ///
    /// - Throws: `LineFault` for a malformed line; what was appended of it is dropped.
    mutating func read(_ line: UnsafeRawBufferPointer, into requests: inout LineRequests) throws(LineFault)

    /// Appends what the last lines have left to append, once all are read; nothing unless a format says otherwise.
    ///
    /// - Throws: `LineFault` for lines that are no trace of this format when taken together.
    mutating func finish(_ requests: inout LineRequests) throws(LineFault)

    /// Whether the file may be copied while it is written, so that a malformed last line without a line feed is passed over.
    static var isLog: Bool { get }
}

extension LineTraceFormat {
    /// Appends nothing.
    public mutating func finish(_ requests: inout LineRequests) {}

    /// A file is whole.
    public static var isLog: Bool { false }
}

/// What is wrong with a line.
public struct LineFault: Error {
    /// The part of the line that is wrong, to be shown; nil for the line.
    let found: String?
    /// What was expected there.
    let expected: String

    /// A line is not as `expected`, which ends a sentence without its full stop: "a whole number of bytes".
    public init(expected: String) {
        found = nil
        self.expected = expected
    }

    /// A field of a line is not as `expected`.
    public init(_ field: UnsafeRawBufferPointer, expected: String) {
        found = Fields.shown(field)
        self.expected = expected
    }
}

/// The requests of one line on their way to a sink.
public struct LineRequests {
    /// The most blocks of one line: 64 GiB of blocks of 4 KiB. Longer ranges are damage, or meant to fill memory.
    static let longestRange: UInt64 = 1 << 24

    private struct Request {
        var isInteger: Bool
        var integer: UInt64
        var key: Range<Int>
        var tenant: Range<Int>?
        var attributes: RequestAttributes
    }

    private var requests: [Request] = []
    private var bytes: [UInt8] = []
    /// How many lines are as a heading says, by reason, in the order of their first.
    private var remarks: [(heading: String, reasons: [(reason: String, count: Int)])] = []
    private var notes: [String] = []

    /// Appends a request for a key: the number that it is written as, or else its bytes.
    ///
    /// - Parameter tenant: Who asks, any bytes; a format gives one for every request or for none.
    public mutating func append(
        _ key: UnsafeRawBufferPointer, _ attributes: RequestAttributes = RequestAttributes(),
        tenant: UnsafeRawBufferPointer? = nil
    ) {
        if let integer = Fields.canonicalInteger(key) {
            append(integer: integer, attributes, tenant: tenant)
        } else {
            let place = keep(key)
            add(Request(isInteger: false, integer: 0, key: place, attributes: attributes), tenant)
        }
    }

    /// Appends a request for a number.
    public mutating func append(
        integer key: UInt64, _ attributes: RequestAttributes = RequestAttributes(),
        tenant: UnsafeRawBufferPointer? = nil
    ) {
        add(Request(isInteger: true, integer: key, key: 0..<0, attributes: attributes), tenant)
    }

    /// Appends a request for each block that a range of a volume touches; one block for a range of no bytes.
    ///
    /// - Parameters:
    ///   - volume: What tells volumes apart, part of each key; nil where there is one.
    ///   - offsetBytes: Where the range begins.
    ///   - lengthBytes: How long it is.
    ///   - blockBytes: How long a block is, at least 1; each request has this size.
    /// - Throws: `LineFault` for a range beyond 2^64 bytes or of more than 2^24 blocks.
    public mutating func appendBlocks(
        volume: UnsafeRawBufferPointer? = nil, offsetBytes: UInt64, lengthBytes: UInt64, blockBytes: UInt64,
        _ attributes: RequestAttributes, tenant: UnsafeRawBufferPointer? = nil
    ) throws(LineFault) {
        let (end, overflow) = offsetBytes.addingReportingOverflow(max(lengthBytes, 1) - 1)
        let (first, last) = (offsetBytes / blockBytes, end / blockBytes)
        guard !overflow, last - first < Self.longestRange else {
            throw LineFault(expected: "a range that ends below 2^64 and has at most 2^24 blocks")
        }
        var attributes = attributes
        attributes.sizeBytes = blockBytes
        for block in first...last { append(block, of: volume, attributes, tenant: tenant) }
    }

    /// Appends a request for the block or the offset `number` of a volume. The key is joined as that of several columns.
    public mutating func append(
        _ number: UInt64, of volume: UnsafeRawBufferPointer?, _ attributes: RequestAttributes,
        tenant: UnsafeRawBufferPointer? = nil
    ) {
        guard let volume else { return append(integer: number, attributes, tenant: tenant) }
        let start = bytes.count
        for byte in volume {
            if byte == 0x2b || byte == 0x5c { bytes.append(0x5c) }
            bytes.append(byte)
        }
        bytes.append(0x2b)
        bytes.append(contentsOf: String(number).utf8)
        add(Request(isInteger: false, integer: 0, key: start..<bytes.count, attributes: attributes), tenant)
    }

    /// Passes over a line that is well formed and no request, as "status 404", and counts it by this reason.
    public mutating func passOver(_ reason: String) {
        remark("Lines that are no requests were passed over", reason)
    }

    /// Counts a line by its reason under a heading, to be told at the end: "HEADING: 3 (REASON), 1 (REASON)."
    public mutating func remark(_ heading: String, _ reason: String) {
        guard let place = remarks.firstIndex(where: { $0.heading == heading }) else {
            remarks.append((heading, [(reason, 1)]))
            return
        }
        let count = remarks[place].reasons.count
        if let index = remarks[place].reasons.firstIndex(where: { $0.reason == reason }) {
            remarks[place].reasons[index].count += 1
        } else if count < Self.reasonsMax {
            remarks[place].reasons.append((reason, 1))
        } else {
            remarks[place].reasons[count - 1].reason = "others"
            remarks[place].reasons[count - 1].count += 1
        }
    }

    /// Tells something of the whole file, a sentence.
    public mutating func note(_ text: String) {
        if !notes.contains(text), notes.count < Self.reasonsMax { notes.append(text) }
    }

    private static let reasonsMax = 12

    private mutating func keep(_ text: UnsafeRawBufferPointer) -> Range<Int> {
        bytes.append(contentsOf: text)
        return bytes.count - text.count..<bytes.count
    }

    private mutating func add(_ request: Request, _ tenant: UnsafeRawBufferPointer?) {
        var request = request
        request.tenant = tenant.map { keep($0) }
        requests.append(request)
    }

    /// Drops what a malformed line has appended.
    mutating func clear() {
        requests.removeAll(keepingCapacity: true)
        bytes.removeAll(keepingCapacity: true)
    }

    /// Sends everything on.
    mutating func send<Sink: TraceSink & ~Copyable>(to sink: inout Sink) throws(AssayError) {
        guard !requests.isEmpty else { return }
        try withBytes(bytes) { (bytes) throws(AssayError) in
            for request in requests {
                var attributes = request.attributes
                if let tenant = request.tenant {
                    attributes.tenant = try sink.tenant(named: UnsafeRawBufferPointer(rebasing: bytes[tenant]))
                }
                if request.isInteger {
                    try sink.append(integer: request.integer, attributes)
                } else {
                    try sink.append(bytes: UnsafeRawBufferPointer(rebasing: bytes[request.key]), attributes)
                }
            }
        }
        clear()
    }

    /// Tells what was noted, and how many lines were passed over and why.
    func tell<Sink: TraceSink & ~Copyable>(_ sink: inout Sink) {
        for note in notes { sink.note(note) }
        for (heading, reasons) in remarks {
            sink.note("\(heading): \(reasons.map { "\($0.count) (\($0.reason))" }.joined(separator: ", ")).")
        }
    }
}

extension LineTraceFormat {
    /// Reads every line.
    public func read<Sink: TraceSink & ~Copyable>(
        _ input: inout ByteStream, into sink: inout Sink
    ) throws(AssayError) {
        var format = self
        try readLines(&input, into: &sink, isLog: Self.isLog) { (line, requests) throws(LineFault) in
            if let line { try format.read(line, into: &requests) } else { try format.finish(&requests) }
        }
    }
}

/// The loop of all formats of lines: not generic over the format, so that it is compiled once a sink. `read` gets nil at the end.
@inline(never)
private func readLines<Sink: TraceSink & ~Copyable>(
    _ input: inout ByteStream, into sink: inout Sink, isLog: Bool,
    _ read: (UnsafeRawBufferPointer?, inout LineRequests) throws(LineFault) -> Void
) throws(AssayError) {
    var lines = LineReader()
    var requests = LineRequests()
    while let whole = try lines.next(&input) {
        let line = Fields.withoutCarriageReturn(whole)
        guard line.count > 0 else { continue }
        do throws(LineFault) {
            try read(line, &requests)
        } catch {
            requests.clear()
            if isLog, lines.number > 1, lines.isCutOff {
                requests.passOver("the last, which is cut off")
            } else {
                let found = error.found ?? Fields.shown(line)
                try sink.refuse(
                    AssayError(.badInput, "Found \(found); expected \(error.expected).", at: lines.location(input)))
            }
        }
        try requests.send(to: &sink)
    }
    do throws(LineFault) {
        try read(nil, &requests)
    } catch {
        throw AssayError(
            .badInput, "Found \(error.found ?? "the end"); expected \(error.expected).", at: lines.location(input))
    }
    try requests.send(to: &sink)
    requests.tell(&sink)
}
