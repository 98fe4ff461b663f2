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
        @Test func `threads that only compute are held again and again`() {
            let goal = 300
            let holds = ClientThreads.together(2) { _ in Self.holds(until: goal, within: .seconds(60)) }
            #expect(holds.allSatisfy { $0 >= goal }, "\(holds)")
        }

        /// How often this thread, which only computes, has given up the processor of its own will: it does so where it is held,
        /// and not where it loses the processor to others, however busy the machine is.
        private static func holds(until goal: Int, within time: Duration) -> Int {
            func switches() -> Int {
                var usage = rusage()
                // `RUSAGE_THREAD`, which Swift does not see.
                getrusage(1, &usage)
                return usage.ru_nvcsw
            }
            let (first, deadline) = (switches(), ContinuousClock.now + time)
            while switches() - first < goal, ContinuousClock.now < deadline {}
            return switches() - first
        }
    #endif
}
