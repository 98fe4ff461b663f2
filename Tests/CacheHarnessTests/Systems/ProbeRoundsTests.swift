import CacheCore
import CacheHarness
import Synchronization
import Testing

@Suite("Rounds and threads of probes")
struct ProbeRoundsTests {
    @Test func `ways take turns, each is first in its turn, and the first round warms up`() {
        var order: [Int] = []
        let rounds = ProbeRounds(2, ways: 3) { way in
            order.append(way)
            return Double(order.count)
        }
        #expect(order == [0, 1, 2, 1, 2, 0, 2, 0, 1])
        // Way 0 was sixth and eighth.
        #expect(rounds.median(0) == 7 && rounds.median(1) == 6.5 && rounds.median(2) == 6)
    }

    @Test func `without a round to warm up each way is made as often as there are rounds`() {
        var made = 0
        _ = ProbeRounds(3, ways: 2, warmsUp: false) { _ in
            made += 1
            return 1
        }
        #expect(made == 6)
    }

    @Test func `differences and ratios are those of one round, and one slow round does not matter`() {
        // Each pair of times is of one round, in which the machine was as slow for both.
        var made = 0
        let rounds = ProbeRounds(5, ways: 2) { way in
            let slowness = [1.0, 2, 1, 50, 1, 4][made / 2]
            made += 1
            return slowness * (way == 1 ? 110 : 100)
        }
        #expect(rounds.medianDifference(1, over: 0) == 20 && rounds.medianRatio(1, over: 0) == 1.1)
        var times = [1.0, 2, 3, 1000, 2].makeIterator()
        #expect(ProbeRounds(5, warmsUp: false) { _ in times.next() ?? 0 }.median() == 2)
    }

    @Test func `threads share all positions, each once`() throws {
        let seen = Mutex<[Int]>([])
        let time = try ProbeThreads.nanosecondsPerCall(4, calls: 1000) { positions in seen.withLock { $0 += positions }
        }
        #expect(seen.withLock { $0.sorted() } == Array(0..<1000) && time > 0)
    }

    @Test func `what takes too long is made less often`() throws {
        let made = Atomic(0)
        let time = try ProbeThreads.nanosecondsPerCall(2, calls: 1_000_000, secondsMax: 0) { positions in
            made.wrappingAdd(positions.count, ordering: .relaxed)
        }
        #expect((1...1024).contains(made.load(ordering: .relaxed)) && time > 0)
    }

    @Test func `an error of a thread is that of all`() {
        let wrong = #expect(throws: AssayError.self) {
            _ = try ProbeThreads.nanosecondsPerCall(3, calls: 1000) { positions in
                if positions.contains(500) { throw AssayError(.verdict, "a wrong answer: 500") }
            }
        }
        #expect(wrong?.message == "a wrong answer: 500")
        let other = #expect(throws: AssayError.self) {
            _ = try ProbeThreads.nanosecondsPerCall(1, calls: 1) { _ in throw CancellationError() }
        }
        #expect(other?.code == .internalError)
    }
}
