import CacheCore
import Synchronization

/// A backend in memory that fails when it is told to.
final class FaultyStorage: StorageBackend {
    static var descriptor: BackendDescriptor {
        BackendDescriptor(name: "faulty", summary: "Fails on demand.", citation: "none", needsDirectory: false)
    }

    struct State: Sendable {
        var entries: [[UInt8]: StoredEntry] = [:]
        var failure: StoreError.Code?
        var gets = 0
        var puts = 0
        var isClosed = false
        var refused: [UInt8]?
        var beforeGet: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())
    var claims: StorageClaims { StorageClaims(valueBytesMax: 1000) }

    init() {}
    init(_ configuration: BackendConfiguration) throws(StoreError) {}

    func fail(_ code: StoreError.Code?) { state.withLock { $0.failure = code } }
    /// Refuses every value under a key from now on.
    func refuse(_ key: [UInt8]) { state.withLock { $0.refused = key } }
    /// Does something once, before the next get looks.
    func beforeNextGet(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.beforeGet = body } }
    var gets: Int { state.withLock { $0.gets } }
    var puts: Int { state.withLock { $0.puts } }
    var entries: [[UInt8]: StoredEntry] { state.withLock { $0.entries } }

    private func using<Output: Sendable>(_ body: (inout State) -> Output) throws(StoreError) -> Output {
        let result = state.withLock { state -> Result<Output, StoreError> in
            if state.isClosed { return .failure(.closed) }
            if let failure = state.failure { return .failure(StoreError(failure, "as it was told")) }
            return .success(body(&state))
        }
        return try result.get()
    }

    func get(_ key: [UInt8]) throws(StoreError) -> StoredEntry? {
        state.withLock { $0.beforeGet.take() }?()
        return try using {
            $0.gets += 1
            return $0.entries[key]
        }
    }

    func put(_ entry: StoredEntry, for key: [UInt8]) throws(StoreError) {
        if entry.value.count > claims.valueBytesMax || state.withLock({ $0.refused == key }) {
            _ = try remove(key)
            throw StoreError(.valueRefused, "too long")
        }
        try using {
            $0.puts += 1
            $0.entries[key] = entry
        }
    }

    func remove(_ key: [UInt8]) throws(StoreError) -> Bool {
        try using { $0.entries.removeValue(forKey: key) != nil }
    }
    func removeAll() throws(StoreError) { try using { $0.entries = [:] } }
    func count() throws(StoreError) -> Int { try using { $0.entries.count } }
    func keys() throws(StoreError) -> [[UInt8]] { try using { Array($0.entries.keys) } }
    func close() throws(StoreError) { state.withLock { $0.isClosed = true } }
}

/// The error code that something throws, nil for none.
func code(_ body: () throws -> Void) -> StoreError.Code? {
    do {
        try body()
        return nil
    } catch { return (error as? StoreError)?.code }
}
