internal import CacheCore

extension Fields {
    /// The operation that a word names, in any case; nil for other words.
    ///
    /// The words are those of memcached's and Redis's commands, of block traces and of key-value benchmarks. Whatever leaves
    /// a value behind is a write.
    static func operation(_ field: UnsafeRawBufferPointer) -> TraceOperation? {
        packed(field).flatMap { operationsByWord[$0] }
    }

    private static let operationsByWord: [UInt64: TraceOperation] = {
        let words: [TraceOperation: [String]] = [
            .read: ["get", "gets", "gat", "read", "r", "load", "head", "scan"],
            .write: [
                "set", "add", "replace", "cas", "append", "prepend", "incr", "decr", "put", "post", "write", "w",
                "store",
                "insert", "update",
            ],
            .remove: ["delete", "del", "remove", "d", "purge", "unlink"],
        ]
        var operations: [UInt64: TraceOperation] = [:]
        for (operation, names) in words {
            for name in names {
                let bytes = Array(name.utf8)
                if let word = bytes.withUnsafeBytes(packed) { operations[word] = operation }
            }
        }
        return operations
    }()

    /// Up to 8 letters in lower case as one number; nil for anything else.
    private static func packed(_ field: UnsafeRawBufferPointer) -> UInt64? {
        guard (1...8).contains(field.count) else { return nil }
        var word: UInt64 = 0
        for byte in field {
            let letter = byte | 0x20
            guard (0x61...0x7a).contains(letter) else { return nil }
            word = word << 8 | UInt64(letter)
        }
        return word
    }
}
