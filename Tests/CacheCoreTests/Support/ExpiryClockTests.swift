import Testing

@testable import CacheCore

@Suite("ExpiryClock: every deadline once, in order")
struct ExpiryClockTests {
    @Test func `expires at the deadline and not before, the earliest first`() {
        var clock = ExpiryClock(objects: 4)
        clock.start(0, at: 100, for: 50)
        clock.start(1, at: 100, for: 20)
        clock.start(2, at: 100, for: 0)
        #expect(clock.count == 2)
        #expect(clock.nextExpired(at: 119) == nil)
        #expect(clock.nextExpired(at: 150) == 1)
        #expect(clock.nextExpired(at: 150) == 0)
        #expect(clock.nextExpired(at: .max) == nil)
        #expect(clock.count == 0)
    }

    @Test func `a restart takes the place of the deadline before it, later, earlier or none`() {
        var clock = ExpiryClock(objects: 3)
        for id in 0..<ObjectID(3) { clock.start(id, at: 0, for: 10) }
        clock.start(0, at: 5, for: 10)
        clock.start(1, at: 5, for: 1)
        clock.start(2, at: 5, for: 0)
        #expect(clock.count == 2)
        #expect(clock.nextExpired(at: 6) == 1)
        #expect(clock.nextExpired(at: 14) == nil)
        #expect(clock.nextExpired(at: 15) == 0)
        #expect(clock.nextExpired(at: .max) == nil)
    }

    @Test func `a deadline beyond the end of time never comes`() {
        var clock = ExpiryClock(objects: 1)
        clock.start(0, at: .max - 5, for: 6)
        #expect(clock.count == 0)
        #expect(clock.nextExpired(at: .max) == nil)
    }

    @Test func `equals a dictionary of deadlines over long random runs`() {
        for seed in 0..<20 as Range<UInt64> {
            #expect(
                differences(seed: seed, steps: 3000) { clock, id, now, span in
                    clock.start(id, at: now, for: span)
                } == 0, "seed \(seed)")
        }
    }

    @Test func `the dictionary notices a clock that forgets a restart`() {
        var seen: Set<ObjectID> = []
        let found = differences(seed: 1, steps: 3000) { clock, id, now, span in
            if seen.insert(id).inserted { clock.start(id, at: now, for: span) }
        }
        #expect(found > 0)
    }

    @Test func `the dictionary notices a clock that is late by one`() {
        let found = differences(seed: 1, steps: 3000) { clock, id, now, span in
            clock.start(id, at: now, for: span == 0 ? 0 : span + 1)
        }
        #expect(found > 0)
    }

    /// Two deadlines in turn leave equal entries, which packing must see through.
    @Test func `restarts without end take no more memory than deadlines do`() {
        var clock = ExpiryClock(objects: 8)
        for round in 0..<10_000 as Range<Int64> {
            clock.start(ObjectID(round % 8), at: 0, for: round / 8 % 2 == 0 ? 1000 : 2000)
            #expect(clock.entries <= 64 + 2 * clock.count + 1)
        }
        #expect(clock.count == 8)
        var expired: [ObjectID] = []
        while let id = clock.nextExpired(at: 2000) { expired.append(id) }
        #expect(expired.sorted() == Array(0..<8))
    }

    /// How often a clock, started as `start` does, and a dictionary disagree about what expires, and when.
    private func differences(
        seed: UInt64, steps: Int, start: (inout ExpiryClock, ObjectID, Int64, Int64) -> Void
    ) -> Int {
        var generator = SeededGenerator(seed: seed)
        let objects = 1 + generator.next(below: 60)
        let span = 1 + generator.next(below: 400)
        var clock = ExpiryClock(objects: objects)
        var deadlines: [ObjectID: Int64] = [:]
        var (now, found) = (Int64(0), 0)
        for _ in 0..<steps {
            now += Int64(generator.next(below: 4))
            var due = deadlines.filter { $0.value <= now }
            var last = Int64.min
            while let id = clock.nextExpired(at: now) {
                guard let deadline = due.removeValue(forKey: id) else {
                    found += 1
                    continue
                }
                if deadline < last { found += 1 }
                last = deadline
                deadlines[id] = nil
            }
            found += due.count
            for id in due.keys { deadlines[id] = nil }
            let id = ObjectID(generator.next(below: objects))
            let length = Int64(generator.next(below: 8) == 0 ? 0 : 1 + generator.next(below: span))
            start(&clock, id, now, length)
            deadlines[id] = length == 0 ? nil : now + length
            if clock.count != deadlines.count { found += 1 }
        }
        return found
    }
}
