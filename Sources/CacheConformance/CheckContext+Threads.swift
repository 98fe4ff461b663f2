import CacheCore
import Dispatch
import Foundation
import Synchronization

extension CheckContext {
    /// What several threads did to one instance.
    struct ThreadedRun<Result: Sendable>: Sendable {
        let instance: any CacheInstance
        /// One result a thread.
        let results: [Result]
    }

    /// Runs `body` on several threads that begin at once on one instance; blocked where the cache is for one thread.
    func threads<Result: Sendable>(
        _ count: Int, steps: [String],
        _ body: @escaping @Sendable (_ thread: Int, _ instance: any CacheInstance) -> Result
    ) throws(CheckStop) -> ThreadedRun<Result> {
        guard claims.isConcurrent else { throw .blocked("the cache is not for several threads") }
        guard !subject.needsDirectory else { throw .blocked("the subject needs a directory, which this check has not") }
        let instance = try expecting("an open cache", steps: steps) { () throws(StorageError) in
            try subject.open(CacheSetup(), in: nil)
        }
        let results = Mutex<[Int: Result]>([:])
        let ready = DispatchSemaphore(value: 0)
        let start = DispatchSemaphore(value: 0)
        let finished = DispatchGroup()
        for thread in 0..<count {
            finished.enter()
            // Threads of their own: those of a pool are too few on a small machine, and may be busy.
            Thread.detachNewThread {
                ready.signal()
                start.wait()
                let result = body(thread, instance)
                results.withLock { $0[thread] = result }
                finished.leave()
            }
        }
        for _ in 0..<count { ready.wait() }
        for _ in 0..<count { start.signal() }
        finished.wait()
        let all = results.withLock { $0 }
        return ThreadedRun(instance: instance, results: (0..<count).map { all[$0]! })
    }
}
