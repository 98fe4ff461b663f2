public import CacheCore

/// The requests of one line on their way to a sink, and what is to be told of all lines.
public struct LineRequests {
    /// A request, or one for each number of a range, which takes no memory of its own.
    private struct Request {
        enum Key {
            case bytes(Range<Int>)
            case integers(ClosedRange<UInt64>)
            /// Numbers behind the bytes of a volume.
            case blocks(ClosedRange<UInt64>, volume: Range<Int>)
        }

        var key: Key
        var tenant: Range<Int>?
        var attributes: RequestAttributes
    }

    private var requests: [Request] = []
    private var bytes: [UInt8] = []
    /// What is counted under each heading, in the order of their first.
    private var remarks: [(heading: String, tally: Tally)] = []
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
            add(.bytes(keep(key)), attributes, tenant)
        }
    }

    /// Appends a request for a number.
    public mutating func append(
        integer key: UInt64, _ attributes: RequestAttributes = RequestAttributes(),
        tenant: UnsafeRawBufferPointer? = nil
    ) {
        add(.integers(key...key), attributes, tenant)
    }

    /// Appends a request for each block that a range of a volume touches; one block for a range of no bytes.
    ///
    /// - Parameters:
    ///   - volume: What tells volumes apart, part of each key; nil where there is one.
    ///   - part: What tells the parts of a volume apart, part of each key; nil where there is one.
    ///   - offsetBytes: Where the range begins.
    ///   - lengthBytes: How long it is.
    ///   - blockBytes: How long a block is, at least 1; each request has this size.
    ///   - attributes: A cost is that of the range, of which each block has its share.
    /// - Throws: `LineFault` for a range beyond 2^64 bytes or of more than 2^20 blocks.
    public mutating func appendBlocks(
        volume: UnsafeRawBufferPointer? = nil, part: UnsafeRawBufferPointer? = nil, offsetBytes: UInt64,
        lengthBytes: UInt64, blockBytes: UInt64, _ attributes: RequestAttributes,
        tenant: UnsafeRawBufferPointer? = nil
    ) throws(LineFault) {
        let blocks = BlockRange.blocks(offsetBytes: offsetBytes, lengthBytes: lengthBytes, blockBytes: blockBytes)
        guard let blocks else { throw LineFault(expected: BlockRange.expected) }
        var attributes = attributes
        attributes.sizeBytes = blockBytes
        if let cost = attributes.cost { attributes.cost = cost / Double(blocks.count) }
        append(blocks, of: volume, part, attributes, tenant)
    }

    /// Appends a request for the block or the offset `number` of a volume, or of a part of it. The key is joined as that of
    /// several columns.
    public mutating func append(
        _ number: UInt64, of volume: UnsafeRawBufferPointer?, part: UnsafeRawBufferPointer? = nil,
        _ attributes: RequestAttributes, tenant: UnsafeRawBufferPointer? = nil
    ) {
        append(number...number, of: volume, part, attributes, tenant)
    }

    private mutating func append(
        _ numbers: ClosedRange<UInt64>, of volume: UnsafeRawBufferPointer?, _ part: UnsafeRawBufferPointer?,
        _ attributes: RequestAttributes, _ tenant: UnsafeRawBufferPointer?
    ) {
        let columns = [volume, part].compactMap(\.self)
        guard !columns.isEmpty else { return add(.integers(numbers), attributes, tenant) }
        var key = JoinedKey()
        for column in columns { key.append(column) }
        bytes += key.bytes
        add(.blocks(numbers, volume: bytes.count - key.bytes.count..<bytes.count), attributes, tenant)
    }

    /// Passes over a line that is well formed and no request, as "status 404", and counts it by this reason.
    public mutating func passOver(_ reason: String) {
        remark("Lines that are no requests were passed over", reason)
    }

    /// Counts a line by its reason under a heading, to be told at the end: "HEADING: 3 (REASON), 1 (REASON)."
    public mutating func remark(_ heading: String, _ reason: String) {
        let place = remarks.firstIndex { $0.heading == heading } ?? remarks.count
        if place == remarks.count { remarks.append((heading, Tally())) }
        remarks[place].tally.count(reason)
    }

    /// Tells something of the whole file, a sentence.
    public mutating func note(_ text: String) {
        if !notes.contains(text), notes.count < Tally.reasonsMax { notes.append(text) }
    }

    private mutating func keep(_ text: UnsafeRawBufferPointer) -> Range<Int> {
        bytes.append(contentsOf: text)
        return bytes.count - text.count..<bytes.count
    }

    private mutating func add(
        _ key: Request.Key, _ attributes: RequestAttributes, _ tenant: UnsafeRawBufferPointer?
    ) {
        requests.append(Request(key: key, tenant: tenant.map { keep($0) }, attributes: attributes))
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
                try Self.send(request.key, attributes, bytes, to: &sink)
            }
        }
        clear()
    }

    private static func send<Sink: TraceSink & ~Copyable>(
        _ key: Request.Key, _ attributes: RequestAttributes, _ bytes: UnsafeRawBufferPointer, to sink: inout Sink
    ) throws(AssayError) {
        switch key {
        case .bytes(let place): try sink.append(bytes: UnsafeRawBufferPointer(rebasing: bytes[place]), attributes)
        case .integers(let numbers):
            for number in numbers { try sink.append(integer: number, attributes) }
        case .blocks(let numbers, let volume):
            // The volume's bytes are joined already.
            var key = Array(bytes[volume]) + [0x2b]
            for number in numbers {
                key.removeLast(key.count - volume.count - 1)
                key += String(number).utf8
                try withBytes(key) { (key) throws(AssayError) in try sink.append(bytes: key, attributes) }
            }
        }
    }

    /// Tells what was noted, and how many lines were passed over and why.
    func tell<Sink: TraceSink & ~Copyable>(_ sink: inout Sink) {
        for note in notes { sink.note(note) }
        for (heading, tally) in remarks { sink.note("\(heading): \(tally.description).") }
    }
}

/// How many there were for each reason, in the order of their first; what comes after 12 reasons is counted together.
private struct Tally {
    static let reasonsMax = 12

    private var reasons: [(reason: String, count: Int)] = []

    mutating func count(_ reason: String) {
        if let index = reasons.firstIndex(where: { $0.reason == reason }) {
            reasons[index].count += 1
        } else if reasons.count < Self.reasonsMax {
            reasons.append((reason, 1))
        } else {
            reasons[Self.reasonsMax - 1].reason = "others"
            reasons[Self.reasonsMax - 1].count += 1
        }
    }

    var description: String { reasons.map { "\($0.count) (\($0.reason))" }.joined(separator: ", ") }
}
