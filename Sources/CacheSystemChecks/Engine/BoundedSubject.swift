public import CacheConformance
public import CacheCore
internal import CacheEngine

/// A backend with a limit and a policy, itself a backend, as a subject: `bounded:log`, or with another policy
/// `bounded:log+s3fifo`.
///
/// What the backend promises is claimed, with a room in objects. Where the policy keeps everything as long as there is room,
/// the bound is strict and the order of eviction is the policy's, until the store is closed.
public struct BoundedSubject: CacheSubject {
    /// What `bounded:BACKEND` begins with.
    public static let prefix = "bounded:"

    /// `bounded:` and the backend, with `+` and the policy if that is not LRU.
    public let name: String
    private let policy: PolicyEntry
    private let rules: ParameterValues
    private let backend: BackendEntry
    private let parameters: ParameterValues

    /// A policy, perhaps with parameters of its own, over a backend.
    public init(
        _ policy: PolicyEntry, rules: ParameterValues? = nil, over backend: BackendEntry,
        parameters: ParameterValues? = nil
    ) {
        self.policy = policy
        self.backend = backend
        self.rules = rules ?? ParameterValues(defaults: policy.descriptor.parameters)
        self.parameters = parameters ?? ParameterValues(defaults: backend.descriptor.parameters)
        let word = selectionText(policy.descriptor.name, self.rules)
        name =
            Self.prefix + selectionText(backend.descriptor.name, self.parameters) + (word == "lru" ? "" : "+\(word)")
    }

    /// Whether the backend does.
    public var needsDirectory: Bool { backend.descriptor.needsDirectory }
    /// The policy, where its order is claimed.
    public var orderPolicy: PolicyEntry? { EngineSubject.isOrdered(policy, rules) ? policy : nil }

    /// What the backend promises, within a room.
    public func claims() throws(StorageError) -> Claims {
        var claims = try StorageSubject(backend, parameters: parameters).claims()
        let isOrdered = orderPolicy != nil
        claims.features.formUnion([.defaults, .validates])
        claims.room = Claims.Room(EngineSubject.roomUnsaid, isStrict: isOrdered)
        claims.order = isOrdered ? policy.descriptor.name : nil
        claims.retains = claims.retains && isOrdered
        claims.isConcurrent = true
        return claims
    }

    /// What was left in the directory.
    public func open(_ setup: CacheSetup, in directory: String?) throws(StorageError) -> any CacheInstance {
        let store = StorageSubject(name: name, needsDirectory: needsDirectory) { (directory) throws(StorageError) in
            let store = try backend.open(directory: directory, parameters: parameters)
            let capacity = setup.capacity ?? EngineSubject.roomUnsaid
            do throws(StorageError) {
                return try BoundedStorage(capacity, policy: policy, parameters: rules, over: store)
            } catch {
                try? store.close()
                throw error
            }
        }
        return try store.open(CacheSetup(), in: directory)
    }
}
