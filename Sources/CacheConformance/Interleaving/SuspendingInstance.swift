/// An open cache whose operations suspend, as those of an actor do: what a subject that claims `suspends` opens on a
/// ``SteppedExecutor``.
public protocol SuspendingInstance: CacheInstance {
    /// Does one operation as ``CacheInstance/perform(_:)`` does, and suspends wherever the cache waits.
    ///
    /// Whatever it waits for runs on the executor that the instance was opened on, or at least ends by itself.
    func performSuspending(_ operation: CacheOperation) async -> OperationResult
}
