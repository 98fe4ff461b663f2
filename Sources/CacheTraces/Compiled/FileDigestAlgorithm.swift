internal import CXXHash
internal import CacheCore

#if CommandLine
    internal import Crypto
#endif

/// How the bytes of a file become the digest that stands for them.
enum FileDigestAlgorithm {
    /// XXH3 with 128 bits, as `xxhsum -H2` prints it, behind `xxh128:`. It recognises files as fast as they are read; forging one
    /// would be easy.
    case xxh128
    /// SHA-256, as `sha256sum` prints it: for files whose author states it.
    case sha256

    /// The digest of what follows a file's position.
    ///
    /// - Throws: `AssayError` with code `inputOutput` if it cannot be read.
    func digest(of file: borrowing PosixFile) throws(AssayError) -> String {
        switch self {
        case .xxh128:
            let hash = XXH128OfFile()
            try Self.forEachBlock(of: file, hash.update)
            return hash.text
        case .sha256:
            var hash = SHA256OfFile()
            try Self.forEachBlock(of: file) { hash.update($0) }
            return hash.hexadecimal()
        }
    }

    private static func forEachBlock(
        of file: borrowing PosixFile, _ body: (UnsafeRawBufferPointer) -> Void
    ) throws(AssayError) {
        let block = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 64)
        defer { block.deallocate() }
        while true {
            let count = try file.read(into: block)
            if count == 0 { break }
            body(UnsafeRawBufferPointer(rebasing: block[..<count]))
        }
    }
}

/// XXH3 with 128 bits, from libxxhash.
private final class XXH128OfFile {
    private let state = XXH3_createState()

    init() { XXH3_128bits_reset(state) }

    deinit { XXH3_freeState(state) }

    func update(_ bytes: UnsafeRawBufferPointer) { XXH3_128bits_update(state, bytes.baseAddress, bytes.count) }

    /// The digest's canonical form, the high half first.
    var text: String {
        let hash = XXH3_128bits_digest(state)
        let words = [hash.high64, hash.low64]
        let bytes = words.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * UInt64($0))) } }
        return "xxh128:" + CacheCore.SHA256.hexadecimal(bytes)
    }
}

#if CommandLine
    /// swift-crypto's, which uses the processor's instructions for it: ten times as fast as ours.
    private struct SHA256OfFile {
        private var hash = Crypto.SHA256()

        mutating func update(_ bytes: UnsafeRawBufferPointer) { hash.update(bufferPointer: bytes) }
        func hexadecimal() -> String { CacheCore.SHA256.hexadecimal(hash.finalize()) }
    }
#else
    private typealias SHA256OfFile = CacheCore.SHA256
#endif
