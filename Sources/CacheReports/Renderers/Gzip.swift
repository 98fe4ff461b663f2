internal import CZlib
internal import Foundation

/// Packs what a page holds for download, which a browser unpacks itself.
enum Gzip {
    /// The bytes as gzip; nil if they cannot be packed.
    static func packed(_ data: Data) -> Data? {
        var stream = z_stream()
        // 16 more than the largest window stands for gzip.
        let status = deflateInit2_(
            &stream, Z_BEST_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
            Int32(MemoryLayout<z_stream>.size))
        guard status == Z_OK, let length = UInt32(exactly: data.count) else { return nil }
        defer { deflateEnd(&stream) }
        var packed = Data(count: Int(deflateBound(&stream, uLong(length))))
        let room = UInt32(clamping: packed.count)
        let end = data.withUnsafeBytes { input in
            packed.withUnsafeMutableBytes { output in
                stream.next_in = UnsafeMutablePointer(mutating: input.bindMemory(to: UInt8.self).baseAddress)
                stream.avail_in = length
                stream.next_out = output.bindMemory(to: UInt8.self).baseAddress
                stream.avail_out = room
                return deflate(&stream, Z_FINISH)
            }
        }
        guard end == Z_STREAM_END else { return nil }
        packed.removeLast(Int(stream.avail_out) + packed.count - Int(room))
        return packed
    }
}
