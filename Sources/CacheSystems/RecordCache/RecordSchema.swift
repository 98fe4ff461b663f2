internal import CacheCore

/// The fields that a record type has in one version, as its first value that was encoded named them.
public struct RecordSchema: Sendable, Hashable {
    /// One field.
    public struct Field: Sendable, Hashable, Codable {
        /// Its name.
        public let name: String
        /// Its Swift type, without an outer optional; the name of a record's type; empty where it is not known.
        public let type: String
    }

    /// The name of the type: ``CacheRecord/recordName``.
    public let typeName: String
    /// The version.
    public let version: Int
    /// The fields, in the order in which they are encoded.
    public let fields: [Field]
    /// The labels of the fields that were added at run time and have been seen: ``ExtensionField/label``.
    public internal(set) var extensions: Set<String> = []

    /// What an entry knows it by: 8 bytes of a digest of type, version and fields.
    ///
    /// So a schema that was lost is found again as soon as its type is encoded by a program of that version, and an entry never has
    /// another's names.
    var id: [UInt8] {
        let fields = fields.flatMap { CanonicalNode.text($0.name) + CanonicalNode.text($0.type) }
        let content = CanonicalNode.text(typeName) + CanonicalNode.integer(version) + fields
        return Array(SHA256.digest(of: content).prefix(Self.idBytes))
    }

    static let idBytes = 8
}

extension RecordSchema: Codable {}
