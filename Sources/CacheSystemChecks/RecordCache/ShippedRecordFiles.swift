internal import CacheCore
internal import CacheSystems
internal import Foundation

/// The files and the memory of HMCacheManager, with its paths and its habits. Not for several threads.
final class ShippedRecordFiles {
    static let defaultGroup = "HMCacheDefaultGroup_AvoidSameNameByAccident"
    static let reserveGroup = "HMCacheReserveGroup_AvoidSameNameByAccident"
    private static let memoryItemBytesMax = 1 << 20

    private let root: String
    private var memory: [String: [String: Data]] = [:]

    init(_ directory: String) {
        // Two directories down, so that what escapes from it is still the check's.
        root = directory + "/Documents/HMCache"
        try? FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
    }

    /// Dots nest, and names are not escaped.
    private func path(_ group: String) -> String { root + "/" + group.replacingOccurrences(of: ".", with: "/") }
    private func path(_ key: String, _ group: String) -> String { path(group) + "/" + key }

    /// Every error of writing is ignored.
    func write(_ data: Data, _ key: String, _ group: String) {
        // The hint that says what may be in memory is dropped on the way.
        memory[group, default: [:]][key] = data.count < Self.memoryItemBytesMax ? data : nil
        try? FileManager.default.createDirectory(atPath: path(group), withIntermediateDirectories: true)
        try? data.write(to: URL(filePath: path(key, group)))
    }

    func read(_ key: String, _ group: String) -> Data? {
        if let data = memory[group]?[key] { return data }
        guard let data = try? Data(contentsOf: URL(filePath: path(key, group))) else { return nil }
        // Promoted only where the group has been written since the start.
        if memory[group] != nil { memory[group]?[key] = data }
        return data
    }

    /// From the default group, whatever the group. An empty key is the path of the group.
    func remove(_ key: String) {
        memory[Self.defaultGroup]?[key] = nil
        try? FileManager.default.removeItem(atPath: path(key, Self.defaultGroup))
    }

    /// Removes the file of classes, as an accident does.
    func remove(map key: String) { try? FileManager.default.removeItem(atPath: path(key, Self.reserveGroup)) }

    /// The files of the groups inside it too, but not their memory.
    func clear(_ group: String) {
        memory[group] = nil
        try? FileManager.default.removeItem(atPath: path(group))
    }

    func clearAll() {
        memory = [:]
        try? FileManager.default.removeItem(atPath: root)
        try? FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
    }

    /// Names with a dot are left out.
    func list(_ group: String, atMost: Int) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path(group))) ?? []
        return names.filter { !$0.contains(".") }.prefix(atMost).map { name in
            var isDirectory: ObjCBool = false
            _ = FileManager.default.fileExists(atPath: path(name, group), isDirectory: &isDirectory)
            return isDirectory.boolValue ? name + "/" : name
        }
    }

    func isInMemory(_ key: String, _ group: String) -> Bool { memory[group]?[key] != nil }
    func dropMemory() { memory = memory.mapValues { _ in [:] } }
    func damage() throws { try DiskFiles.damage(under: root) }
}

/// A value as a keyed archive has it: with the name of each field.
enum ShippedArchive: Codable {
    case nothing
    case flag(Bool)
    case integer(Int)
    case number(Double)
    case text(String)
    case bytes(Data)
    case list([ShippedArchive])
    case record(type: String?, version: Int, names: [String], values: [ShippedArchive])

    init(_ value: RecordValue) {
        switch value {
        case .nothing: self = .nothing
        case .flag(let flag): self = .flag(flag)
        case .integer: self = .integer(value.integer ?? 0)
        case .number(let number), .date(let number): self = .number(number)
        case .text(let text): self = .text(text)
        case .bytes(let bytes): self = .bytes(Data(bytes))
        case .list(let list): self = .list(list.map { ShippedArchive($0) })
        case .record(let data):
            let fields = data.fields
            self = .record(
                type: data.typeName, version: data.version, names: fields.map(\.name),
                values: fields.map { ShippedArchive($0.value) })
        }
    }

    var value: RecordValue {
        switch self {
        case .nothing: return .nothing
        case .flag(let flag): return .flag(flag)
        case .integer(let integer): return .integer(Int128(integer))
        // The helper for doubles reads them as floats.
        case .number(let number): return .number(Double(Float(number)))
        case .text(let text): return .text(text)
        case .bytes(let bytes): return .bytes(Array(bytes))
        case .list(let list): return .list(list.map(\.value))
        case .record(let type, let version, let names, let values):
            var data = RecordData(typeName: type, version: version)
            for (name, value) in zip(names, values) { data[name] = value.value }
            return .record(data)
        }
    }

    private static let infinity = "infinity"

    func encoded() throws -> Data {
        let encoder = JSONEncoder()
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: Self.infinity, negativeInfinity: "-" + Self.infinity, nan: "nan")
        return try encoder.encode(self)
    }

    /// Bytes that are no archive raise.
    init(decoding data: Data) throws {
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: Self.infinity, negativeInfinity: "-" + Self.infinity, nan: "nan")
        do { self = try decoder.decode(ShippedArchive.self, from: data) } catch {
            throw StoreError(.corrupt, "NSInvalidUnarchiveOperationException: incomprehensible archive")
        }
    }
}
