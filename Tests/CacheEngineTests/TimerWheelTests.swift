import CacheCore
import Testing

@testable import CacheEngine

@Suite("The timer wheel agrees with a sorted list")
struct TimerWheelTests {
    /// Schedules and cancels at random while time goes forward in steps of every size; returns the first difference.
    static func difference(seed: UInt64, steps: Int, start: Int64, isBroken: Bool = false) -> String? {
        let ids = 40
        var wheel = TimerWheel(ids: ids, now: start)
        var due: [ObjectID: Int64] = [:]
        var now = start
        var generator = SeededGenerator(seed: seed)
        var passed: [ObjectID] = []
        for step in 0..<steps {
            let id = ObjectID(generator.next(below: ids))
            switch generator.next(below: 3) {
            case 0:
                let span = Int64(truncatingIfNeeded: generator.next() >> UInt64(1 + generator.next(below: 63)))
                let time = saturatingSum(now, max(1, span))
                wheel.schedule(id, at: time)
                due[id] = time
            case 1:
                wheel.cancel(id)
                due[id] = nil
            default:
                let jump = Int64(generator.next(below: 1 << generator.next(below: 40)))
                now = saturatingSum(now, generator.next(below: 50) == 0 ? jump << 20 : jump)
                // The last moment that there is stands for never.
                if now == .max { return nil }
                passed.removeAll()
                wheel.advance(to: now, into: &passed)
                var expired: Set<ObjectID> = []
                for id in passed {
                    guard let time = due[id] else { return "step \(step): \(id) came out and was not in" }
                    // A wheel that took every slot that it empties for due would be wrong.
                    if time <= now || isBroken { expired.insert(id) } else { wheel.schedule(id, at: time) }
                }
                let expected = Set(due.filter { $0.value <= now }.keys)
                if expired != expected { return "step \(step) at \(now): \(expired), not \(expected)" }
                for id in expected { due[id] = nil }
            }
        }
        return nil
    }

    @Test(arguments: [0, -7, 1 << 40, Int64.min, Int64.max - (1 << 50)])
    func `random schedules`(_ start: Int64) {
        for seed in 0..<UInt64(10) {
            #expect(Self.difference(seed: seed, steps: 5000, start: start) == nil, "seed \(seed)")
        }
    }

    @Test func `a wheel that is early is found out`() {
        #expect(Self.difference(seed: 1, steps: 5000, start: 0, isBroken: true) != nil)
    }

    @Test func `millions of ticks, one by one and far ahead`() {
        var wheel = TimerWheel(ids: 3, now: 0)
        wheel.schedule(0, at: 2_000_003)
        wheel.schedule(1, at: .max)
        wheel.schedule(2, at: 64 * 64 * 64)
        let due: [Int64] = [2_000_003, .max, 64 * 64 * 64]
        var out: [Int64: [ObjectID]] = [:]
        var passed: [ObjectID] = []
        for now in Int64(1)...2_100_000 {
            wheel.advance(to: now, into: &passed)
            for id in passed {
                if due[Int(id)] <= now {
                    out[now, default: []].append(id)
                } else {
                    wheel.schedule(id, at: due[Int(id)])
                }
            }
            passed.removeAll(keepingCapacity: true)
        }
        #expect(out == [2_000_003: [0], 64 * 64 * 64: [2]])
        wheel.advance(to: .max, into: &passed)
        #expect(passed == [1])
    }

    @Test func `growing keeps what is scheduled`() {
        var wheel = TimerWheel(ids: 1, now: 0)
        wheel.schedule(0, at: 100)
        wheel.grow(ids: 50)
        wheel.schedule(49, at: 70)
        var passed: [ObjectID] = []
        wheel.advance(to: 75, into: &passed)
        #expect(passed.contains(49))
        for id in passed where id == 0 { wheel.schedule(0, at: 100) }
        passed.removeAll()
        wheel.advance(to: 100, into: &passed)
        #expect(passed == [0])
    }
}
