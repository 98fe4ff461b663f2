internal import CZstd

/// Bytes that are compressed and decompressed whole, by libzstd.
final class ZstdBlock {
    private static let level: Int32 = 6

    private let compression = ZSTD_createCCtx()
    private let decompression = ZSTD_createDCtx()

    deinit {
        ZSTD_freeCCtx(compression)
        ZSTD_freeDCtx(decompression)
    }

    /// The compressed bytes; nil where that saves nothing.
    func compressed(_ bytes: [UInt8]) -> [UInt8]? {
        guard let compression, !bytes.isEmpty else { return nil }
        let room = ZSTD_compressBound(bytes.count)
        let result = [UInt8](unsafeUninitializedCapacity: room) { output, count in
            let size = bytes.withUnsafeBytes { input in
                ZSTD_compressCCtx(compression, output.baseAddress, room, input.baseAddress, input.count, Self.level)
            }
            count = ZSTD_isError(size) == 0 ? size : 0
        }
        return result.isEmpty || result.count >= bytes.count ? nil : result
    }

    /// The bytes that were compressed, `count` of them; nil for anything else.
    func decompressed(_ bytes: [UInt8], count: Int) -> [UInt8]? {
        guard let decompression else { return nil }
        let result = [UInt8](unsafeUninitializedCapacity: count) { output, written in
            let size = bytes.withUnsafeBytes { input in
                ZSTD_decompressDCtx(decompression, output.baseAddress, count, input.baseAddress, input.count)
            }
            written = ZSTD_isError(size) == 0 ? size : 0
        }
        return result.count == count ? result : nil
    }
}
