internal import CacheCore
internal import Synchronization

/// The schemas of a ``RecordCache``: kept in its store, each under its id, and all of them in memory.
final class RecordSchemas: Sendable {
    private struct Owner: Hashable {
        let typeName: String
        let version: Int
    }

    private struct State {
        var byID: [[UInt8]: RecordSchema] = [:]
        /// The one that holds for a type and version.
        var ids: [Owner: [UInt8]] = [:]
        /// The last shape of each type that is known to agree with its schema.
        var shapes: [ObjectIdentifier: RecordShape] = [:]

        mutating func add(_ schema: RecordSchema, _ id: [UInt8]) {
            byID[id] = schema
            let owner = Owner(typeName: schema.typeName, version: schema.version)
            if ids[owner] == nil { ids[owner] = id }
        }
    }

    private let state: Mutex<State>
    private let storage: any StorageBackend

    /// The schemas that a store holds. A damaged one is lost: entries that need it cannot be read until it is recorded again.
    init(in storage: any StorageBackend) throws(StoreError) {
        self.storage = storage
        var found = State()
        for id in try storage.keys().sorted(by: { $0.lexicographicallyPrecedes($1) }) {
            let entry: StoredEntry?
            do { entry = try storage.get(id) } catch {
                guard error.code == .corrupt else { throw error }
                continue
            }
            guard let entry, let schema: RecordSchema = try? EnclosedJSON.object(of: entry.value), schema.id == id
            else {
                continue
            }
            found.add(schema, id)
        }
        state = Mutex(found)
    }

    /// Every schema, by type and version.
    var all: [RecordSchema] {
        state.withLock { Array($0.byID.values) }.sorted { ($0.typeName, $0.version) < ($1.typeName, $1.version) }
    }

    func schema(id: [UInt8]) -> RecordSchema? { state.withLock { $0.byID[id] } }

    /// The schema of a record's type and version, if the record has exactly its fields.
    func known(for data: RecordData) -> (id: [UInt8], schema: RecordSchema)? {
        guard let typeName = data.typeName else { return nil }
        return state.withLock { state in
            guard let id = state.ids[Owner(typeName: typeName, version: data.version)], let schema = state.byID[id],
                schema.fields.allSatisfy({ data[$0.name] != nil }),
                data.names.count(where: { !RecordData.isExtension($0) }) == schema.fields.count
            else { return nil }
            return (id, schema)
        }
    }

    /// Records what is not recorded yet, in the store first.
    ///
    /// - Throws: ``RecordError/fieldsChanged(type:version:added:missing:)`` for a type that has other fields than were recorded for
    ///   its version: these stay.
    func record(_ shapes: [RecordShape]) throws {
        for shape in shapes {
            try state.withLock { state in
                guard state.shapes[ObjectIdentifier(shape.type)] != shape else { return }
                try record(shape.schema, &state)
                state.shapes[ObjectIdentifier(shape.type)] = shape
            }
        }
    }

    private func record(_ schema: RecordSchema, _ state: inout State) throws {
        let owner = Owner(typeName: schema.typeName, version: schema.version)
        guard let id = state.ids[owner], var known = state.byID[id] else {
            let id = schema.id
            try write(schema, id)
            return state.add(schema, id)
        }
        guard known.fields == schema.fields || Set(known.fields) == Set(schema.fields) else {
            throw Self.change(from: known, to: schema)
        }
        guard !schema.extensions.isSubset(of: known.extensions) else { return }
        known.extensions.formUnion(schema.extensions)
        try write(known, id)
        state.byID[id] = known
    }

    private func write(_ schema: RecordSchema, _ id: [UInt8]) throws {
        try storage.put(StoredEntry(try EnclosedJSON.bytes(of: schema)), for: id)
        // No entry may outlive its schema.
        try storage.flush()
    }

    private static func change(from old: RecordSchema, to new: RecordSchema) -> RecordError {
        func spelled(_ fields: [RecordSchema.Field], without others: [RecordSchema.Field]) -> [String] {
            fields.filter { !others.contains($0) }.map { $0.type.isEmpty ? $0.name : "\($0.name): \($0.type)" }
        }
        return .fieldsChanged(
            type: new.typeName, version: new.version, added: spelled(new.fields, without: old.fields),
            missing: spelled(old.fields, without: new.fields))
    }

    /// Forgets every schema, in the store too.
    func removeAll() throws(StoreError) {
        try state.withLock { (state) throws(StoreError) in
            try storage.removeAll()
            state = State()
        }
    }
}
