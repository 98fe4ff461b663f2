internal import CBZip2

/// bzip2 by libbz2, one stream at a time; each block's checksum is verified.
final class BZip2Decoder: Decoder {
    let name = "bzip2"
    private var stream = bz_stream()

    init() throws(DecodingFailure) { try start() }

    deinit { BZ2_bzDecompressEnd(&stream) }

    static var followingBytes: Int { 4 }

    /// bzip2 ignores whatever does not begin as another stream, with a warning; a stream of which only the first bytes are there has
    /// been cut short.
    func following(_ start: UnsafeRawBufferPointer) -> Following {
        let isMagic = zip(start, "BZh".utf8).allSatisfy { $0 == $1 }
        return isMagic && (start.count < 4 || (0x31...0x39).contains(start[3])) ? .member : .garbage
    }

    func decode(
        _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer, isLast: Bool
    ) throws(DecodingFailure) -> DecodingStep {
        let bytes = input.baseAddress?.assumingMemoryBound(to: CChar.self)
        stream.next_in = UnsafeMutablePointer(mutating: bytes)
        stream.avail_in = UInt32(clamping: input.count)
        stream.next_out = output.baseAddress?.assumingMemoryBound(to: CChar.self)
        stream.avail_out = UInt32(clamping: output.count)
        let (given, room) = (stream.avail_in, stream.avail_out)
        let status = BZ2_bzDecompress(&stream)
        guard status == BZ_OK || status == BZ_STREAM_END else {
            throw DecodingFailure(reason: "libbz2 status \(status)")
        }
        return DecodingStep(
            consumed: Int(given - stream.avail_in), produced: Int(room - stream.avail_out),
            isMemberEnd: status == BZ_STREAM_END)
    }

    func restart() throws(DecodingFailure) {
        BZ2_bzDecompressEnd(&stream)
        stream = bz_stream()
        try start()
    }

    private func start() throws(DecodingFailure) {
        guard BZ2_bzDecompressInit(&stream, 0, 0) == BZ_OK else {
            throw DecodingFailure(reason: "libbz2 could not start")
        }
    }
}
