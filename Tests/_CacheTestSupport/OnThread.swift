import Foundation

/// Runs what blocks on a thread of its own: those of tasks are too few to be blocked.
public func onThread<Output: Sendable>(_ body: @escaping @Sendable () -> Output) async -> Output {
    await withCheckedContinuation { continuation in
        Thread.detachNewThread { continuation.resume(returning: body()) }
    }
}
