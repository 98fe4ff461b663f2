import Foundation
import Synchronization
import Testing

@testable import CacheHarness

@Suite("HardwareCounters: counts of this machine, or nothing")
struct HardwareCountersTests {
    /// Counts something that the compiler cannot leave out.
    @inline(never)
    private static func work(_ rounds: Int) -> Int {
        let sum = Atomic(0)
        for round in 0..<rounds { sum.wrappingAdd(round, ordering: .relaxed) }
        return sum.load(ordering: .relaxed)
    }

    @Test func `ten times the work takes more instructions, in threads too, where they are counted`() {
        func instructions(_ rounds: Int, onThread: Bool) -> Int? {
            let counters = HardwareCounters()
            if onThread {
                let ended = DispatchSemaphore(value: 0)
                Thread.detachNewThread {
                    _ = Self.work(rounds)
                    ended.signal()
                }
                ended.wait()
            } else {
                _ = Self.work(rounds)
            }
            return counters.instructions
        }
        for onThread in [false, true] {
            guard let few = instructions(100_000, onThread: onThread),
                let many = instructions(1_000_000, onThread: onThread)
            else { continue }
            #expect(few > 100_000 && many > 5 * few)
        }
    }

    @Test func `a process that opens and ends counters keeps no descriptor`() async {
        await #expect(processExitsWith: .success) {
            func open() -> Int? { HardwareCounters().instructions }
            _ = open()
            // Where the system does not tell how many are open, there is nothing to compare.
            guard let before = ProcessFiles.openDescriptors() else { return }
            for _ in 0..<50 { _ = open() }
            // The test's own runtime may have opened one meanwhile.
            let after = try #require(ProcessFiles.openDescriptors())
            #expect(after < before + 25)
        }
    }
}
