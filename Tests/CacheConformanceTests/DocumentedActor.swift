import CacheConformance
import CacheCore
import Testing

/// A cache whose values are written elsewhere, which takes a while.
actor Shelf: SuspendingInstance {
    private var values: [[UInt8]: [UInt8]] = [:]
    private let executor: SteppedExecutor

    init(on executor: SteppedExecutor) { self.executor = executor }

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.actors.asUnownedSerialExecutor() }

    func performSuspending(_ operation: CacheOperation) async -> OperationResult {
        switch operation {
        case .put(let key, _, _, _):
            let value = operation.entry!.value
            await saved(value)
            values[key] = value
            return .done
        case .get(let key): return .entry(values[key].map { StoredEntry($0) })
        case .remove(let key): return .flag(values.removeValue(forKey: key) != nil)
        default: return perform(operation)
        }
    }

    /// Others may use the actor meanwhile.
    private func saved(_ value: [UInt8]) async { await Task(executorPreference: executor.tasks) {}.value }

    nonisolated func perform(_ operation: CacheOperation) -> OperationResult {
        operation == .close ? .done : .failure(.unsupported(operation))
    }
}

struct ShelfSubject: CacheSubject {
    let name = "shelf"

    func claims() -> Claims { Claims(features: [.suspends]) }

    func open(_ setup: CacheSetup, in directory: String?) throws(StoreError) -> any CacheInstance {
        Shelf(on: SteppedExecutor())
    }

    func open(
        _ setup: CacheSetup, in directory: String?, on executor: SteppedExecutor
    ) throws(StoreError) -> any SuspendingInstance {
        Shelf(on: executor)
    }
}

@Test func shelfSuspends() throws {
    for check in ConformanceSuite.cache.checks where check.id == "LIN-15" { try check.require(on: ShelfSubject()) }
}
