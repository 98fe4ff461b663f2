import CacheCore
import Foundation
import Testing

@testable import CacheTraces

@Suite struct ArrivalProcessTests {
    private func times(_ process: ArrivalProcess, rate: Double, count: Int) -> [Int64] {
        var clock = ArrivalClock(process, rate: rate, seed: 42)
        return (0..<count).map { _ in clock.next() }
    }

    @Test func `constant times are those of a trace without arrivals`() {
        #expect(times(.constant, rate: 4, count: 4) == [0, 250_000_000, 500_000_000, 750_000_000])
    }

    @Test(arguments: [
        ArrivalProcess.poisson, .bursts(periodSeconds: 2, share: 0.25, factor: 8),
        .diurnal(periodSeconds: 3, amplitude: 0.9),
    ])
    func `every process has its mean rate, and never goes back`(process: ArrivalProcess) {
        let found = times(process, rate: 1000, count: 120_000)
        #expect(zip(found, found.dropFirst()).allSatisfy { $0 <= $1 })
        #expect(abs(Double(found.last!) / 120e9 - 1) < 0.03)
    }

    @Test func `intervals of poisson have an exponential distribution`() {
        let found = times(.poisson, rate: 1000, count: 50_000)
        let gaps = zip(found, found.dropFirst()).map { Double($1 - $0) / 1e6 }
        for limit in [0.1, 0.5, 1, 2, 4] {
            let share = Double(gaps.count { $0 < limit }) / Double(gaps.count)
            #expect(abs(share - (1 - Foundation.exp(-limit))) < 0.01)
        }
    }

    @Test func `bursts have their share of the time and their factor`() {
        let found = times(.bursts(periodSeconds: 1, share: 0.2, factor: 4), rate: 1000, count: 100_000)
        let inBurst = found.count { $0 % 1_000_000_000 < 200_000_000 }
        // 0.2 · 4 of 0.2 · 4 + 0.8.
        #expect(abs(Double(inBurst) / 100_000 - 0.5) < 0.02)
    }

    @Test func `a diurnal rate goes up in the first half of the period`() {
        let found = times(.diurnal(periodSeconds: 1, amplitude: 0.5), rate: 1000, count: 100_000)
        let first = found.count { $0 % 1_000_000_000 < 500_000_000 }
        // 1/2 + 0.5 / π.
        #expect(abs(Double(first) / 100_000 - 0.659) < 0.02)
    }

    @Test func `the sine is that of the library`() {
        for step in -40...40 {
            let turns = Double(step) / 16 + 0.01
            #expect(abs(ArrivalClock.sine(ofTurns: turns) - Foundation.sin(2 * .pi * turns)) < 1e-13)
        }
    }

    @Test func `times stop where 64 bits end, whatever the numbers`() {
        for process in [
            ArrivalProcess.constant, .poisson, .bursts(periodSeconds: 1e9, share: 0.999, factor: 1e6),
            .diurnal(periodSeconds: 0.001, amplitude: 0.99),
        ] {
            for rate in [1e-3, 1e9] {
                var clock = ArrivalClock(process, rate: rate, seed: .max)
                var last: Int64 = 0
                for _ in 0..<1000 { last = clock.next() }
                #expect((0...1 << 62).contains(last))
            }
        }
        var clock = ArrivalClock(.poisson, rate: 1e-15, seed: 1)
        for _ in 0..<100_000 { _ = clock.next() }
        #expect(clock.next() == 1 << 62)
    }

    @Test func `the first times never change`() {
        #expect(times(.poisson, rate: 1e6, count: 6) == GoldenRequests.poisson)
        #expect(times(.diurnal(periodSeconds: 1e-3, amplitude: 0.5), rate: 1e6, count: 6) == GoldenRequests.diurnal)
        #expect(
            times(.bursts(periodSeconds: 1e-3, share: 0.5, factor: 3), rate: 1e6, count: 6) == GoldenRequests.bursts)
    }

    @Test func `numbers beyond their ranges are refused`() {
        #expect(ArrivalProcess.bursts(periodSeconds: 1, share: 1, factor: 2).fault?.contains("share") == true)
        #expect(ArrivalProcess.bursts(periodSeconds: 1, share: 0.5, factor: 0.5).fault?.contains("factor") == true)
        #expect(ArrivalProcess.diurnal(periodSeconds: 0, amplitude: 0.5).fault?.contains("period") == true)
        #expect(ArrivalProcess.diurnal(periodSeconds: 1, amplitude: 1).fault?.contains("amplitude") == true)
        #expect(ArrivalProcess.poisson.fault == nil)
    }
}
