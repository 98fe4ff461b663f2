internal import Dispatch
internal import Synchronization

/// Does something asynchronous while the thread that asks for it waits. That thread must be none of those on which tasks run.
func awaited<Output: Sendable>(_ body: @escaping @Sendable () async throws -> Output) throws -> Output {
    let outcome = Mutex<Result<Output, any Error>?>(nil)
    let ended = DispatchSemaphore(value: 0)
    Task.detached {
        do {
            let output = try await body()
            outcome.withLock { $0 = .success(output) }
        } catch { outcome.withLock { $0 = .failure(error) } }
        ended.signal()
    }
    ended.wait()
    guard let result = outcome.withLock({ $0 }) else { preconditionFailure("the task has ended without an outcome") }
    return try result.get()
}
