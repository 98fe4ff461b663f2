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
    private let parts: LimitedBackend

    /// A policy, perhaps with parameters of its own, over a backend.
    public init(
        _ policy: PolicyEntry, rules: ParameterValues? = nil, over backend: BackendEntry,
        parameters: ParameterValues? = nil
    ) {
        parts = LimitedBackend(policy, rules, over: backend, parameters)
        name = parts.name(Self.prefix)
    }

    /// Whether the backend does.
    public var needsDirectory: Bool { parts.backend.descriptor.needsDirectory }
    /// The policy, where its order is claimed.
    public var orderPolicy: PolicyEntry? { parts.orderPolicy }

    /// What the backend promises, within a room.
    public func claims() throws(StoreError) -> Claims { try parts.claims() }

    /// What was left in the directory.
    public func open(_ setup: CacheSetup, in directory: String?) throws(StoreError) -> any CacheInstance {
        let store = StorageSubject(name: name, needsDirectory: needsDirectory) { (directory) throws(StoreError) in
            try parts.backend.open(in: directory, parts.parameters) { (store) throws(StoreError) in
                try BoundedStorage(
                    setup.capacity ?? EngineSubject.roomUnsaid, policy: parts.policy, parameters: parts.rules,
                    over: store)
            }
        }
        return try store.open(CacheSetup(), in: directory)
    }
}
