internal import CacheCore
internal import CacheSystems
internal import Foundation

/// What HMObject records of classes, and how it reads the objects of other versions. Not for several threads.
final class ShippedRecordTypes {
    private static let mapKey = "HMObjectClassMap"

    private let files: ShippedRecordFiles
    /// The names of each class and version as the file has them; nil where there is no file.
    private var map: [String: Set<String>]?
    /// What has been looked at since the start, whatever has become of the file.
    private var known: [String: Set<String>] = [:]
    private(set) var migrations = 0

    init(_ files: ShippedRecordFiles, objects: String) {
        self.files = files
        map = files.read(Self.mapKey, ShippedRecordFiles.reserveGroup)
            .flatMap { try? JSONDecoder().decode([String: Set<String>].self, from: $0) }
        // Without the map every object is deleted.
        if map == nil { files.clear(objects) }
    }

    private func id(_ typeName: String, _ version: Int) -> String { "\(typeName)-V\(version)" }

    func fields(of typeName: String, version: Int) -> Set<String>? { (map ?? [:])[id(typeName, version)] }

    /// The names that are recorded; those of this object if none are. They are written once in the life of a process.
    private func names(of data: RecordData, _ typeName: String) -> Set<String> {
        let id = id(typeName, data.version)
        let names = known[id] ?? map?[id] ?? Set(data.names)
        guard known[id] == nil else { return names }
        known[id] = names
        save { $0[id] = names }
        return names
    }

    private func save(_ change: (inout [String: Set<String>]) -> Void) {
        var new = map ?? [:]
        change(&new)
        map = new
        guard let data = try? JSONEncoder().encode(new) else { return }
        files.write(data, Self.mapKey, ShippedRecordFiles.reserveGroup)
    }

    /// The map goes; what is known in this process stays, and is not written again.
    func clear() { map = nil }
    func lose() { files.remove(map: Self.mapKey) }

    /// Registered fields are added to the names; of the others those that are not recorded are left out.
    func encode(_ value: RecordValue) -> RecordValue {
        switch value {
        case .list(let list): return .list(list.map(encode))
        case .record(let data):
            var archived = RecordData(typeName: data.typeName, version: data.version)
            let names = data.typeName.map { self.names(of: data, $0) } ?? Set(data.names)
            let added = data.names.filter { $0.hasPrefix("(") }
            if let typeName = data.typeName, !names.isSuperset(of: added) {
                let id = id(typeName, data.version)
                known[id] = names.union(added)
                save { $0[id] = names.union(added) }
            }
            for (name, value) in data.fields where names.contains(name) || added.contains(name) {
                archived[name] = encode(value)
            }
            return .record(archived)
        default: return value
        }
    }

    func decode<Value: Decodable>(_ value: RecordValue, as type: Value.Type) throws -> Value {
        if let record = type as? any CacheRecord.Type, let data = value.record {
            return try RecordValue.record(migrated(data, to: record)).value()
        }
        if type is RecordData.Type || type is [RecordData].Type || type is [String: RecordData].Type {
            throw StoreError(
                .corrupt, "NSInvalidUnarchiveOperationException: cannot decode object of a class that is not there")
        }
        return try value.value()
    }

    /// Any other version is an older one, and one step is all there is.
    private func migrated(_ data: RecordData, to type: any CacheRecord.Type) -> RecordData {
        let timeline = type.timeline
        var result = RecordData(typeName: type.recordName, version: timeline.version)
        var old = RecordData(typeName: data.typeName, version: data.version)
        if data.version == timeline.version {
            old = data
        } else {
            migrations += 1
            let id = id(type.recordName, data.version)
            for name in map?[id] ?? [] { old[name] = data[name] }
            do { try timeline.step(from: data.version)?(&old) } catch {
                // The names of that version are forgotten, and the object is given with nothing set.
                save { $0[id] = nil }
                known[id] = nil
                return result
            }
        }
        for (name, value) in old.fields { result[name] = value }
        return result
    }
}
