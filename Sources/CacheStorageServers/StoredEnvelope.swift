#if Servers
    import CacheCore

    /// An entry as one string of bytes: a mark, the moment of expiry if there is one, and the value.
    ///
    /// | bytes | what |
    /// | --- | --- |
    /// | 1 | bit 0: a moment follows; bit 1: a key follows |
    /// | 8 | the moment in nanoseconds since 1970, little-endian |
    /// | 4 + n | the length of the key, little-endian, and the key, where the server's key is only its digest |
    /// | rest | the value |
    enum StoredEnvelope {
        /// The most bytes that stand before a value whose key is not kept with it.
        static let overheadBytes = 9
        /// The most bytes that stand before a value whose key is kept, without the key.
        static let keyedOverheadBytes = overheadBytes + 4

        /// Writes an entry, with its key if one is given.
        static func encode(_ entry: StoredEntry, key: [UInt8]? = nil) -> [UInt8] {
            var bytes: [UInt8] = []
            bytes.reserveCapacity(keyedOverheadBytes + (key?.count ?? 0) + entry.value.count)
            bytes.append((entry.expiresAtNanoseconds == nil ? 0 : 1) | (key == nil ? 0 : 2))
            if let moment = entry.expiresAtNanoseconds { append(UInt64(bitPattern: moment), bytes: 8, to: &bytes) }
            if let key {
                append(UInt64(key.count), bytes: 4, to: &bytes)
                bytes += key
            }
            bytes += entry.value
            return bytes
        }

        /// Reads an entry and the key that was kept with it; nil if the bytes are no envelope.
        static func decode(_ bytes: [UInt8]) -> (entry: StoredEntry, key: [UInt8]?)? {
            guard let mark = bytes.first, mark <= 3 else { return nil }
            var rest = bytes.dropFirst()
            var moment: Int64?
            if mark & 1 != 0 {
                guard let word = take(8, from: &rest) else { return nil }
                moment = Int64(bitPattern: word)
            }
            var key: [UInt8]?
            if mark & 2 != 0 {
                guard let count = take(4, from: &rest), count <= UInt64(rest.count) else { return nil }
                key = Array(rest.prefix(Int(count)))
                rest = rest.dropFirst(Int(count))
            }
            return (StoredEntry(Array(rest), expiresAtNanoseconds: moment), key)
        }

        private static func append(_ word: UInt64, bytes count: Int, to bytes: inout [UInt8]) {
            for index in 0..<count { bytes.append(UInt8(truncatingIfNeeded: word >> (8 * UInt64(index)))) }
        }

        private static func take(_ count: Int, from bytes: inout ArraySlice<UInt8>) -> UInt64? {
            guard bytes.count >= count else { return nil }
            defer { bytes = bytes.dropFirst(count) }
            return bytes.prefix(count).reversed().reduce(0) { $0 << 8 | UInt64($1) }
        }
    }
#endif
