import Foundation

/// What a mutant takes for the identity of a key.
enum MutantKeys {
    static func map(_ key: [UInt8], _ bug: Bug?) -> [UInt8] {
        switch bug {
        case .cutsLongKeys: Array(key.prefix(255))
        case .normalisesPaths: path(key)
        case .foldsCase: Array(String(decoding: key, as: UTF8.self).lowercased().utf8)
        case .normalisesUnicode: Array(String(decoding: key, as: UTF8.self).precomposedStringWithCanonicalMapping.utf8)
        case .cutsKeyAtNUL: Array(key.prefix { $0 != 0 })
        case .repairsUTF8: Array(String(decoding: key, as: UTF8.self).utf8)
        case .hashesWithCRC32: bytes(crc32(key))
        case .hashesWithFNV32: bytes(key.reduce(0x811C_9DC5) { ($0 ^ UInt32($1)) &* 0x0100_0193 })
        case .hashesLikeJava: bytes(key.reduce(0) { $0 &* 31 &+ UInt32($1) })
        case .firstEightBytes: Array(key.prefix(8))
        case .lastEightBytes: Array(key.suffix(8))
        default: key
        }
    }

    private static func path(_ key: [UInt8]) -> [UInt8] {
        let parts = key.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: true)
        return Array(parts.filter { $0 != [UInt8(ascii: ".")] }.joined(separator: [UInt8(ascii: "/")]))
    }

    private static func bytes(_ word: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) }
    }

    private static func crc32(_ bytes: [UInt8]) -> UInt32 {
        var crc: UInt32 = .max
        for byte in bytes {
            crc ^= UInt32(byte)
            for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
        }
        return ~crc
    }
}
