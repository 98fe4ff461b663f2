internal import CInterruption
import Dispatch
import Foundation
import Synchronization

/// Threads that begin at once, and are held for moments wherever they are until they end.
///
/// What goes wrong between two steps of one operation takes another client in that very moment. A thread that runs by itself
/// is seldom stopped there: an operation takes nanoseconds, the time that a system gives a thread milliseconds. So each thread
/// is interrupted again and again, for long enough that the others go on meanwhile (noise, as in IBM's ConTest: Edelstein and
/// others, "Multithreaded Java program test generation", 2002).
final class ClientThreads: Sendable {
    /// How long a thread is held, in nanoseconds.
    private static let holds: Range<Int64> = 5_000..<80_000
    /// How long none is, in nanoseconds.
    private static let gaps = 5_000..<80_000

    private let running = Mutex<[Int: assay_interruption_thread]>([:])
    private let finished = DispatchGroup()

    private init() {}

    /// Does something on several threads that begin at once, and waits for all.
    ///
    /// `areHeld` is false for threads that wait for each other before each operation.
    static func together<Result: Sendable>(
        _ count: Int, areHeld: Bool = true, _ body: @escaping @Sendable (_ thread: Int) -> Result
    ) -> [Result] {
        let clients = ClientThreads()
        let results = Mutex<[Int: Result]>([:])
        let (ready, start) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        for thread in 0..<count {
            clients.finished.enter()
            // Threads of their own: those of a pool are too few on a small machine, and may be busy.
            Thread.detachNewThread {
                clients.running.withLock { $0[thread] = assay_interruption_self() }
                ready.signal()
                start.wait()
                let result = FacedInstance.$client.withValue(thread) { body(thread) }
                results.withLock { $0[thread] = result }
                clients.running.withLock { $0[thread] = nil }
                clients.finished.leave()
            }
        }
        for _ in 0..<count { ready.wait() }
        for _ in 0..<count { start.signal() }
        if areHeld { clients.interrupt(count) }
        clients.finished.wait()
        let all = results.withLock { $0 }
        return (0..<count).map { all[$0]! }
    }

    /// Holds one thread after the other until all have ended.
    private func interrupt(_ count: Int) {
        guard count > 1, assay_interruption_prepare() == 0 else { return }
        while finished.wait(timeout: .now() + .nanoseconds(.random(in: Self.gaps))) == .timedOut {
            // A thread that is listed has not ended, and cannot while this has the list.
            running.withLock { threads in
                let first = Int.random(in: 0..<count)
                for number in first..<first + count {
                    guard let thread = threads[number % count] else { continue }
                    if assay_interruption_hold(thread, .random(in: Self.holds)) { return }
                }
            }
        }
    }
}
