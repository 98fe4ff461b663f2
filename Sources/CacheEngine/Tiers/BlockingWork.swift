internal import Dispatch

/// Does something on a thread that may block, and not on one that other tasks need. Cancelling the task changes nothing.
package func onBlockingThread<Output: Sendable, Failure: Error>(
    _ body: @escaping @Sendable () throws(Failure) -> Output
) async throws(Failure) -> Output {
    let result: Result<Output, Failure> = await withCheckedContinuation { continuation in
        DispatchQueue.global().async {
            continuation.resume(returning: Result { () throws(Failure) in try body() })
        }
    }
    return try result.get()
}
