import CacheCore
import Testing

@testable import PriorityPolicies

@Suite("The heap of slots whose priorities mostly rise")
struct RisingHeapTests {
    /// Against a dictionary that is searched; sizes at which nodes have from none to four children.
    @Test(arguments: [1, 2, 4, 5, 6, 21, 22, 40, 300], [UInt64(1), 2])
    func `always has the smallest priority on top`(_ slots: Int, _ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var heap = RisingHeap(slots: slots)
        var model: [UInt32: Priority] = [:]
        for time in 0..<4000 {
            let slot = UInt32(generator.next(below: slots))
            let value = generator.next(below: 25) - 12
            switch (model[slot], generator.next(below: 5)) {
            case (nil, _):
                model[slot] = Priority(value, at: time)
                heap.insert(slot, Priority(value, at: time), tally: UInt32(time))
            case (_, 0):
                heap.remove(slot)
                model[slot] = nil
            case (_, 1):
                let taken = heap.removeMinimum()
                #expect(model[taken] == model.values.min())
                model[taken] = nil
            case (let old?, _):
                let change = value < -9 ? value : abs(value)
                model[slot] = Priority(old.value + change, at: time)
                heap.update(slot, Priority(old.value + change, at: time), tally: UInt32(time))
                let tally = heap.tally(of: slot)
                #expect(tally == UInt32(time))
            }
            let count = heap.count
            #expect(count == model.count)
            guard time % 3 == 0, let smallest = model.values.min() else { continue }
            let (found, slotOfSmallest) = (heap.smallestPriority(), heap.minimum())
            #expect(found == smallest)
            #expect(model[slotOfSmallest] == smallest)
        }
        for (slot, priority) in model {
            let known = heap.priority(of: slot)
            #expect(known == priority)
        }
    }

    @Test func `an ordinal is in the order of the priorities, and gives them back`() {
        let values = [Int.min, -5, -1, 0, 1, 7, Int.max]
        let ordered = values.flatMap { [Priority($0, at: 3), Priority($0, at: 4)] }
        for (low, left) in ordered.enumerated() {
            #expect(Priority(ordinal: left.ordinal | 0xFFFF_FFFF) == left)
            for (high, right) in ordered.enumerated() { #expect((left.ordinal < right.ordinal) == (low < high)) }
        }
        #expect(Priority(cost: 1.5, at: 9).cost == 1.5)
    }
}
