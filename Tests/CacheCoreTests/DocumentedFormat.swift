import CacheCore

/// Records of 16 bytes: a key and a size, each an unsigned little-endian number of 8 bytes.
struct PairTraceFormat: TraceFormat {
    static let descriptor = TraceFormatDescriptor(
        name: "pair", summary: "A key and a size a record: unsigned 64-bit, little-endian.", citation: "None",
        fileExtensions: ["pair"])

    init(_ parameters: ParameterValues) {}

    func read<Sink: TraceSink & ~Copyable>(_ input: inout ByteStream, into sink: inout Sink) throws(AssayError) {
        while true {
            let available = try input.fill(atLeast: 16)
            if available == 0 { return }
            guard available >= 16 else {
                throw AssayError(.badInput, "Found \(available) bytes; expected a record of 16.", at: input.location)
            }
            let key = input.buffered.loadUnaligned(as: UInt64.self)
            let size = input.buffered.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
            try sink.append(
                integer: UInt64(littleEndian: key), RequestAttributes(sizeBytes: UInt64(littleEndian: size)))
            input.consume(16)
        }
    }
}
