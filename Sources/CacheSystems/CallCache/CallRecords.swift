internal import CacheCore
internal import CacheEngine
internal import Synchronization

/// The answers of a ``CallCache``, whatever their types, and the requests that are under way.
///
/// ### What wins
/// A request is entered under its key before the origin is asked, and its answer is stored only if it is still entered: a removal
/// or a write strikes out what began before it. Both hold the lock of the key's stripe, and strike out before the tiers change, so
/// that whoever has seen the change joins no older request.
final class CallRecords: Sendable {
    /// What a shared request gave: an answer of the origin, or one that its leader found in the cache after all.
    struct Finding: Sendable {
        let record: CallRecord
        let isCached: Bool
    }

    /// An error of an origin that is not asked again for a while.
    private struct RecentError: Sendable { let error: any Error }

    /// The requests under way for some of the keys.
    final class Stripe: Sendable {
        struct State {
            /// The numbers of the requests whose answers are to be stored.
            var requests: [[UInt8]: Set<Int>] = [:]
            /// The last number that was given.
            var last = 0
            /// How many answers were stored.
            var stores = 0
        }
        let state = Mutex(State())
    }

    let tiers: TieredCache<[UInt8], CallRecord>
    /// Holds nothing: it is there for the loads that it shares.
    let flights: Cache<[UInt8], Finding>
    let monitor: CallMonitor
    private let clock: SteadyClock
    private let stripes: [Stripe]
    private let limit: CallLimit
    /// The errors that are remembered; nil for none.
    private let errors: Cache<[UInt8], RecentError>?

    init(
        _ options: CallCacheOptions, policy: PolicyEntry, storePolicy: PolicyEntry, storage: any StorageBackend
    ) throws {
        let name = CanonicalNode.text(options.name)
        let settings = NamespaceStorage(of: storage, prefix: name + CanonicalNode.text("limit"), closesLower: false)
        var answers: any StorageBackend = NamespaceStorage(
            of: storage, prefix: name + CanonicalNode.text("answers"), closesLower: options.closesStore)
        if let most = options.storeBytesMax {
            answers = try BoundedStorage(.bytes(most), policy: storePolicy, over: answers)
        }
        // Without memory everything is too heavy for it.
        let isFronted = options.memoryAnswersMax > 0
        var memory = CacheOptions<[UInt8], CallRecord>(
            capacity: isFronted ? .objects(options.memoryAnswersMax) : .bytes(1))
        if !isFronted { memory.weigher = { _, _ in 2 } }
        // A task goes on in any thread: only one order of all reads is the order of its reads.
        memory.order = .strict
        memory.clock = options.clock
        tiers = try TieredCache(memory, policy: policy, over: answers, codec: CallRecord.codec)
        flights = try Cache(CacheOptions(capacity: .objects(1)), policy: policy)
        if options.errorAge > .zero {
            var remembered = CacheOptions<[UInt8], RecentError>(capacity: .objects(1000))
            remembered.expiry = .afterWrite(options.errorAge)
            remembered.clock = options.clock
            errors = try Cache(remembered, policy: policy)
        } else {
            errors = nil
        }
        limit = try CallLimit(options.maxAge, in: settings)
        clock = SteadyClock(options.clock)
        monitor = CallMonitor(options.monitor)
        stripes = (0..<16).map { _ in Stripe() }
    }

    var nowNanoseconds: Int64 { clock.wallNanoseconds() }
    var maxAge: Duration? { limit.duration }
    func setMaxAge(_ duration: Duration?) throws(StoreError) { try limit.set(duration) }
    func limit(_ age: AgeLimit) -> Duration? { age.duration(ofCache: maxAge) }
    func requireOpen() throws { if tiers.isClosed { throw CacheError.closed } }

    private func stripe(_ key: [UInt8]) -> Stripe { stripes[(key.hashValue >> 8) & (stripes.count - 1)] }

    /// How many answers were stored in the key's stripe: if it has not changed, neither has the key.
    func stores(_ key: [UInt8]) -> Int { stripe(key).state.withLock { $0.stores } }

    /// Enters a request; returns its number.
    func begin(_ key: [UInt8]) -> Int {
        stripe(key).state.withLock { state in
            state.last += 1
            state.requests[key, default: []].insert(state.last)
            return state.last
        }
    }

    /// Strikes out a request; returns whether it was still entered.
    private static func strike(_ number: Int, _ key: [UInt8], _ state: inout Stripe.State) -> Bool {
        guard var numbers = state.requests[key], numbers.remove(number) != nil else { return false }
        state.requests[key] = numbers.isEmpty ? nil : numbers
        return true
    }

    /// Ends a request whose origin need not be asked after all.
    func withdraw(_ number: Int, _ key: [UInt8]) {
        stripe(key).state.withLock { state in _ = Self.strike(number, key, &state) }
    }

    /// Ends a request whose origin failed, and remembers its error where that is wanted, unless it was overtaken, or cancelled: then
    /// the error, whatever its type, says nothing of the origin.
    func end(_ number: Int, _ key: [UInt8], _ error: any Error, isCancelled: Bool) {
        stripe(key).state.withLock { state in
            guard Self.strike(number, key, &state), !isCancelled, !(error is CancellationError) else { return }
            errors?.put(RecentError(error: error), for: key)
        }
    }

    /// The error of an origin that has failed a moment ago.
    func recentError(_ key: [UInt8]) -> (any Error)? { errors?.value(for: key)?.error }

    /// Stores what a request gave, unless it was overtaken or is not wanted; returns what came of it.
    func store(_ record: CallRecord, _ key: [UInt8], from number: Int, isWanted: Bool = true) -> CallEvent {
        stripe(key).state.withLock { state in
            guard Self.strike(number, key, &state), isWanted else { return .overtaken }
            errors?.remove(key)
            state.stores += 1
            return (try? write(record, key)) == nil ? .storeFailed : .stored
        }
    }

    /// Stores what the caller has; no request that is under way is stored after it.
    func store(_ record: CallRecord, _ key: [UInt8]) throws(StoreError) {
        try stripe(key).state.withLock { (state) throws(StoreError) in
            overtake(key, &state)
            state.stores += 1
            try write(record, key)
        }
    }

    func remove(_ key: [UInt8]) throws(StoreError) -> Bool {
        try stripe(key).state.withLock { (state) throws(StoreError) in
            overtake(key, &state)
            return try tiers.remove(key)
        }
    }

    /// Removes a record that is of no use, unless there is a newer one by now.
    func remove(_ key: [UInt8], if isUseless: (CallRecord) -> Bool) throws(StoreError) -> Bool {
        try stripe(key).state.withLock { (_) throws(StoreError) in
            guard let record = try tiers.peek(key), isUseless(record) else { return false }
            return try tiers.remove(key)
        }
    }

    func removeAll(from number: Int = 0) throws(StoreError) {
        guard number < stripes.count else {
            flights.removeAll()
            errors?.removeAll()
            return try tiers.removeAll()
        }
        try stripes[number].state.withLock { (state) throws(StoreError) in
            state.requests = [:]
            try removeAll(from: number + 1)
        }
    }

    private func overtake(_ key: [UInt8], _ state: inout Stripe.State) {
        state.requests[key] = nil
        flights.remove(key)
        errors?.remove(key)
    }

    /// Writes to both tiers; what has no bytes cannot be written, and then there is nothing under its key.
    private func write(_ record: CallRecord, _ key: [UInt8]) throws(StoreError) {
        guard record.isStorable else {
            _ = try tiers.remove(key)
            throw StoreError(.valueRefused, "the answer could not be encoded; it is given to those who asked alone")
        }
        try tiers.put(record, for: key)
    }
}
