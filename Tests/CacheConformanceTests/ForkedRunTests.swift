import CacheCore
import Dispatch
import Foundation
import Testing

@testable import CacheConformance

/// FLT-15 over RocksDB had no verdict on a busy machine: a copy of the process waited for a lock of a thread that it did not have.
@Suite("Copies of a process that are killed")
struct ForkedRunTests {
    /// A lock that a thread holds until it is told to let go.
    private final class HeldLock: @unchecked Sendable {
        private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
        private let (isHeld, isOver, isFree) = (
            DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
        )

        init() {
            pthread_mutex_init(lock, nil)
            Thread.detachNewThread { [self] in
                pthread_mutex_lock(lock)
                isHeld.signal()
                isOver.wait()
                pthread_mutex_unlock(lock)
                isFree.signal()
            }
            isHeld.wait()
        }

        func pass() {
            pthread_mutex_lock(lock)
            pthread_mutex_unlock(lock)
        }

        func letGo() {
            isOver.signal()
            isFree.wait()
        }
    }

    @Test func `one that waits for a thread that it does not have was killed there`() {
        let lock = HeldLock()
        let subject = ScriptedSubject {
            lock.pass()
            return SmallCache(4).perform
        }
        let run = ForkedRun(subject: subject, setup: CacheSetup(), directory: "")
        let put = CacheOperation.put([1], .bytes([1]))
        #expect(run.run([put], until: .afterOperation(1)) == ForkedRun.Progress(signs: []))
        // What must be told in whole is not taken for told.
        #expect(ForkedRun.report { _ in lock.pass() } == nil)
        lock.letGo()
        #expect(run.run([put], until: .afterOperation(1)) == ForkedRun.Progress(signs: [1, 1]))
    }
}
