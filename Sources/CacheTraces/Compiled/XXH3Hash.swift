internal import CXXHash
internal import CacheCore

/// XXH3 with 128 bits over bytes that come one part after the other, from libxxhash. Not for secrets.
final class XXH3Hash {
    private let state = XXH3_createState()

    /// A hash of nothing so far.
    init() { XXH3_128bits_reset(state) }

    deinit { XXH3_freeState(state) }

    /// Takes in bytes. O(bytes).
    func update(_ bytes: UnsafeRawBufferPointer) { XXH3_128bits_update(state, bytes.baseAddress, bytes.count) }

    /// The low half of what was taken in so far.
    var low64: UInt64 { XXH3_128bits_digest(state).low64 }

    /// The canonical form of what was taken in so far, the high half first.
    var hexadecimal: String {
        let hash = XXH3_128bits_digest(state)
        let words = [hash.high64, hash.low64]
        return SHA256.hexadecimal(
            words.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * UInt64($0))) } })
    }
}
