internal import CacheConformance
internal import CacheCore
internal import CacheEngine

/// A policy, perhaps with parameters of its own, over a backend: what subjects with a limit are made of.
struct LimitedBackend: Sendable {
    let policy: PolicyEntry
    let rules: ParameterValues
    let backend: BackendEntry
    let parameters: ParameterValues

    init(_ policy: PolicyEntry, _ rules: ParameterValues?, over backend: BackendEntry, _ parameters: ParameterValues?) {
        self.policy = policy
        self.backend = backend
        self.rules = rules ?? ParameterValues(defaults: policy.descriptor.parameters)
        self.parameters = parameters ?? ParameterValues(defaults: backend.descriptor.parameters)
    }

    /// A prefix and the backend, with `+` and the policy if that is not LRU.
    func name(_ prefix: String) -> String {
        let word = selectionText(policy.descriptor.name, rules)
        return prefix + selectionText(backend.descriptor.name, parameters) + (word == "lru" ? "" : "+\(word)")
    }

    /// The policy, where its order can be claimed.
    var orderPolicy: PolicyEntry? { EngineSubject.isOrdered(policy, rules) ? policy : nil }

    /// What the backend promises, within a room in objects. Where the policy keeps everything as long as there is room, the bound is
    /// strict and the order of eviction is the policy's, until the store is closed.
    func claims() throws(StoreError) -> Claims {
        var claims = try StorageSubject(backend, parameters: parameters).claims()
        let isOrdered = orderPolicy != nil
        claims.features.formUnion([.defaults, .validates])
        claims.room = CapacityClaim(EngineSubject.roomUnsaid, isStrict: isOrdered)
        claims.order = isOrdered ? policy.descriptor.name : nil
        claims.retains = claims.retains && isOrdered
        // The index is in memory, whatever the backend can list; each operation holds the lock of its key.
        claims.isConcurrent = true
        return claims
    }
}

extension BackendEntry {
    /// Opens a store and puts a cache over it; closes the store again if that fails.
    func open<Made>(
        in directory: String?, _ parameters: ParameterValues,
        _ make: (any StorageBackend) throws(StoreError) -> Made
    ) throws(StoreError) -> Made {
        let store = try open(directory: directory, parameters: parameters)
        do throws(StoreError) { return try make(store) } catch {
            try? store.close()
            throw error
        }
    }
}
