/// The fields of one record by their names, in order: what a migration step reads and changes.
///
/// Equal records are of the same type and version and have the same fields; their order does not matter.
public struct RecordData: Sendable {
    /// The name of the record's type, ``CacheRecord/recordName``; nil for a value that is of no such type, as a structure or a
    /// dictionary in a record.
    public let typeName: String?
    /// The version of the type that wrote it; 0 for a value that is of none.
    public internal(set) var version: Int
    /// The names of the fields, in order.
    public private(set) var names: [String] = []
    private var values: [String: RecordValue] = [:]

    /// A record without fields.
    public init(typeName: String? = nil, version: Int = 0) {
        self.typeName = typeName
        self.version = version
    }

    /// The field in which `Codable` classes have the part of their superclass.
    public static let superclassField = "super"

    /// A field's value, nil if there is no such field. Setting nil removes it; a new one comes last.
    public subscript(name: String) -> RecordValue? {
        get { values[name] }
        set {
            guard let newValue else { return _ = remove(name) }
            if values.updateValue(newValue, forKey: name) == nil { names.append(name) }
        }
    }

    /// Whether there are no fields.
    public var isEmpty: Bool { names.isEmpty }

    /// Every name with its value, in order.
    public var fields: [(name: String, value: RecordValue)] { names.map { ($0, values[$0]!) } }

    /// Removes a field; returns its value, nil if there was none.
    @discardableResult
    public mutating func remove(_ name: String) -> RecordValue? {
        guard let value = values.removeValue(forKey: name) else { return nil }
        names.removeAll { $0 == name }
        return value
    }

    /// Gives a field another name, in its place; a field that has that name already is gone. Does nothing if there is none.
    public mutating func rename(_ name: String, to new: String) {
        guard name != new, let value = values[name] else { return }
        remove(new)
        values[name] = nil
        values[new] = value
        names[names.firstIndex(of: name)!] = new
    }

    /// Gives two fields each other's names; one that is missing is missing under the other name then.
    public mutating func swap(_ first: String, _ second: String) {
        guard first != second else { return }
        let values = (self[first], self[second])
        self[first] = values.1
        self[second] = values.0
    }

    /// Puts what a function makes of a field's value in its place; nil removes it. Does nothing if there is no such field.
    public mutating func retype(_ name: String, _ change: (RecordValue) throws -> RecordValue?) rethrows {
        guard let value = values[name] else { return }
        self[name] = try change(value)
    }

    /// Moves a field out of a nested record into this one, under its name or another. Does nothing if there is no such record or
    /// field.
    public mutating func move(_ name: String, outOf child: String, as new: String? = nil) {
        guard var nested = values[child]?.record, let value = nested.remove(name) else { return }
        self[child] = .record(nested)
        self[new ?? name] = value
    }

    /// Sets a field that is missing or ``RecordValue/nothing``.
    public mutating func fill(_ name: String, with value: RecordValue) {
        if self[name]?.isNothing ?? true { self[name] = value }
    }

    /// Whether a field was added at run time, by an ``ExtensionField``.
    static func isExtension(_ name: String) -> Bool { name.hasPrefix("(") }
}

extension RecordData: Hashable {
    /// Whether they are of one type and version, with the same fields.
    public static func == (a: RecordData, b: RecordData) -> Bool {
        a.typeName == b.typeName && a.version == b.version && a.values == b.values
    }

    /// Hashes type, version and fields.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(typeName)
        hasher.combine(version)
        hasher.combine(values)
    }
}
