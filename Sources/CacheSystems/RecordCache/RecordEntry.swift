internal import CacheCore
internal import CacheEngine
internal import Synchronization

/// What lies under one key: a value's bytes, and the value itself where it was stored or has been read since.
final class RecordEntry: Sendable {
    /// A ``RecordWriter``'s.
    let bytes: [UInt8]
    /// Whether memory may hold it.
    let keepsInMemory: Bool
    private let decoded = Mutex<MethodResult?>(nil)

    init(_ bytes: [UInt8], keepsInMemory: Bool) {
        self.bytes = bytes
        self.keepsInMemory = keepsInMemory
    }

    /// What it weighs in memory: its bytes, and about what an entry takes besides.
    var weight: Int { bytes.count + 64 }

    /// The value, if it is known already as one of this type.
    func known<Value: Sendable>(as type: Value.Type) -> Value? { decoded.withLock { $0 }?.value(as: type) }
    func remember(_ value: some Sendable) { decoded.withLock { $0 = MethodResult(value, weight: 1) } }

    /// A byte for the version of the form, 1; one that is 1 where memory may not hold it, else 0; and the value's bytes.
    static var codec: CacheCodec<RecordPlace, RecordEntry> {
        CacheCodec(
            encodeKey: { RecordKey.bytes(of: $0) }, decodeKey: { try RecordKey.place(of: $0) },
            encodeValue: { [1, $0.keepsInMemory ? 0 : 1] + $0.bytes },
            decodeValue: { bytes in
                guard bytes.count > 2, bytes[0] == 1, bytes[1] < 2 else {
                    throw StoreError(.corrupt, "an entry of no known form")
                }
                return RecordEntry(Array(bytes[2...]), keepsInMemory: bytes[1] == 0)
            })
    }
}

/// Spells places as keys of the store, so that a group's begin with the group's own, and no two are alike.
///
/// For each group a 1, the length of its name in four bytes, big-endian, and its name in UTF-8 and NFC; then a 0 and the key likewise,
/// without a length.
enum RecordKey {
    static func bytes(of place: RecordPlace) -> [UInt8] { bytes(ofGroup: place.path) + [0] + place.key.composedUTF8 }

    static func bytes(ofGroup path: [String]) -> [UInt8] {
        path.reduce(into: []) { bytes, name in
            let text = name.composedUTF8
            bytes += [1] + (0..<4).map { UInt8(truncatingIfNeeded: text.count >> (24 - 8 * $0)) } + text
        }
    }

    static func place(of bytes: [UInt8]) throws -> RecordPlace {
        var path: [String] = []
        var rest = bytes[...]
        func text(_ bytes: ArraySlice<UInt8>) throws -> String {
            guard let text = String(validating: bytes, as: UTF8.self) else {
                throw StoreError(.corrupt, "a key in the store is not one of this cache's")
            }
            return text
        }
        while rest.first == 1, rest.count >= 5 {
            let count = rest.dropFirst().prefix(4).reduce(0) { $0 << 8 | Int($1) }
            guard count <= rest.count - 5 else { break }
            path.append(try text(rest.dropFirst(5).prefix(count)))
            rest = rest.dropFirst(5 + count)
        }
        guard rest.first == 0 else { throw StoreError(.corrupt, "a key in the store is not one of this cache's") }
        return RecordPlace(path: path, key: try text(rest.dropFirst()))
    }
}
