import CacheConformance
import CacheCore

/// The reference as an actor, which waits before and after each operation and holds on to nothing meanwhile.
actor SuspendingReference: SuspendingInstance {
    private nonisolated let cache: ReferenceCache
    private nonisolated let executor: SteppedExecutor
    /// With a defect, whether a client writes, and who waits for that.
    private var isBusy = false
    private var waiter: UnsafeContinuation<Void, Never>?

    init(_ cache: ReferenceCache, _ executor: SteppedExecutor) {
        self.cache = cache
        self.executor = executor
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.actors.asUnownedSerialExecutor() }

    nonisolated func perform(_ operation: CacheOperation) -> OperationResult { cache.perform(operation) }

    func performSuspending(_ operation: CacheOperation) async -> OperationResult {
        await pause()
        let result: OperationResult
        switch (cache.bug, operation) {
        case (.suspendsBetween, .putIfAbsent(let key, let value, let terms)):
            if cache.perform(.contains(key)) == .flag(true) {
                result = .flag(false)
            } else {
                await pause()
                _ = cache.perform(.put(key, value, terms: terms))
                result = .flag(true)
            }
        case (.forgetsWaiter, .put): result = await inTurn(operation)
        default: result = cache.perform(operation)
        }
        await pause()
        return result
    }

    /// Lets others go on.
    private func pause() async { await Task(executorPreference: executor.tasks) {}.value }

    /// One after the other; but there is room for one who waits, and the next takes it.
    private func inTurn(_ operation: CacheOperation) async -> OperationResult {
        while isBusy { await withUnsafeContinuation { waiter = $0 } }
        isBusy = true
        await pause()
        let result = cache.perform(operation)
        isBusy = false
        waiter?.resume()
        waiter = nil
        return result
    }
}
