internal import CacheCore

#if Encryption
    internal import Crypto
#endif

/// How the bytes of a file become the digest that stands for them.
enum FileDigestAlgorithm {
    /// XXH3 with 128 bits, as `xxhsum -H2` prints it, behind `xxh128:`. It recognises files as fast as they are read; forging one
    /// would be easy.
    case xxh128
    /// SHA-256, as `sha256sum` prints it: for files whose author states it.
    case sha256

    /// A digest of nothing so far.
    func makeHash() -> any FileHash {
        switch self {
        case .xxh128: XXH3Hash()
        case .sha256: SHA256OfFile()
        }
    }

    /// The digest of what follows a file's position.
    ///
    /// - Throws: `AssayError` with code `inputOutput` if it cannot be read.
    func digest(of file: borrowing PosixFile) throws(AssayError) -> String {
        let hash = makeHash()
        let block = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 64)
        defer { block.deallocate() }
        while true {
            let count = try file.read(into: block)
            if count == 0 { return hash.text }
            hash.update(UnsafeRawBufferPointer(rebasing: block[..<count]))
        }
    }
}

/// Takes in the bytes of a file, one part after the other.
protocol FileHash: AnyObject {
    /// Takes in what follows. O(bytes).
    func update(_ bytes: UnsafeRawBufferPointer)
    /// The digest of what was taken in so far.
    var text: String { get }
}

extension XXH3Hash: FileHash {
    var text: String { "xxh128:" + hexadecimal }
}

private final class SHA256OfFile: FileHash {
    #if Encryption
        /// swift-crypto's, where it is built anyway: it uses the processor's instructions and is ten times as fast as ours.
        private var hash = Crypto.SHA256()

        func update(_ bytes: UnsafeRawBufferPointer) { hash.update(bufferPointer: bytes) }
        var text: String { CacheCore.SHA256.hexadecimal(hash.finalize()) }
    #else
        private var hash = CacheCore.SHA256()

        func update(_ bytes: UnsafeRawBufferPointer) { hash.update(bytes) }
        /// Found once, because this hash cannot be copied: nothing is taken in afterwards.
        private(set) lazy var text: String = {
            var finished = CacheCore.SHA256()
            swap(&finished, &hash)
            return finished.hexadecimal()
        }()
    #endif
}
