import CacheCore

/// Keys and bytes in words and in Swift.
enum KeyText {
    /// A key as text if it is plain, else in hexadecimal; of a long one the beginning and the end, by which two may differ.
    static func describe(_ key: [UInt8]) -> String {
        if key.isEmpty { return "\"\" (empty)" }
        if isPlain(key) {
            func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }
            return key.count > 40
                ? "\"\(text(key.prefix(28)))…\(text(key.suffix(12)))\" (\(key.count) bytes)" : "\"\(text(key[...]))\""
        }
        return shortHex(key, 20)
    }

    /// Bytes in hexadecimal; of more than `most` the beginning and the end.
    static func shortHex(_ bytes: [UInt8], _ most: Int) -> String {
        guard bytes.count > most else { return "0x" + hex(bytes[...]) }
        return "0x\(hex(bytes.prefix(most - 6)))…\(hex(bytes.suffix(6))) (\(bytes.count) bytes)"
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

    /// The bytes that hexadecimal digits of either case spell; nil for an odd number, or for what is none.
    ///
    /// In loops over bytes: a subject that is built for debugging, where closures over text take most of its time, reads here
    /// all that it is asked.
    static func bytes(hex text: String) -> [UInt8]? {
        var text = text
        return text.withUTF8 { digits in
            guard digits.count % 2 == 0 else { return nil }
            var bytes: [UInt8] = []
            bytes.reserveCapacity(digits.count / 2)
            while bytes.count < digits.count / 2 {
                let high = half(digits[2 * bytes.count])
                let low = half(digits[2 * bytes.count + 1])
                if high > 15 || low > 15 { return nil }
                bytes.append(high << 4 | low)
            }
            return bytes
        }
    }

    /// The value of a hexadecimal digit; 255 for another character.
    private static func half(_ digit: UInt8) -> UInt8 {
        if digit >= 0x30 && digit <= 0x39 { return digit - 0x30 }
        let letter = digit | 0x20
        return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : 255
    }

    /// Lower-case hexadecimal digits.
    static func hex(_ bytes: ArraySlice<UInt8>) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(unsafeUninitializedCapacity: 2 * bytes.count) { buffer in
            var index = 0
            for byte in bytes {
                buffer[index] = digits[Int(byte >> 4)]
                buffer[index + 1] = digits[Int(byte & 15)]
                index += 2
            }
            return index
        }
    }

    private static func isPlain(_ bytes: [UInt8]) -> Bool {
        bytes.allSatisfy { (0x20...0x7E).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
    }
}

/// Values and answers in words.
enum ValueText {
    /// The most words of a list that all stand there.
    static let listMax = 12

    /// A list in words; of a long one the beginning and how many there are.
    static func list(_ words: [String], _ separator: String) -> String {
        if words.isEmpty { return "an empty list" }
        guard words.count > listMax else { return words.joined(separator: separator) }
        return (words.prefix(6) + ["… (\(words.count) in all)"]).joined(separator: separator)
    }

    /// What is permitted in place of a list; of a long one what in the place of the answer that is wrong.
    static func permitted(
        _ each: [String], _ separator: String, at index: Int, not answer: String, for key: [UInt8]
    ) -> String {
        guard each.count > listMax else { return list(each, separator) }
        return "\(each[index]) and not \(answer) for \(KeyText.describe(key)), number \(index + 1) of \(each.count)"
    }

    /// An entry that is or should be under a key.
    static func describe(_ entry: StoredEntry, under key: [UInt8]) -> String {
        value(entry.value, under: key) + (entry.expiresAtNanoseconds.map { ", expires at \($0) ns" } ?? "")
    }

    /// An answer to an operation.
    static func describe(_ result: OperationResult, of operation: CacheOperation) -> String {
        switch result {
        case .done: "no error"
        case .entry(nil): "nil"
        case .entry(let entry?): describe(entry, under: operation.key ?? [])
        case .flag(let flag): "\(flag)"
        case .number(let number): "\(number)"
        case .keys(let keys) where keys.count > listMax: "\(keys.count) keys"
        case .keys(let keys): "keys " + keys.map(KeyText.describe).joined(separator: ", ")
        case .entries(let entries):
            list(entries.indices.map { describe(.entry(entries[$0]), of: .get(key($0, of: operation))) }, "; ")
        case .time(let time): time.map { "\($0) ns" } ?? "nil"
        case .statistics(let counters): describe(counters)
        case .events(let events):
            events.isEmpty
                ? "no events"
                : list(events.map { "\(KeyText.describe($0.key)) \($0.cause.rawValue)" }, ", ")
        case .loaded(.value(let entry), let calls): describe(entry, under: operation.key ?? []) + Self.calls(calls)
        case .loaded(.nothing, let calls): "nil" + Self.calls(calls)
        case .loaded(.failed, let calls): "the origin's error" + Self.calls(calls)
        case .writes(let writes):
            "\(writes.count) writes: "
                + list(writes.map { "\(KeyText.describe($0.key)) \($0.value == nil ? "removed" : "stored")" }, ", ")
        case .flags(let flags): list(flags.map { "\($0)" }, ", ")
        case .loadedMany(let outcomes, let asked):
            "\(outcomes.count { $0 != .nothing && $0 != .failed }) values, the origin asked for "
                + (asked.isEmpty ? "nothing" : list(asked.map(KeyText.describe), ", "))
        case .failure(let error): "threw \(error)"
        }
    }

    /// The key of one of the answers to a bulk read.
    private static func key(_ index: Int, of operation: CacheOperation) -> [UInt8] {
        switch operation {
        case .within(_, let inner): key(index, of: inner)
        case .getMany(let keys) where index < keys.count: keys[index]
        default: []
        }
    }

    private static func calls(_ calls: Int) -> String {
        " after \(calls) \(calls == 1 ? "call" : "calls") of the loader"
    }

    private static func describe(_ counters: CacheCounters) -> String {
        let parts = [
            ("hits", counters.hits), ("misses", counters.misses), ("evictions", counters.evictions),
            ("expirations", counters.expirations), ("loads", counters.loads), ("failed loads", counters.loadFailures),
            ("hits below memory", counters.lowerHits),
        ]
        let ratio = counters.hitRatio.map { ["a hit ratio of \($0)"] } ?? []
        return (parts.compactMap { name, count in count.map { "\($0) \(name)" } } + ratio).joined(separator: ", ")
    }

    private static func value(_ bytes: [UInt8], under key: [UInt8]) -> String {
        if let description = SelfDescription(bytes) {
            let owner = description.keyHash == Payload.hash(key) ? "" : " of another key"
            let whole = "value \(description.sequence)\(owner) (\(description.byteCount) bytes)"
            if bytes == description.bytes { return whole }
            return bytes.count == description.byteCount ? whole + ", altered" : whole + ", cut to \(bytes.count) bytes"
        }
        if bytes.isEmpty { return "an empty value" }
        return KeyText.shortHex(bytes, 16)
    }
}
