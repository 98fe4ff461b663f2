internal import CacheCore

/// The bytes that a live run stores: determined by the object, its version and the length, so that every hit can be
/// compared byte for byte with what was written.
///
/// The stream is SplitMix64 seeded from the three, so two objects, two versions or two lengths never share a value: a
/// stale, torn, swapped or shortened value differs in its first bytes already.
struct Payload {
    private let seed: UInt64
    /// The number of bytes.
    let count: Int

    /// The payload of `version` of the object `id`, `count` bytes long.
    init(id: ObjectID, version: UInt32, count: Int) {
        seed = mix64(UInt64(id) << 32 | UInt64(version)) ^ mix64(UInt64(truncatingIfNeeded: count))
        self.count = count
    }

    /// The bytes. O(count).
    func bytes() -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            var generator = SeededGenerator(seed: seed)
            let raw = UnsafeMutableRawBufferPointer(buffer)
            var offset = 0
            while offset + 8 <= count {
                raw.storeBytes(of: generator.next().littleEndian, toByteOffset: offset, as: UInt64.self)
                offset += 8
            }
            var rest = generator.next()
            while offset < count {
                raw[offset] = UInt8(truncatingIfNeeded: rest)
                rest >>= 8
                offset += 1
            }
            initialized = count
        }
    }

    /// Whether `value` is exactly this payload. O(count), without building it.
    func matches(_ value: [UInt8]) -> Bool {
        guard value.count == count else { return false }
        return value.withUnsafeBytes { raw in
            var generator = SeededGenerator(seed: seed)
            var offset = 0
            while offset + 8 <= count {
                let word = raw.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                guard UInt64(littleEndian: word) == generator.next() else { return false }
                offset += 8
            }
            var rest = generator.next()
            while offset < count {
                guard raw[offset] == UInt8(truncatingIfNeeded: rest) else { return false }
                rest >>= 8
                offset += 1
            }
            return true
        }
    }
}
