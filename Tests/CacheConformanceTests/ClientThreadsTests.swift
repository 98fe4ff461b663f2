import Foundation
import Testing

@testable import CacheConformance

@Suite("Threads that begin at once and are held wherever they are")
struct ClientThreadsTests {
    @Test func `each thread has its result`() {
        #expect(ClientThreads.together(5) { $0 * $0 } == [0, 1, 4, 9, 16])
        #expect(ClientThreads.together(1) { $0 } == [0])
    }

    #if os(Linux)
        @Test func `who sleeps is left alone`() {
            let woken = ClientThreads.together(2) { _ in
                (0..<50).count { _ in
                    let start = ContinuousClock.now
                    usleep(10_000)
                    return ContinuousClock.now - start < .milliseconds(10)
                }
            }
            // One that is about to fall asleep may be held then.
            #expect(woken.allSatisfy { $0 < 25 }, "\(woken)")
        }
    #endif

    @Test func `threads that only compute are held again and again`() {
        let goal = 300
        let seen = ClientThreads.together(2) { _ -> Int in
            var (holds, last, rounds) = (0, ContinuousClock.now, 0)
            while holds < goal, rounds % 1024 != 0 || Self.ownSeconds() < 3 {
                let now = ContinuousClock.now
                // Who loses the processor to another waits longer.
                if now - last > .microseconds(30), now - last < .microseconds(200) { holds += 1 }
                (last, rounds) = (now, rounds + 1)
            }
            return holds
        }
        #expect(seen == [goal, goal])
    }

    /// The processor time of this thread, which stands still while others have the processor.
    private static func ownSeconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
