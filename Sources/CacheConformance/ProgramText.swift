import CacheCore

/// Keys and bytes in words and in Swift.
enum KeyText {
    /// A key as text if it is plain, else in hexadecimal, shortened.
    static func describe(_ key: [UInt8]) -> String {
        if key.isEmpty { return "\"\" (empty)" }
        if isPlain(key) {
            let text = String(decoding: key.prefix(40), as: UTF8.self)
            return key.count > 40 ? "\"\(text)…\" (\(key.count) bytes)" : "\"\(text)\""
        }
        return "0x" + hex(key.prefix(20)) + (key.count > 20 ? "… (\(key.count) bytes)" : "")
    }

    /// An expression of type `[UInt8]`.
    static func swift(_ bytes: [UInt8]) -> String {
        if bytes.isEmpty { return "[]" }
        if bytes.count > 8, bytes.allSatisfy({ $0 == bytes[0] }) {
            return "[UInt8](repeating: 0x\(hex(bytes.prefix(1))), count: \(bytes.count))"
        }
        if isPlain(bytes) { return "Array(\"\(String(decoding: bytes, as: UTF8.self))\".utf8)" }
        return "[" + bytes.map { "0x" + hex([$0][...]) }.joined(separator: ", ") + "]"
    }

    /// Lower-case hexadecimal digits.
    static func hex(_ bytes: ArraySlice<UInt8>) -> String {
        bytes.map { byte in
            let text = String(byte, radix: 16)
            return text.count < 2 ? "0" + text : text
        }.joined()
    }

    private static func isPlain(_ bytes: [UInt8]) -> Bool {
        bytes.allSatisfy { (0x20...0x7E).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
    }
}

/// Values and answers in words.
enum ValueText {
    /// An entry that is or should be under a key.
    static func describe(_ entry: StoredEntry, under key: [UInt8]) -> String {
        value(entry.value, under: key) + (entry.expiresAtNanoseconds.map { ", expires at \($0) ns" } ?? "")
    }

    /// An answer to an operation.
    static func describe(_ result: OperationResult, of operation: Operation) -> String {
        switch result {
        case .done: "no error"
        case .entry(nil): "nil"
        case .entry(let entry?): describe(entry, under: operation.key ?? [])
        case .flag(let flag): "\(flag)"
        case .number(let number): "\(number)"
        case .keys(let keys) where keys.count > 8: "\(keys.count) keys"
        case .keys(let keys): "keys " + keys.map(KeyText.describe).joined(separator: ", ")
        case .failure(let error): "threw \(error)"
        }
    }

    private static func value(_ bytes: [UInt8], under key: [UInt8]) -> String {
        if let description = SelfDescription(bytes) {
            let owner = description.keyHash == Payload.hash(key) ? "" : " of another key"
            let whole = "value \(description.sequence)\(owner) (\(description.byteCount) bytes)"
            if bytes == description.bytes { return whole }
            return bytes.count == description.byteCount ? whole + ", altered" : whole + ", cut to \(bytes.count) bytes"
        }
        if bytes.isEmpty { return "an empty value" }
        return "0x" + KeyText.hex(bytes.prefix(16)) + (bytes.count > 16 ? "… (\(bytes.count) bytes)" : "")
    }
}

extension Operation: CustomStringConvertible {
    /// One line, such as `put "a" value 3 (300 bytes)`.
    public var description: String {
        switch self {
        case .put(let key, let payload, let expiry):
            "put \(KeyText.describe(key)) "
                + ValueText.describe(StoredEntry(payload.bytes(for: key), expiresAtNanoseconds: expiry), under: key)
        case .get(let key): "get \(KeyText.describe(key))"
        case .contains(let key): "contains \(KeyText.describe(key))"
        case .remove(let key): "remove \(KeyText.describe(key))"
        default: name
        }
    }

    /// The operation's word in the JSON form.
    var name: String {
        switch self {
        case .put: "put"
        case .get: "get"
        case .contains: "contains"
        case .remove: "remove"
        case .removeAll: "removeAll"
        case .count: "count"
        case .keys: "keys"
        case .flush: "flush"
        case .close: "close"
        case .reopen: "reopen"
        case .relocate: "relocate"
        case .abandon: "abandon"
        }
    }

    /// The operation as a statement on `store`, which `open()` opens.
    var swift: String {
        switch self {
        case .put(let key, let payload, let expiry):
            "try store.put(StoredEntry(\(payload.swift(for: key))"
                + (expiry.map { ", expiresAtNanoseconds: \($0)" } ?? "") + "), for: \(KeyText.swift(key)))"
        case .get(let key): "try store.get(\(KeyText.swift(key)))"
        case .contains(let key): "try store.contains(\(KeyText.swift(key)))"
        case .remove(let key): "try store.remove(\(KeyText.swift(key)))"
        case .removeAll: "try store.removeAll()"
        case .count: "try store.count()"
        case .keys: "try store.keys()"
        case .flush: "try store.flush()"
        case .close: "try store.close()"
        case .reopen: "try store.close(); store = try open()"
        case .relocate: "try store.close(); /* rename the directory */ store = try open()"
        case .abandon: "store = try open()  // without close()"
        }
    }
}

extension Payload {
    fileprivate func swift(for key: [UInt8]) -> String {
        if byteCount <= 16 { return KeyText.swift(bytes(for: key)) }
        switch self {
        case .bytes(let bytes): return KeyText.swift(bytes)
        case .described(let sequence, let byteCount):
            return "Payload.described(sequence: \(sequence), byteCount: \(byteCount)).bytes(for: \(KeyText.swift(key)))"
        }
    }
}

extension Program: CustomStringConvertible {
    /// One operation a line.
    public var description: String { operations.map(\.description).joined(separator: "\n") }

    /// Statements that reproduce the program; `open()` stands for opening the subject in an empty directory.
    public var swiftSource: String {
        (["var store = try open()"] + operations.map(\.swift)).joined(separator: "\n")
    }
}
