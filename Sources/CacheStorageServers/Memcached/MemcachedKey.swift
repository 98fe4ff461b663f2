#if Servers
    import CacheCore

    /// The key that memcached sees: the store's namespace, and the key itself or, where that is too long, its digest.
    struct MemcachedKey: Sendable {
        /// The longest key that memcached takes, in bytes, as it is written: in base 64.
        static let writtenBytesMax = 250
        /// The longest key that stands there itself, in bytes: four written for three, less namespace and mark.
        static let plainBytesMax = writtenBytesMax / 4 * 3 - 9

        /// The key in base 64.
        let written: String
        /// The store's key, where the written one is its digest: kept with the value, so that no other key finds it.
        let kept: [UInt8]?

        /// A key in a namespace.
        init(_ key: [UInt8], namespace: UInt64) {
            var bytes = (0..<8).map { UInt8(truncatingIfNeeded: namespace >> (8 * UInt64($0))) }
            if key.count <= Self.plainBytesMax {
                bytes.append(0)
                bytes += key
                kept = nil
            } else {
                bytes.append(1)
                bytes += Array(SHA256.hexadecimal(of: key).utf8)
                kept = key
            }
            written = Self.base64(bytes)
        }

        /// Bytes in base 64 (RFC 4648 §4).
        static func base64(_ bytes: [UInt8]) -> String {
            let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
            var text: [UInt8] = []
            text.reserveCapacity((bytes.count + 2) / 3 * 4)
            for start in stride(from: 0, to: bytes.count, by: 3) {
                let group = bytes[start..<min(start + 3, bytes.count)]
                let word = group.reduce(UInt32(0)) { $0 << 8 | UInt32($1) } << (8 * UInt32(3 - group.count))
                for index in 0..<4 {
                    let digit = Int(word >> (18 - 6 * UInt32(index))) & 63
                    text.append(index <= group.count ? alphabet[digit] : UInt8(ascii: "="))
                }
            }
            return String(decoding: text, as: UTF8.self)
        }
    }
#endif
