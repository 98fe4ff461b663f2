internal import CacheCore

/// A digest of any encodable value that is the same in every process, on every machine, for equal values.
///
/// What tells values apart: the kind of each part (nil, Boolean, integer, floating point, text, bytes, date, list, record,
/// dictionary, set), its value, its place, and the names of a record's members. So 1, 1.0, true and "1" differ; a nil differs
/// from what is left out; ("ab", "c") differs from ("a", "bc").
///
/// What does not: the order of a dictionary, a set or a record's members; the width of an integer or of a floating-point
/// number; the spelling of text that Swift holds equal (NFC and NFD); the sign of a zero; which NaN it is.
///
/// O(bytes of the value · log of the largest dictionary).
public struct CanonicalKey: Hashable, Sendable {
    /// SHA-256 of the canonical bytes: 32 bytes.
    public let digest: [UInt8]

    /// The key of a value.
    ///
    /// - Throws: what the value's `encode(to:)` throws.
    public init(of value: some Encodable) throws { digest = SHA256.digest(of: try Self.bytes(of: value)) }

    /// The bytes that are digested: see `CanonicalNode` for their form, which never changes.
    public static func bytes(of value: some Encodable) throws -> [UInt8] {
        let node = CanonicalNode()
        try CanonicalEncoder(node, []).encode(value)
        return node.bytes
    }

    /// The digest in hexadecimal.
    public var hexadecimal: String { digest.map { String(UInt16($0) + 256, radix: 16).dropFirst() }.joined() }

    /// What the keys of one function begin with: its name and version, so that no two functions share a key.
    static func prefix(_ name: String, version: Int) -> [UInt8] {
        CanonicalNode.text(name) + CanonicalNode.integer(version)
    }
}
