public import CacheConformance
public import CacheCore
internal import CacheEngine
internal import Synchronization

/// The engine's cache of two tiers as a subject: memory with a policy over a backend, which is written through or back.
public struct TieredSubject: CacheSubject {
    /// `tiers:` and the backend, with `+back` where it is written back.
    public let name: String
    private let policy: PolicyEntry
    private let lower: BackendEntry
    private let parameters: ParameterValues
    private let isBack: Bool

    /// What `tiers:BACKEND` begins with.
    public static let prefix = "tiers:"

    /// A policy over a backend.
    public init(
        _ policy: PolicyEntry, over lower: BackendEntry, parameters: ParameterValues? = nil, isBack: Bool = false
    ) {
        let values = parameters ?? ParameterValues(defaults: lower.descriptor.parameters)
        (self.policy, self.lower, self.parameters, self.isBack) = (policy, lower, values, isBack)
        name = Self.prefix + selectionText(lower.descriptor.name, values) + (isBack ? "+back" : "")
    }

    /// Whether the lower tier does.
    public var needsDirectory: Bool { lower.descriptor.needsDirectory }

    /// What the backend promises, with expiry, loads and tiers; a backend that is written back is as durable as an orderly end.
    public func claims() throws(StoreError) -> Claims {
        let subject = StorageSubject(lower, parameters: parameters)
        var claims = try subject.claims()
        claims.features.remove(.storedExpiry)
        claims.features.formUnion([.timeToLive, .loader, .coalesce, .tiers, .suspends])
        if isBack { claims.durability = min(claims.durability, .exit) }
        return claims
    }

    /// What was left in the directory, with nothing in memory.
    public func open(_ setup: CacheSetup, in directory: String?) throws(StoreError) -> any CacheInstance {
        try openInstance(setup, in: directory, on: nil)
    }

    /// As the blocking one, with the asynchronous face on an executor.
    public func open(
        _ setup: CacheSetup, in directory: String?, on executor: SteppedExecutor
    ) throws(StoreError) -> any SuspendingInstance {
        try openInstance(setup, in: directory, on: executor)
    }

    private func openInstance(
        _ setup: CacheSetup, in directory: String?, on executor: SteppedExecutor?
    ) throws(StoreError) -> TieredInstance {
        try lower.open(in: directory, parameters) { (store) throws(StoreError) in
            try TieredInstance(setup, policy, UnreliableStorage(store), isBack: isBack, executor)
        }
    }
}

/// An open cache of two tiers.
private final class TieredInstance: SuspendingInstance {
    private let cache: TieredCache<[UInt8], [UInt8]>
    private let clock: VirtualClock
    private let lower: UnreliableStorage
    private let keyBytesMax: Int

    init(
        _ setup: CacheSetup, _ policy: PolicyEntry, _ lower: UnreliableStorage, isBack: Bool,
        _ executor: SteppedExecutor?
    ) throws(StoreError) {
        self.lower = lower
        keyBytesMax = lower.claims.keyBytesMax
        let now = setup.nowNanoseconds ?? 0
        clock = VirtualClock(monotonicNanoseconds: now, wallNanoseconds: now)
        // So small that programs work on both tiers.
        var options = CacheOptions<[UInt8], [UInt8]>(capacity: .objects(8))
        options.clock = clock
        options.executor = executor?.tasks
        do throws(AssayError) {
            cache = try TieredCache(
                options, policy: policy, over: lower, codec: .bytes, writing: isBack ? .back(waiting: 64) : .through)
        } catch { throw StoreError(.unavailable, error.description) }
    }

    func perform(_ operation: CacheOperation) -> OperationResult {
        if operation != .close, cache.isClosed { return .failure(.closed) }
        if let key = operation.key, key.count > keyBytesMax {
            return .failure(StoreError(.keyRefused, "use a shorter key"))
        }
        do throws(StoreError) { return try ask(operation) } catch { return .failure(error) }
    }

    func performSuspending(_ operation: CacheOperation) async -> OperationResult { await suspend(operation, cache) }

    private func ask(_ operation: CacheOperation) throws(StoreError) -> OperationResult {
        switch operation {
        case .put(_, _, _, let terms) where terms.cost != 1: throw .unsupported(operation)
        case .load(let key, let origin): return try cache.answer(load: key, origin, for: self)
        case .advance(let step): clock.advance(nanoseconds: step)
        case .moveWallClock(let step): clock.setWall(nanoseconds: clock.wallNanoseconds() &+ step)
        case .dropMemory: cache.dropMemory()
        case .failLower(let fails): lower.fail(fails)
        // It does not count evictions, and claims no counts.
        case .statistics: throw .unsupported(operation)
        default:
            guard let answer = try cache.answer(operation) else { throw .unsupported(operation) }
            return answer
        }
        return .done
    }
}

/// A backend whose writes fail when it is told so.
private final class UnreliableStorage: StorageBackend {
    static var descriptor: BackendDescriptor {
        BackendDescriptor(name: "unreliable", summary: "Another, which fails.", citation: "none", needsDirectory: false)
    }

    let claims: StorageClaims
    private let store: any StorageBackend
    private let fails = Atomic(false)

    init(_ configuration: BackendConfiguration) throws(StoreError) {
        throw StoreError(.unavailable, "it needs another store; use init(_:)")
    }

    init(_ store: any StorageBackend) {
        self.store = store
        claims = store.claims
    }

    func fail(_ fails: Bool) { self.fails.store(fails, ordering: .releasing) }

    private func work() throws(StoreError) {
        if fails.load(ordering: .acquiring) { throw StoreError(.inputOutput, "the lower tier was told to fail") }
    }

    func get(_ key: [UInt8]) throws(StoreError) -> StoredEntry? { try store.get(key) }
    func contains(_ key: [UInt8]) throws(StoreError) -> Bool { try store.contains(key) }
    func count() throws(StoreError) -> Int { try store.count() }
    func keys() throws(StoreError) -> [[UInt8]] { try store.keys() }
    func flush() throws(StoreError) { try store.flush() }
    func close() throws(StoreError) { try store.close() }

    func put(_ entry: StoredEntry, for key: [UInt8]) throws(StoreError) {
        try work()
        try store.put(entry, for: key)
    }

    func remove(_ key: [UInt8]) throws(StoreError) -> Bool {
        try work()
        return try store.remove(key)
    }

    func removeAll() throws(StoreError) {
        try work()
        try store.removeAll()
    }
}
