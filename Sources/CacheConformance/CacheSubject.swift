public import CacheCore

/// A cache as the suite drives it: a name, claims, and a way to open it, as often as needed.
///
/// Each check opens instances of its own, so checks may run at the same time and in any order. A ``StorageSubject`` is
/// one for stores of bytes.
public protocol CacheSubject: Sendable {
    /// The name in reports.
    var name: String { get }
    /// Whether each instance is given a directory; otherwise it is opened with nil.
    var needsDirectory: Bool { get }
    /// The policy whose order of eviction the claims name, to be compared with; nil where none is named.
    var orderPolicy: PolicyEntry? { get }
    /// What the subject promises.
    func claims() throws(StoreError) -> Claims
    /// Opens an instance in a directory: empty at first, as it was left when the directory was used before.
    func open(_ setup: CacheSetup, in directory: String?) throws(StoreError) -> any CacheInstance
    /// As ``open(_:in:)``, for a subject that claims `suspends`: tasks and actors of the instance run on the executor.
    func open(
        _ setup: CacheSetup, in directory: String?, on executor: SteppedExecutor
    ) throws(StoreError) -> any SuspendingInstance
}

extension CacheSubject {
    /// No order is named.
    public var orderPolicy: PolicyEntry? { nil }
    /// No directory is needed.
    public var needsDirectory: Bool { false }
    /// Operations do not suspend: throws `unsupported`.
    public func open(
        _ setup: CacheSetup, in directory: String?, on executor: SteppedExecutor
    ) throws(StoreError) -> any SuspendingInstance {
        throw StoreError(.unsupported, "\(name) cannot be opened on an executor")
    }
}

/// What a check wants an instance to be opened with; all nil for what the subject likes best.
public struct CacheSetup: Sendable, Hashable, Codable {
    /// How much it may hold, for a subject whose room is adjustable.
    public var capacity: Capacity?
    /// How long an entry lives that was neither read nor written, for a subject that claims `timeToIdle`.
    public var timeToIdleNanoseconds: Int64?
    /// How long every entry lives, for a subject that states the deviation `oneTimeToLive`; nil for without end.
    public var timeToLiveNanoseconds: Int64?
    /// How long after its end an entry is answered by a load whose origin fails, for a subject that claims `staleServe`.
    public var staleNanoseconds: Int64?
    /// The age from which on a load answers an entry and has it loaded afresh, for a subject that claims `refresh`.
    public var refreshNanoseconds: Int64?
    /// What the clock shows when the instance is opened: 0, and at a reopening what it showed before; nil for 0.
    public var nowNanoseconds: Int64?
    /// The version of the program that opens the store, for a subject that claims `formats`: it reads and writes as that
    /// one did, and one above the newest writes what no program of today knows. Nil for the newest.
    public var format: Int?
    /// Whether the hash of keys is one of few values, at most eight, for a subject that claims `collide`; nil for the cache's own.
    public var collide: Bool?
    /// By how many faces the cache is asked, for a subject that claims several; nil for the first alone.
    public var faces: Int?

    /// What the subject likes best unless something is said.
    public init(
        capacity: Capacity? = nil, timeToIdleNanoseconds: Int64? = nil, staleNanoseconds: Int64? = nil,
        refreshNanoseconds: Int64? = nil, format: Int? = nil
    ) {
        self.capacity = capacity
        self.timeToIdleNanoseconds = timeToIdleNanoseconds
        self.staleNanoseconds = staleNanoseconds
        self.refreshNanoseconds = refreshNanoseconds
        self.format = format
    }

    /// Whether nothing is asked for.
    var isPlain: Bool { self == CacheSetup() }
}

/// An open cache.
///
/// Its clock is virtual: it stands at ``CacheSetup/nowNanoseconds`` until ``CacheOperation/advance(nanoseconds:)`` moves it.
public protocol CacheInstance: AnyObject, Sendable {
    /// Does one operation and says what came of it.
    ///
    /// An operation that the cache does not have answers ``OperationResult/failure(_:)`` with the code `unsupported`; one
    /// on a closed cache answers with the code `closed`. ``CacheOperation/reopen``, ``CacheOperation/relocate``,
    /// ``CacheOperation/upgrade`` and ``CacheOperation/abandon`` are never asked: the suite opens another instance for them. Called by several threads at
    /// once for a subject whose claims say `isConcurrent`.
    func perform(_ operation: CacheOperation) -> OperationResult
    /// As ``perform(_:)`` by one of the cache's faces, counted from 0: called in its place where ``CacheSetup/faces`` is given.
    func perform(_ operation: CacheOperation, face: Int) -> OperationResult
}

extension CacheInstance {
    /// There is one face: another is answered with the code `unsupported`.
    public func perform(_ operation: CacheOperation, face: Int) -> OperationResult {
        face == 0 ? perform(operation) : .failure(StoreError(.unsupported, "this cache has no face \(face)"))
    }
}

extension StoreError {
    /// The answer of an instance that does not have an operation.
    public static func unsupported(_ operation: CacheOperation) -> StoreError {
        StoreError(.unsupported, "'\(operation.name)' is not among what this cache does")
    }
}

/// An open instance with the calls of a storage backend, for what is not a program.
struct OpenCache: Sendable {
    let instance: any CacheInstance

    private func ask(_ operation: CacheOperation) throws(StoreError) -> OperationResult {
        let result = instance.perform(operation)
        if case .failure(let error) = result { throw error }
        return result
    }

    func put(_ entry: StoredEntry, for key: [UInt8]) throws(StoreError) {
        _ = try ask(.put(key, .bytes(entry.value), expiresAtNanoseconds: entry.expiresAtNanoseconds))
    }

    func get(_ key: [UInt8]) throws(StoreError) -> StoredEntry? {
        guard case .entry(let entry) = try ask(.get(key)) else { return nil }
        return entry
    }

    func remove(_ key: [UInt8]) throws(StoreError) -> Bool { try ask(.remove(key)) == .flag(true) }
    func removeAll() throws(StoreError) { _ = try ask(.removeAll) }
    func close() throws(StoreError) { _ = try ask(.close) }

    func count() throws(StoreError) -> Int {
        guard case .number(let count) = try ask(.count) else { return 0 }
        return count
    }
}
