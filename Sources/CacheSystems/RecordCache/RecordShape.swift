/// The fields of a record's type as one encoding has named them: what a ``RecordSchema`` is made of, and quicker to compare.
struct RecordShape: Equatable {
    let type: any CacheRecord.Type
    let names: [String]
    /// The type of each field; nil where it is not known.
    let fieldTypes: [Any.Type?]

    static func == (a: RecordShape, b: RecordShape) -> Bool {
        guard a.type == b.type, a.names == b.names else { return false }
        return a.fieldTypes.elementsEqual(b.fieldTypes) { $0 == $1 }
    }

    var schema: RecordSchema {
        let fields = zip(names, fieldTypes).map { RecordSchema.Field(name: $0, type: Self.name(of: $1)) }
        return RecordSchema(
            typeName: type.recordName, version: type.timeline.version,
            fields: fields.filter { !RecordData.isExtension($0.name) },
            extensions: Set(names.filter(RecordData.isExtension)))
    }

    /// What a field's type is called in a schema: a record by its name, so that renaming the type changes nothing.
    private static func name(of type: Any.Type?) -> String {
        guard let type else { return "" }
        return (type as? any CacheRecord.Type)?.recordName ?? String(describing: type)
    }
}
