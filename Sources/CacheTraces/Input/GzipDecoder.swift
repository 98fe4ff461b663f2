internal import CZlib

/// gzip (RFC 1952) by zlib, one member at a time; each member's length and checksum are verified.
final class GzipDecoder: Decoder {
    let name = "gzip"
    private var stream = z_stream()

    init() throws(DecodingFailure) {
        // 15 bits of window; 16 more mean gzip and nothing else.
        guard inflateInit2_(&stream, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
            throw DecodingFailure(reason: "zlib could not start")
        }
    }

    deinit { inflateEnd(&stream) }

    static var followingBytes: Int { 2 }

    /// gzip ignores zeros that pad a file to its end in silence, and anything else that is no gzip with a warning; a single byte it
    /// takes for a member that was cut short.
    func following(_ start: UnsafeRawBufferPointer) -> Following {
        if start[0] == 0 { return .zeros }
        return start.count < 2 || start.starts(with: [0x1f, 0x8b]) ? .member : .garbage
    }

    func decode(
        _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer, isLast: Bool
    ) throws(DecodingFailure) -> DecodingStep {
        let bytes = input.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stream.next_in = UnsafeMutablePointer(mutating: bytes)
        stream.avail_in = UInt32(clamping: input.count)
        stream.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stream.avail_out = UInt32(clamping: output.count)
        let (given, room) = (stream.avail_in, stream.avail_out)
        let status = inflate(&stream, Z_NO_FLUSH)
        guard status == Z_OK || status == Z_STREAM_END || status == Z_BUF_ERROR else {
            throw DecodingFailure(reason: stream.msg.map { String(cString: $0) } ?? "zlib status \(status)")
        }
        return DecodingStep(
            consumed: Int(given - stream.avail_in), produced: Int(room - stream.avail_out),
            isMemberEnd: status == Z_STREAM_END)
    }

    func restart() throws(DecodingFailure) {
        guard inflateReset(&stream) == Z_OK else { throw DecodingFailure(reason: "zlib could not restart") }
    }
}
