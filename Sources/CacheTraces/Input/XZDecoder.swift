internal import CLzma

/// xz by liblzma, any number of streams with padding between them as one member; each block's checksum is verified.
final class XZDecoder: Decoder {
    let name = "xz"
    /// `LZMA_CONCATENATED`, a macro that Swift cannot see.
    private static let concatenated: UInt32 = 0x08
    /// `LZMA_TELL_UNSUPPORTED_CHECK`.
    private static let tellUnsupportedCheck: UInt32 = 0x02
    /// The most memory that a stream may ask for: what its largest dictionaries but the very largest need.
    private static let memoryBytesMax: UInt64 = 1 << 31
    private var stream = lzma_stream()

    init() throws(DecodingFailure) { try start() }

    deinit { lzma_end(&stream) }

    func decode(
        _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer, isLast: Bool
    ) throws(DecodingFailure) -> DecodingStep {
        stream.next_in = input.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stream.avail_in = input.count
        stream.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stream.avail_out = output.count
        let status = lzma_code(&stream, isLast ? LZMA_FINISH : LZMA_RUN)
        let isUnchecked = status == LZMA_UNSUPPORTED_CHECK
        guard status == LZMA_OK || status == LZMA_STREAM_END || status == LZMA_BUF_ERROR || isUnchecked else {
            throw DecodingFailure(reason: Self.reason(status))
        }
        return DecodingStep(
            consumed: input.count - stream.avail_in, produced: output.count - stream.avail_out,
            isMemberEnd: status == LZMA_STREAM_END,
            warning: isUnchecked ? "liblzma cannot verify its kind of checksum, so damage would not show" : nil)
    }

    func restart() throws(DecodingFailure) { try start() }

    private func start() throws(DecodingFailure) {
        guard
            lzma_stream_decoder(&stream, Self.memoryBytesMax, Self.concatenated | Self.tellUnsupportedCheck) == LZMA_OK
        else {
            throw DecodingFailure(reason: "liblzma could not start")
        }
    }

    private static func reason(_ status: lzma_ret) -> String {
        switch status {
        case LZMA_FORMAT_ERROR: "bytes that are not xz follow"
        case LZMA_OPTIONS_ERROR: "it uses options that liblzma does not know"
        case LZMA_DATA_ERROR: "its checksum does not agree"
        case LZMA_MEMLIMIT_ERROR: "it asks for more than \(memoryBytesMax) bytes of memory"
        case LZMA_MEM_ERROR: "liblzma ran out of memory"
        default: "liblzma status \(status.rawValue)"
        }
    }
}
