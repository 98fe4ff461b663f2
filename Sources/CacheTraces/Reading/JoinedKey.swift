internal import CacheCore

/// A key made of several columns: their bytes with `+` between them, and `\` before any `+` or `\` inside one, so that
/// different columns never make equal keys.
struct JoinedKey {
    /// The key so far.
    private(set) var bytes: [UInt8] = []
    private var columns = 0

    /// Starts another key and keeps the memory.
    mutating func clear() {
        bytes.removeAll(keepingCapacity: true)
        columns = 0
    }

    /// Adds a column.
    mutating func append(_ column: UnsafeRawBufferPointer) {
        if columns > 0 { bytes.append(0x2b) }
        columns += 1
        for byte in column {
            if byte == 0x2b || byte == 0x5c { bytes.append(0x5c) }
            bytes.append(byte)
        }
    }

    /// Adds a number as a column.
    mutating func append(_ number: UInt64) {
        if columns > 0 { bytes.append(0x2b) }
        columns += 1
        bytes.append(contentsOf: String(number).utf8)
    }

    /// Appends a request for this key.
    func send<Sink: TraceSink & ~Copyable>(
        to sink: inout Sink, _ attributes: RequestAttributes
    ) throws(AssayError) {
        try withBytes(bytes) { (key) throws(AssayError) in
            try sink.append(bytes: key, attributes)
        }
    }
}
