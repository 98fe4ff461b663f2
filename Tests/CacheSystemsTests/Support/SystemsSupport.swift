import CacheCore
import CacheEngine
import CachePolicies
import CacheStorage
import Foundation
import Synchronization
import Testing
import _CacheTestSupport

#if SQLite
    import CacheStorageSQLite
#endif

/// Counts from any thread.
final class Counter: Sendable {
    private let number = Atomic<Int>(0)
    var count: Int { number.load(ordering: .acquiring) }
    @discardableResult func add() -> Int { number.add(1, ordering: .acquiringAndReleasing).newValue }
}

/// Lets tasks wait until a test lets them go on.
final class Gate: Sendable {
    private let state = Mutex<(isOpen: Bool, waiters: [CheckedContinuation<Void, Never>])>((false, []))

    func open() {
        let waiters = state.withLock { state in
            defer { state = (true, []) }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    func pass() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock {
                if !$0.isOpen { $0.waiters.append(continuation) }
                return $0.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }
}

struct Trouble: Error, Equatable {
    var number = 0
}

/// A registered policy.
func policy(_ name: String) throws -> PolicyEntry {
    try #require(BuiltinPolicies.all.first { $0.descriptor.name == name })
}

/// A store that keeps its entries in a directory.
func openStore(_ name: String, in directory: String) throws -> any StorageBackend {
    try #require(persistentBackends.first { $0.descriptor.name == name }).open(directory: directory)
}

let persistentBackends: [BackendEntry] = {
    var all = BuiltinStorage.embedded.filter(\.descriptor.needsDirectory)
    #if SQLite
        all.append(BackendEntry(SQLiteStorage.self))
    #endif
    return all
}()

/// Runs a body on so many threads at once.
func onThreads<Output: Sendable>(
    _ count: Int, _ body: @escaping @Sendable (Int) -> Output
) async -> [Output] {
    await withTaskGroup(of: Output.self) { group in
        for number in 0..<count { group.addTask { await onThread { body(number) } } }
        return await group.reduce(into: []) { $0.append($1) }
    }
}

/// Something that happens at most once.
final class Switch: Sendable {
    private let state = Atomic(false)
    var isRaised: Bool { state.load(ordering: .acquiring) }
    func raise() { state.store(true, ordering: .releasing) }
}

extension DictionaryStorage {
    /// An empty store in memory.
    static func make() throws(StoreError) -> DictionaryStorage {
        try DictionaryStorage(
            BackendConfiguration(directory: nil, parameters: ParameterValues(defaults: descriptor.parameters)))
    }
}
