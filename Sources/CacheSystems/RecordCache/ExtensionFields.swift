/// A field that is added to a record type by code that does not own the type: its value lies in the record's ``ExtensionFields``.
///
/// ```swift
/// extension Person {
///     static let nick = ExtensionField<String>("nick", category: "Chat")
///     var nick: String? {
///         get { extensions[Self.nick] }
///         set { extensions[Self.nick] = newValue }
///     }
/// }
/// ```
public struct ExtensionField<Value: Codable & Sendable>: Sendable, Hashable {
    /// Its name.
    public let name: String
    /// Who has added it: fields of one name in two categories are two.
    public let category: String

    /// A field of a category.
    public init(_ name: String, category: String = "Category") {
        self.name = name
        self.category = category
    }

    /// What it is called in schemas, migrations and descriptions: `(Category)name`.
    public var label: String { "(\(category))\(name)" }
}

/// The values of the fields that were added to a record's type at run time: a member that the record's own type declares.
///
/// They lie in the record beside its own fields, under their ``ExtensionField/label``: they are stored, migrated, compared, copied
/// and described with it, and a schema names those that have been seen. They can be encoded in a ``CacheRecord`` alone.
public struct ExtensionFields: Hashable, Sendable {
    private var values: [String: RecordValue] = [:]

    /// No values.
    public init() {}

    init(of data: RecordData) {
        for (name, value) in data.fields where RecordData.isExtension(name) { values[name] = value }
    }

    /// The value of a field, nil if there is none or if it has another type. Setting nil removes it.
    ///
    /// A value that cannot be encoded is not set: the field then has none.
    public subscript<Value>(field: ExtensionField<Value>) -> Value? {
        get { values[field.label].flatMap { try? $0.value(as: Value.self) } }
        set { values[field.label] = newValue.flatMap { try? RecordValue(of: $0) } }
    }

    /// The labels and values, in the order of the labels.
    var inOrder: [(label: String, value: RecordValue)] {
        values.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
}
