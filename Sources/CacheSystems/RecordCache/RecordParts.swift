// The parts of a record are values of its fields too: a record as it is stored can be read, kept in another, and stored again. The encoder
// and decoder of records know them; what calls these functions is another one, which has no form for them.

private enum RecordParts {
    static let advice =
        "the parts of a record can be coded in a RecordCache alone, as the values there or as fields of one"

    static func refusal(_ decoder: any Decoder) -> DecodingError {
        .dataCorrupted(DecodingError.Context(codingPath: decoder.codingPath, debugDescription: advice))
    }

    static func refusal(_ value: Any, _ encoder: any Encoder) -> EncodingError {
        .invalidValue(value, EncodingError.Context(codingPath: encoder.codingPath, debugDescription: advice))
    }
}

extension RecordValue: Codable {
    /// Throws: other decoders than that of records have no form for it.
    public init(from decoder: any Decoder) throws { throw RecordParts.refusal(decoder) }
    /// Throws: other encoders than that of records have no form for it.
    public func encode(to encoder: any Encoder) throws { throw RecordParts.refusal(self, encoder) }
}

extension RecordData: Codable {
    /// Throws: other decoders than that of records have no form for it.
    public init(from decoder: any Decoder) throws { throw RecordParts.refusal(decoder) }
    /// Throws: other encoders than that of records have no form for it.
    public func encode(to encoder: any Encoder) throws { throw RecordParts.refusal(self, encoder) }
}

extension ExtensionFields: Codable {
    /// Throws: outside of a record there is no place for them.
    public init(from decoder: any Decoder) throws { throw RecordParts.refusal(decoder) }
    /// Throws: outside of a record there is no place for them.
    public func encode(to encoder: any Encoder) throws { throw RecordParts.refusal(self, encoder) }
}
