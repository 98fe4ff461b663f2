public import CacheConformance
public import CacheCore
import Dispatch
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A small and obvious cache with every feature, in one lock; correct unless it is given a defect.
public final class ReferenceCache: CacheInstance {
    let bug: Mutant?
    private let contents: Mutex<ReferenceContents>
    /// What defects remember that only several threads can see.
    let races = Mutex(Races())
    /// Loads of one key at a time, for those who come while one runs.
    private let flights = Mutex<[[UInt8]: Flight]>([:])

    private final class Flight: Sendable {
        let outcome = Mutex<LoadOutcome?>(nil)
        let isOver = DispatchSemaphore(value: 0)
    }

    /// An empty cache.
    public init(_ setup: CacheSetup, order: String, bug: Mutant?) {
        self.bug = bug
        contents = Mutex(ReferenceContents(setup, order: order, bug: bug))
    }

    /// Does one operation.
    public func perform(_ operation: Operation) -> OperationResult {
        if case .load(let key, let origin) = operation { return load(key, origin) }
        if bug == .twoWinners, case .putIfAbsent(let key, _, _) = operation {
            let isThere = contents.withLock { $0.find(ReferenceContents.Place(key: key)) != nil }
            if isThere { return .flag(false) }
            usleep(100)
            _ = perform(.put(key, .bytes(operation.entry!.value)))
            return .flag(true)
        }
        return performRacing(operation) ?? atOnce(operation)
    }

    /// Does one operation under the lock.
    func atOnce(_ operation: Operation) -> OperationResult { contents.withLock { $0.perform(operation) } }

    /// Whether there is an entry under a key whose time is over.
    func hasExpired(_ key: [UInt8]) -> Bool {
        contents.withLock { contents in contents.entries[.init(key: key)].map { contents.isOver($0) } ?? false }
    }

    private func load(_ key: [UInt8], _ origin: Origin) -> OperationResult {
        if let known = contents.withLock({ $0.beginLoad(key) }) { return known }
        var mine = Flight()
        let isLeader = flights.withLock { flights in
            if let other = flights[key], bug != .loadsTwice {
                mine = other
                return false
            }
            flights[key] = mine
            return true
        }
        guard isLeader else {
            mine.isOver.wait()
            mine.isOver.signal()
            return .loaded(mine.outcome.withLock { $0! }, calls: 0)
        }
        // Somebody may have finished between the look and the flight.
        if let known = contents.withLock({ $0.lookAgain(key) }) {
            finish(mine, key, known)
            return .loaded(known, calls: 0)
        }
        let started = contents.withLock { $0.startLoad(key) }
        let result = Result { () throws(Origin.Failure) in try origin.fetch(key, for: self) }
        let outcome = contents.withLock { $0.endLoad(key, result, origin, started) }
        finish(mine, key, outcome)
        return .loaded(outcome, calls: 1)
    }

    private func finish(_ flight: Flight, _ key: [UInt8], _ outcome: LoadOutcome) {
        flight.outcome.withLock { $0 = outcome }
        flights.withLock { $0[key] = nil }
        flight.isOver.signal()
    }
}

/// The reference cache, with a defect or without, as a subject.
public struct ReferenceSubject: CacheSubject {
    /// The defect; nil for none.
    public let bug: Mutant?
    /// The policy whose order it keeps: `lru`, `fifo` or `lfu`.
    public let order: String
    /// That policy, to be compared with; nil leaves checks of the order blocked.
    public let orderPolicy: PolicyEntry?

    /// The reference, with the order that its defect is about. The policies are those that may be compared with.
    public init(_ bug: Mutant? = nil, order: String? = nil, policies: [PolicyEntry]) {
        self.bug = bug
        let order = order ?? bug?.order ?? "lru"
        self.order = order
        orderPolicy = policies.first { $0.descriptor.name == order }
    }

    /// `reference` or the defect's name.
    public var name: String { bug?.rawValue ?? "reference" }

    /// Everything, with limits small enough to try.
    public func claims() throws(StorageError) -> Claims {
        Claims(
            StorageClaims(keyBytesMax: 5_000, valueBytesMax: 1 << 20 + 1), features: Set(Claims.Feature.allCases),
            room: Claims.Room(.objects(1 << 20), units: [.objects, .bytes]), order: order)
    }

    /// An empty cache.
    public func open(_ setup: CacheSetup, in directory: String?) throws(StorageError) -> any CacheInstance {
        ReferenceCache(setup, order: order, bug: bug)
    }
}
