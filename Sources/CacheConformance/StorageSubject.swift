public import CacheCore

/// A storage backend as a subject: a name and a way to open it, as often as needed.
///
/// Each check opens stores of its own in fresh directories, so checks may run at the same time and in any order.
public struct StorageSubject: CacheSubject {
    /// The name in reports.
    public let name: String
    /// Whether each store is given a directory; otherwise it is opened with nil.
    public let needsDirectory: Bool
    private let openBody: @Sendable (String?) throws(StoreError) -> any StorageBackend

    /// A subject that `open` opens in a directory: empty at first, as it was left when the directory was used before.
    public init(
        name: String, needsDirectory: Bool,
        open: @escaping @Sendable (_ directory: String?) throws(StoreError) -> any StorageBackend
    ) {
        self.name = name
        self.needsDirectory = needsDirectory
        openBody = open
    }

    /// A registered backend, with the default parameters unless others are given.
    public init(_ entry: BackendEntry, parameters: ParameterValues? = nil) {
        let given = parameters?.givenDescription ?? ""
        self.init(
            name: given.isEmpty ? entry.descriptor.name : "\(entry.descriptor.name):\(given)",
            needsDirectory: entry.descriptor.needsDirectory
        ) { (directory) throws(StoreError) in
            try entry.open(directory: directory, parameters: parameters)
        }
    }

    /// A backend type with its default parameters.
    public init<Backend: StorageBackend>(_ type: Backend.Type) { self.init(BackendEntry(type)) }

    /// Opens a store in a directory.
    public func open(in directory: String?) throws(StoreError) -> any StorageBackend { try openBody(directory) }

    /// Opens a store in a directory. A store of bytes has nothing to set.
    public func open(_ setup: CacheSetup, in directory: String?) throws(StoreError) -> any CacheInstance {
        StorageInstance(try open(in: directory))
    }

    /// What the subject promises, as a store says that was opened for the question.
    public func claims() throws(StoreError) -> Claims {
        let sandbox = try Sandbox(needsDirectory: needsDirectory)
        defer { sandbox.end() }
        let store = try open(in: sandbox.directory)
        let claims = store.claims
        try store.close()
        var features: Set<Claims.Feature> = [.storedExpiry]
        if claims.compacts { features.insert(.compacts) }
        if claims.detectsDamage { features.insert(.detectsDamage) }
        return Claims(claims, features: features)
    }
}

/// A store of bytes as an open cache.
final class StorageInstance: CacheInstance {
    private let store: any StorageBackend

    init(_ store: any StorageBackend) { self.store = store }

    func perform(_ operation: CacheOperation) -> OperationResult {
        do throws(StoreError) { return try ask(operation) } catch { return .failure(error) }
    }

    private func ask(_ operation: CacheOperation) throws(StoreError) -> OperationResult {
        switch operation {
        case .put(let key, _, _, let terms):
            guard terms == .plain else { throw .unsupported(operation) }
            try store.put(operation.entry!, for: key)
        case .get(let key): return .entry(try store.get(key))
        case .contains(let key): return .flag(try store.contains(key))
        case .remove(let key): return .flag(try store.remove(key))
        case .removeAll: try store.removeAll()
        case .count: return .number(try store.count())
        case .keys: return .keys(try store.keys())
        case .flush: try store.flush()
        // A store of bytes does everything at once.
        case .maintain: break
        case .close: try store.close()
        default: throw .unsupported(operation)
        }
        return .done
    }
}
