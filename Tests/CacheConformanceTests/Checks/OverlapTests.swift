import Synchronization
import Testing

@testable import CacheConformance

@Suite("Reads beside writes")
struct OverlapTests {
    @Test func `writers go on for readers that come late, and then end`() {
        let overlap = Overlap(writesMin: 100, timeMax: .seconds(60))
        let written = Atomic(0)
        let complaints = ClientThreads.together(2) { thread in
            if thread == 0 {
                return overlap.write { number in
                    written.store(number + 1, ordering: .relaxed)
                    return nil
                }
            }
            while written.load(ordering: .relaxed) < 1_000 {}
            return overlap.read {
                let before = written.load(ordering: .relaxed)
                // The write of that number has not been counted yet when it is seen.
                while written.load(ordering: .relaxed) < before + 2, !overlap.isOver {}
                return nil
            }
        }
        #expect(complaints == [nil, nil])
        #expect(written.load(ordering: .relaxed) >= 1_000 && overlap.readsBeside >= Overlap.enough)
    }

    @Test func `without readers writers end, and no read was beside`() {
        let overlap = Overlap(writesMin: 100, timeMin: .zero, timeMax: .zero)
        var writes = 0
        #expect(
            overlap.write { _ in
                writes += 1; return nil
            } == nil)
        #expect(writes == 100 && overlap.readsBeside == 0 && overlap.isOver)
    }

    @Test func `writers go on for a while, however many reads there were`() {
        let start = ContinuousClock.now
        let overlap = Overlap(writesMin: 0, timeMin: .milliseconds(5), timeMax: .zero)
        #expect(overlap.writeAmongWriters { _ in nil } == nil)
        let time = ContinuousClock.now - start
        #expect(time > .milliseconds(5))
    }

    @Test func `a complaint of whoever it is ends all`() {
        let refused = Overlap(writesMin: 100, timeMax: .seconds(60))
        #expect(refused.write { $0 == 7 ? "refused" : nil } == "refused")
        var reads = 0
        let after = refused.read {
            reads += 1
            return nil
        }
        #expect(after == nil && reads == 1 && refused.readsBeside == 0)
        let wrong = Overlap(writesMin: 100, timeMax: .seconds(60))
        #expect(wrong.read { "wrong" } == "wrong")
        #expect(wrong.isOver && wrong.write { _ in "never asked" } == nil)
    }

    @Test func `among writers a write counts that had another's beside it`() {
        let alone = Overlap(writesMin: 100, timeMin: .zero, timeMax: .zero)
        #expect(alone.writeAmongWriters { _ in nil } == nil)
        #expect(alone.readsBeside == 0)
        let several = Overlap(writesMin: 100, timeMax: .seconds(60))
        let pause = Duration.microseconds(20)
        _ = ClientThreads.together(2) { _ in
            several.writeAmongWriters { _ in
                let start = ContinuousClock.now
                while ContinuousClock.now - start < pause {}
                return nil
            }
        }
        #expect(several.readsBeside >= Overlap.enough)
    }

    @Test func `several runs need as much beside writes as one run waits for, and one of many seeds anything`() {
        #expect(throws: Never.self) { try Overlap.require(Overlap.enough, of: 8, "reads") }
        #expect(throws: CheckStop.self) { try Overlap.require(Overlap.enough - 1, of: 8, "reads") }
        #expect(throws: Never.self) { try Overlap.require(1, of: 1, "reads") }
        #expect(throws: CheckStop.self) { try Overlap.require(0, of: 1, "reads") }
    }
}
