package import CacheConformance
import CacheCore

/// The reference, or another cache, as an actor, which waits before and after each operation and holds on to nothing meanwhile.
package actor SuspendingReference: SuspendingInstance {
    private nonisolated let cache: any CacheInstance
    private nonisolated let executor: SteppedExecutor

    package init(_ cache: any CacheInstance, _ executor: SteppedExecutor) {
        self.cache = cache
        self.executor = executor
    }

    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.actors.asUnownedSerialExecutor() }

    package nonisolated func perform(_ operation: CacheOperation) -> OperationResult { cache.perform(operation) }

    package func performSuspending(_ operation: CacheOperation) async -> OperationResult {
        await pause()
        let result = cache.perform(operation)
        await pause()
        return result
    }

    /// Lets others go on.
    private func pause() async { await Task(executorPreference: executor.tasks) {}.value }
}
