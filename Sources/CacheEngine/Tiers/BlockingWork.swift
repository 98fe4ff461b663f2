internal import Dispatch

/// Does something on a thread that may block, and not on one that other tasks need, or where an executor says. Cancelling the task
/// changes nothing.
package func onBlockingThread<Output: Sendable, Failure: Error>(
    preferring executor: (any TaskExecutor)? = nil, _ body: @escaping @Sendable () throws(Failure) -> Output
) async throws(Failure) -> Output {
    if let executor {
        let task = Task(executorPreference: executor) { Result { () throws(Failure) in try body() } }
        return try await task.value.get()
    }
    let result: Result<Output, Failure> = await withCheckedContinuation { continuation in
        // A queue of its own has a thread of its own: those of the global queue serve tasks too, and come slowly when all wait.
        DispatchQueue(label: "assay.blocking").async {
            continuation.resume(returning: Result { () throws(Failure) in try body() })
        }
    }
    return try result.get()
}
