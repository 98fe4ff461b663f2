import CacheCore

/// A value to store: literal bytes, or bytes that say whose value they are.
public enum Payload: Hashable, Sendable {
    /// These bytes.
    case bytes([UInt8])
    /// Bytes made from the key, a number that is unique in the program, and the length.
    ///
    /// From 24 bytes on they carry all three, so that a wrong answer tells where it came from.
    case described(sequence: Int, byteCount: Int)

    /// The number of bytes.
    public var byteCount: Int {
        switch self {
        case .bytes(let bytes): bytes.count
        case .described(_, let byteCount): byteCount
        }
    }

    /// The value that is stored under `key`. O(bytes).
    public func bytes(for key: [UInt8]) -> [UInt8] {
        switch self {
        case .bytes(let bytes): bytes
        case .described(let sequence, let byteCount):
            SelfDescription(keyHash: Self.hash(key), sequence: sequence, byteCount: byteCount).bytes
        }
    }

    /// FNV-1a of a key, spread.
    static func hash(_ key: [UInt8]) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in key { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return mix64(hash)
    }
}

/// What a described value says about itself.
struct SelfDescription: Equatable {
    static let headBytes = 24

    var keyHash: UInt64
    var sequence: Int
    var byteCount: Int

    init(keyHash: UInt64, sequence: Int, byteCount: Int) {
        self.keyHash = keyHash
        self.sequence = sequence
        self.byteCount = byteCount
    }

    /// Reads the head of a value; nil if it is not a described one.
    init?(_ bytes: [UInt8]) {
        guard bytes.count >= Self.headBytes else { return nil }
        let words = bytes.withUnsafeBytes { raw in
            (0..<3).map { UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: 8 * $0, as: UInt64.self)) }
        }
        keyHash = words[1]
        sequence = Int(words[2] >> 32)
        byteCount = Int(words[2] & 0xFFFF_FFFF)
        guard words[0] == tag else { return nil }
    }

    /// The words are: a checksum of the other two, the key's hash, sequence and length; then words made from the checksum.
    var bytes: [UInt8] {
        let head = [tag, keyHash, packed]
        let tag = tag
        return [UInt8](unsafeUninitializedCapacity: byteCount + 8) { buffer, count in
            let raw = UnsafeMutableRawBufferPointer(buffer)
            for index in 0..<(byteCount + 7) / 8 {
                let word = index < 3 ? head[index] : mix64(tag &+ UInt64(index))
                raw.storeBytes(of: word.littleEndian, toByteOffset: 8 * index, as: UInt64.self)
            }
            count = byteCount
        }
    }

    private var packed: UInt64 { UInt64(truncatingIfNeeded: sequence) << 32 | UInt64(truncatingIfNeeded: byteCount) }
    private var tag: UInt64 { mix64(keyHash ^ mix64(packed)) }
}
