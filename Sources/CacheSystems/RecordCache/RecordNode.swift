/// One part of a value on its way to a ``RecordValue``, as its encoder fills it.
final class RecordNode {
    private enum Kind { case leaf, list, record }

    private struct Member {
        let name: String
        /// The type under which it is known in its record, nil where that is not known.
        let type: Any.Type?
        let node: RecordNode
    }

    private var kind = Kind.leaf
    private var leaf = RecordValue.record(RecordData())
    private var elements: [RecordNode] = []
    private var members: [Member] = []
    private var places: [String: Int] = [:]
    private var type: (any CacheRecord.Type)?

    /// Whether it is an object, of a class.
    var isObject = false

    /// The number of elements in the list.
    var count: Int { elements.count }

    func set(_ value: RecordValue) {
        kind = .leaf
        leaf = value
    }

    func becomeList() { kind = .list }

    /// Makes it a record, of a type's name and version if that has any.
    func becomeRecord(of type: Any.Type?) {
        kind = .record
        self.type = self.type ?? type as? any CacheRecord.Type
    }

    /// A new last element of the list.
    func append() -> RecordNode {
        elements.append(RecordNode())
        return elements[elements.count - 1]
    }

    /// A new member of the record, in the place of one that has that name.
    func member(_ name: String, _ type: Any.Type?) -> RecordNode {
        let member = Member(name: name, type: type, node: RecordNode())
        if let place = places[name] {
            members[place] = member
        } else {
            places[name] = members.count
            members.append(member)
        }
        return member.node
    }

    /// What it has become; takes note of the records and objects in it.
    func value(noting encoded: inout RecordEncoder.Encoded) -> RecordValue {
        if isObject { encoded.hasObjects = true }
        switch kind {
        case .leaf: return leaf
        case .list: return .list(elements.map { $0.value(noting: &encoded) })
        case .record:
            var data = RecordData(typeName: type?.recordName, version: type?.timeline.version ?? 0)
            for member in members { data[member.name] = member.node.value(noting: &encoded) }
            if let type {
                let shape = RecordShape(type: type, names: members.map(\.name), fieldTypes: members.map(\.type))
                if !encoded.shapes.contains(shape) { encoded.shapes.append(shape) }
            }
            return .record(data)
        }
    }

    /// Elements in the order of the canonical bytes of what they are known by, the same in every process.
    static func inOrder<Element, Part: Encodable>(
        _ elements: [Element], by part: (Element) -> Part
    ) throws -> [Element] {
        try elements.map { (try CanonicalKey.bytes(of: part($0)), $0) }
            .sorted { $0.0.lexicographicallyPrecedes($1.0) }.map(\.1)
    }
}
