internal import CacheCore
internal import Foundation
internal import Synchronization

/// Runs the threads of a load.
enum LoadThreads {
    /// What threads did, and how long it took from the first that began to the last that ended.
    struct Outcome<Result: Sendable>: Sendable {
        var results: [Result]
        var startNanoseconds: UInt64
        var endNanoseconds: UInt64

        /// The time, in seconds; never 0.
        var seconds: Double { max(1e-9, Double(endNanoseconds &- startNanoseconds) / 1e9) }
    }

    /// Runs `body` on that many threads, which begin together, and waits for all. The clock is read before and after each
    /// body.
    ///
    /// - Throws: The first error of any thread; `cursor` deals out no more then.
    static func run<Result: Sendable>(
        _ count: Int, _ cursor: LoadCursor, clock: some LoadClock,
        _ body: @escaping @Sendable (Int) throws(AssayError) -> Result
    ) throws(AssayError) -> Outcome<Result> {
        let gate = Gate(threads: count)
        let ended = Mutex<[Int: Ended<Result>]>([:])
        @Sendable func part(_ index: Int) {
            gate.pass()
            let start = clock.nowNanoseconds()
            let result: Swift.Result<Result, AssayError>
            do throws(AssayError) { result = .success(try body(index)) } catch {
                result = .failure(error)
                cursor.stop()
            }
            let end = clock.nowNanoseconds()
            ended.withLock { $0[index] = Ended(result: result, start: start, end: end) }
        }
        let finished = DispatchSemaphore(value: 0)
        for index in 1..<max(count, 1) {
            Thread.detachNewThread {
                part(index)
                finished.signal()
            }
        }
        part(0)
        for _ in 1..<max(count, 1) { finished.wait() }
        let parts = ended.withLock { $0 }
        var results: [Result] = []
        for index in 0..<count { if let part = parts[index] { results.append(try part.result.get()) } }
        return Outcome(
            results: results, startNanoseconds: parts.values.map(\.start).min() ?? 0,
            endNanoseconds: parts.values.map(\.end).max() ?? 0)
    }

    private struct Ended<Result: Sendable>: Sendable {
        var result: Swift.Result<Result, AssayError>
        var start: UInt64
        var end: UInt64
    }

    /// Holds threads back until all have come.
    private final class Gate: Sendable {
        private let missing: Atomic<Int>

        init(threads: Int) { missing = Atomic(threads) }

        func pass() {
            missing.wrappingSubtract(1, ordering: .acquiringAndReleasing)
            while missing.load(ordering: .acquiring) > 0 { sched_yield() }
        }
    }
}
