public import CacheConformance
public import CacheCore
internal import CacheEngine

/// The engine's cache whose values are in a backend as a subject: `stored:log`, or with another policy `stored:log+s3fifo`.
///
/// What the backend promises is claimed, with a room in objects, expiry and counters; not its loads, since
/// a loader of the face that finds nothing can only throw. Where the policy keeps everything as
/// long as there is room, the bound is strict and the order of eviction is the policy's, until the cache is closed.
public struct StoredSubject: CacheSubject {
    /// What `stored:BACKEND` begins with.
    public static let prefix = "stored:"

    /// `stored:` and the backend, with `+` and the policy if that is not LRU.
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

    /// What the backend promises, within a room and a time.
    public func claims() throws(StoreError) -> Claims {
        var claims = try parts.claims()
        claims.features.remove(.storedExpiry)
        claims.features.formUnion([.timeToLive, .expiredFirst, .resize, .statistics, .suspends])
        return claims
    }

    /// What was left in the directory.
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
    ) throws(StoreError) -> StoredInstance {
        try parts.backend.open(in: directory, parts.parameters) { (store) throws(StoreError) in
            try StoredInstance(setup, parts.policy, parts.rules, store, executor)
        }
    }
}

/// An open cache over a backend.
private final class StoredInstance: SuspendingInstance {
    private let cache: StoredCache<[UInt8], [UInt8]>
    private let clock: VirtualClock
    private let keyBytesMax: Int

    init(
        _ setup: CacheSetup, _ policy: PolicyEntry, _ rules: ParameterValues, _ store: any StorageBackend,
        _ executor: SteppedExecutor?
    ) throws(StoreError) {
        keyBytesMax = store.claims.keyBytesMax
        let now = setup.nowNanoseconds ?? 0
        clock = VirtualClock(monotonicNanoseconds: now, wallNanoseconds: now)
        var options = CacheOptions<[UInt8], Int>(capacity: setup.capacity ?? EngineSubject.roomUnsaid)
        options.expectedEntries = 64
        options.clock = clock
        options.executor = executor?.tasks
        cache = try StoredCache(options, policy: policy, parameters: rules, storage: store, codec: .bytes)
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
        case .advance(let step): clock.advance(nanoseconds: step)
        case .moveWallClock(let step): clock.setWall(nanoseconds: clock.wallNanoseconds() &+ step)
        case .resize(let amount):
            do throws(AssayError) { try cache.resize(to: amount) } catch {
                throw StoreError(.unavailable, error.description)
            }
        case .close where cache.isClosed: break
        default:
            guard let answer = try cache.answer(operation) else { throw .unsupported(operation) }
            return answer
        }
        return .done
    }
}
