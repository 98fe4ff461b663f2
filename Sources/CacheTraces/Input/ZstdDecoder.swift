internal import CZstd

/// Zstandard (RFC 8878) by libzstd, one frame at a time; a frame's checksum is verified where it has one.
final class ZstdDecoder: Decoder {
    let name = "zstd"
    private let context: OpaquePointer

    init() throws(DecodingFailure) {
        guard let context = ZSTD_createDCtx() else { throw DecodingFailure(reason: "libzstd could not start") }
        self.context = context
        // Frames written with --long=31 need this; memory is taken only when a frame asks for it.
        ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, 31)
    }

    deinit { ZSTD_freeDCtx(context) }

    func decode(
        _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer, isLast: Bool
    ) throws(DecodingFailure) -> DecodingStep {
        var source = ZSTD_inBuffer(src: input.baseAddress, size: input.count, pos: 0)
        var target = ZSTD_outBuffer(dst: output.baseAddress, size: output.count, pos: 0)
        let status = ZSTD_decompressStream(context, &target, &source)
        guard ZSTD_isError(status) == 0 else {
            throw DecodingFailure(reason: String(cString: ZSTD_getErrorName(status)))
        }
        // With nothing consumed, 0 only repeats that the frame before was complete.
        let moved = source.pos > 0 || target.pos > 0
        return DecodingStep(consumed: source.pos, produced: target.pos, isMemberEnd: status == 0 && moved)
    }

    func restart() throws(DecodingFailure) {
        guard ZSTD_isError(ZSTD_DCtx_reset(context, ZSTD_reset_session_only)) == 0 else {
            throw DecodingFailure(reason: "libzstd could not restart")
        }
    }
}
