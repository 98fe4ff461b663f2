public import CacheCore

/// A storage backend as the suite drives it: a name and a way to open it, as often as needed.
///
/// Each check opens stores of its own in fresh directories, so checks may run at the same time and in any order.
public struct StorageSubject: Sendable {
    /// The name in reports.
    public let name: String
    /// Whether each store is given a directory; otherwise it is opened with nil.
    public let needsDirectory: Bool
    private let openBody: @Sendable (String?) throws(StorageError) -> any StorageBackend

    /// A subject that `open` opens in a directory: empty at first, as it was left when the directory was used before.
    public init(
        name: String, needsDirectory: Bool,
        open: @escaping @Sendable (_ directory: String?) throws(StorageError) -> any StorageBackend
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
        ) { (directory) throws(StorageError) in
            try entry.open(directory: directory, parameters: parameters)
        }
    }

    /// A backend type with its default parameters.
    public init<Backend: StorageBackend>(_ type: Backend.Type) { self.init(BackendEntry(type)) }

    /// Opens a store in a directory.
    public func open(in directory: String?) throws(StorageError) -> any StorageBackend { try openBody(directory) }

    /// What the subject promises, as a store says that was opened for the question.
    public func claims() throws(StorageError) -> StorageClaims {
        let sandbox = try Sandbox(needsDirectory: needsDirectory)
        let store = try open(in: sandbox.directory)
        let claims = store.claims
        try store.close()
        return claims
    }
}
