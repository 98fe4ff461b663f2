import CacheCore

/// Keys and values that are cut, repaired or taken for none on their way to whoever is told of them.
struct OddContents {
    private let keys: [[UInt8]]
    private let values: [Payload]

    /// What the claims allow of it.
    init(_ claims: Claims) {
        let short: [[UInt8]] = [[], [0x61, 0, 0x62], [0x61, 0], [0xFF, 0x61], [13, 10], Array(" A ".utf8)]
        let keys = short + [255, 256, 300, 65_536].map { [UInt8](repeating: 0x6B, count: $0) }
        self.keys = keys.filter { $0.count <= claims.keyBytesMax && (!$0.isEmpty || claims.allowsEmptyKey) }
        let lengths = [255, 256, 65_535, 65_536, 65_537].filter { $0 <= claims.valueBytesMax }
        values =
            short.map { .bytes($0) } + lengths.enumerated().map { .described(sequence: 50 + $0, byteCount: $1) }
    }

    /// Each key written, removed and written again, and each value under a key of its own, so that each is the last of a key.
    func changes(in group: String? = nil) -> [CacheOperation] {
        let ofKeys = keys.enumerated().flatMap { (number, key) -> [CacheOperation] in
            [.put(key, value(2 * number)), .remove(key), .put(key, value(2 * number + 1))]
        }
        let ofValues = values.enumerated().map { CacheOperation.put(Array("odd-\($0)".utf8), $1) }
        return (ofKeys + ofValues).map { change in group.map { .within(group: $0, change) } ?? change }
    }

    /// The name of a group or a tag, and one that is the same to whoever keeps ASCII alone.
    static let (name, similarName) = ("größe/2 ", "gr??e/2 ")

    /// Pairs of values that are one to whoever reads them as text or as numbers, or adds up their bytes.
    static let alike: [(there: [UInt8], expected: [UInt8])] =
        [("b", "B"), ("b", "b\n"), ("b", " b"), ("b", "b\0"), ("1", "01"), ("12", "21"), ("1", "1.0")]
        .map { (Array($0.0.utf8), Array($0.1.utf8)) } + [([0xFF], [0xFE]), ([0xFF], [0xEF, 0xBF, 0xBD]), ([0], [])]
}
