package import CacheCore

/// The bytes that a live run stores: determined by the object, its version and the length, so that every hit can be
/// compared byte for byte with what was written.
///
/// A value of 16 bytes or more begins with a checksum of the three and with object and version, so that it says itself
/// what it should be; what follows is SplitMix64 seeded from the three, with as many zeros as the values are to be
/// compressible. Two objects, two versions or two lengths never share a value: a stale, torn, swapped or shortened value
/// differs in its first bytes already.
package struct Payload {
    /// How compressible values are: this many words of each block of 64 are random, the others zero.
    package struct Texture: Sendable, Hashable {
        /// Random words a block, 1 to 64.
        let randomWords: Int

        /// Values of which a good compressor leaves one part in `ratio`; 1 for values that cannot be compressed.
        package init(compressionRatio ratio: Double = 1) {
            randomWords = max(1, min(64, Int((64 / max(ratio, 1)).rounded())))
        }
    }

    /// The bytes of checksum, object and version.
    package static var headerBytes: Int { 16 }

    private let name: UInt64
    private let seed: UInt64
    private let texture: Texture
    /// The number of bytes.
    package let count: Int

    /// The payload of `version` of the object `id`, `count` bytes long.
    package init(id: ObjectID, version: UInt32, count: Int, texture: Texture = Texture()) {
        name = UInt64(id) << 32 | UInt64(version)
        seed = mix64(name) ^ mix64(UInt64(truncatingIfNeeded: count))
        self.count = count
        self.texture = texture
    }

    /// The payload that a value of at least ``headerBytes`` says it is.
    package init(saidBy value: [UInt8], texture: Texture) {
        let name = value.withUnsafeBytes { UInt64(littleEndian: $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self)) }
        self.init(
            id: ObjectID(truncatingIfNeeded: name >> 32), version: UInt32(truncatingIfNeeded: name),
            count: value.count, texture: texture)
    }

    /// The object.
    package var id: ObjectID { ObjectID(truncatingIfNeeded: name >> 32) }
    /// The version.
    package var version: UInt32 { UInt32(truncatingIfNeeded: name) }

    /// The bytes. O(count).
    package func bytes() -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            let raw = UnsafeMutableRawBufferPointer(buffer)
            var words = Words(self)
            var offset = 0
            while offset &+ 8 <= count {
                raw.storeBytes(of: words.next().littleEndian, toByteOffset: offset, as: UInt64.self)
                offset &+= 8
            }
            var rest = words.next()
            while offset < count {
                raw[offset] = UInt8(truncatingIfNeeded: rest)
                rest >>= 8
                offset &+= 1
            }
            initialized = count
        }
    }

    /// Whether `value` is exactly this payload. O(count), without building it.
    package func matches(_ value: [UInt8]) -> Bool {
        guard value.count == count else { return false }
        return value.withUnsafeBytes { raw in
            var words = Words(self)
            var offset = 0
            while offset &+ 8 <= count {
                let word = raw.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                guard UInt64(littleEndian: word) == words.next() else { return false }
                offset &+= 8
            }
            var rest = words.next()
            while offset < count {
                guard raw[offset] == UInt8(truncatingIfNeeded: rest) else { return false }
                rest >>= 8
                offset &+= 1
            }
            return true
        }
    }

    /// The payload eight bytes at a time.
    private struct Words {
        private var generator: SeededGenerator
        private let payload: Payload
        private var position = 0

        init(_ payload: Payload) {
            self.payload = payload
            generator = SeededGenerator(seed: payload.seed)
        }

        mutating func next() -> UInt64 {
            defer { position &+= 1 }
            if position < 2, payload.count >= Payload.headerBytes { return position == 0 ? payload.seed : payload.name }
            // A value too short for a header is random throughout: it is all there is to tell it by.
            let isRandom = position & 63 < payload.texture.randomWords || payload.count < Payload.headerBytes
            return isRandom ? generator.next() : 0
        }
    }
}
