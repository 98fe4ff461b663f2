import CacheCore
import Testing

@Suite("The table of segments")
struct SegmentTableTests {
    @Test func `keeps the weight of each segment and of what is resident`() {
        var table = SegmentTable<ByteSizes>(objects: 10, slots: 10, resident: 2, ghosts: 1)
        let a = table.add(1, weight: 5, toHeadOf: 0)
        table.add(2, weight: 7, toHeadOf: 1)
        let before = [table.weight(of: 0), table.weight(of: 1), table.residentWeight]
        #expect(before == [5, 7, 12])
        table.move(a, toHeadOf: 2)
        let after = [table.weight(of: 0), table.weight(of: 2), table.residentWeight, table.residentCount]
        #expect(after == [0, 5, 7, 1])
        let (isResident, slot) = (table.contains(1), table.slot(of: 1))
        #expect(!isResident)
        #expect(slot == a)
        table.remove(1)
        let (ghostWeight, left) = (table.weight(of: 2), table.slot(of: 1))
        #expect(ghostWeight == 0)
        #expect(left == SegmentTable<ByteSizes>.none)
    }

    @Test func `trims ghosts and reports them in order`() {
        var table = SegmentTable<ByteSizes>(objects: 10, slots: 10, resident: 1, ghosts: 1)
        var victims = VictimList()
        for (id, weight) in [(ObjectID(1), 4), (2, 4), (3, 4), (4, 20)] { table.add(id, weight: weight, toHeadOf: 0) }
        for id in ObjectID(1)...4 {
            table.evict(table.slot(of: id), toGhosts: 1, limit: 8, into: &victims)
        }
        #expect(victims.evicted == [1, 2, 3, 4])
        // The third ghost pushes the first out; the fourth object is too heavy to leave one.
        #expect(victims.forgotten == [1, 4])
        let ghostWeight = table.weight(of: 1)
        #expect(ghostWeight == 8)
    }

    @Test func `does not report the object that is being inserted`() {
        var table = SegmentTable<UnitSizes>(objects: 4, slots: 4, resident: 1, ghosts: 1)
        var victims = VictimList()
        table.add(1, weight: 1, toHeadOf: 1)
        table.add(2, weight: 1, toHeadOf: 1)
        table.incoming = 1
        table.trim(1, to: 0, into: &victims)
        #expect(victims.forgotten == [2])
    }

    @Test func `keeps marks beside the segment`() {
        var table = SegmentTable<UnitSizes>(objects: 4, slots: 4, resident: 2)
        let slot = table.add(1, weight: 1, toHeadOf: 0)
        table.setMark(SegmentTable<UnitSizes>.largestMark, at: slot)
        table.moveToHead(slot)
        let stayed = [table.segment(at: slot), table.mark(at: slot)]
        #expect(stayed == [0, SegmentTable<UnitSizes>.largestMark])
        table.move(slot, toHeadOf: 1)
        let moved = [table.segment(at: slot), table.mark(at: slot)]
        #expect(moved == [1, 0])
    }

    /// Against arrays, the newest object of each segment first.
    @Test func `exchanges objects of segments that remain as full`() {
        var table = SegmentTable<UnitSizes>(objects: 40, slots: 6, resident: 2)
        var segments: [[ObjectID]] = [[], []]
        for id in ObjectID(0)..<6 {
            table.add(id, weight: 1, toHeadOf: UInt32(id % 2))
            segments[Int(id % 2)].insert(id, at: 0)
        }
        var generator = SeededGenerator(seed: 1)
        for step in 0..<500 {
            if generator.next(below: 2) == 0 {
                let id = segments[0].remove(at: generator.next(below: 3))
                segments[1].insert(id, at: 0)
                segments[0].insert(segments[1].removeLast(), at: 0)
                table.swap(table.slot(of: id), from: 0, withTailOf: 1)
            } else {
                let id = segments[0].removeLast()
                segments[1].insert(id, at: 0)
                let loser = segments[1].remove(at: generator.next(below: 4))
                let newcomer = ObjectID((0..<40).first { !segments.joined().contains($0) && $0 != loser } ?? 0)
                segments[0].insert(newcomer, at: 0)
                table.pass(
                    table.slot(of: id), from: 0, to: 1, exchanging: table.slot(of: loser), for: newcomer)
                let isGone = !table.contains(loser)
                #expect(isGone, "step \(step)")
            }
            var order: [[ObjectID]] = [[], []]
            for segment in 0..<2 {
                var slot = table.tail(of: UInt32(segment))
                while slot != SegmentTable<UnitSizes>.none {
                    let (id, its) = (table.id(at: slot), table.segment(at: slot))
                    let found = table.slot(of: id)
                    #expect(Int(its) == segment && found == slot, "step \(step)")
                    order[segment].insert(id, at: 0)
                    slot = table.previous(of: slot)
                }
            }
            let weights = [table.weight(of: 0), table.weight(of: 1), table.residentWeight]
            guard order == segments, weights == [3, 3, 6] else {
                Issue.record("step \(step): \(order), not \(segments)")
                return
            }
        }
    }
}
