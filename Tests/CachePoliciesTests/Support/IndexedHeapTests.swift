import CacheCore
import Testing

@testable import PriorityPolicies

@Suite("The heap of slots")
struct IndexedHeapTests {
    /// Against a dictionary that is searched, with keys that are often equal.
    @Test(arguments: 0..<20)
    func `always has the smallest key on top`(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var heap = IndexedHeap<UInt32>(slots: 40, filler: 0, hasManyEquals: seed % 2 == 1)
        var model: [UInt32: UInt32] = [:]
        for _ in 0..<2000 {
            let slot = UInt32(generator.next(below: 40))
            let key = UInt32(generator.next(below: 25))
            switch (model[slot], generator.next(below: 4)) {
            case (nil, _):
                heap.insert(slot, key: key)
                model[slot] = key
            case (_, 0):
                heap.remove(slot)
                model[slot] = nil
            case (_, 1):
                let slot = heap.removeMinimum()
                #expect(model[slot] == model.values.min())
                model[slot] = nil
            default:
                heap.update(slot, key: key)
                model[slot] = key
            }
            #expect(heap.count == model.count)
            guard let smallest = model.values.min() else { continue }
            #expect(heap.smallestKey == smallest)
            #expect(model[heap.minimum] == smallest)
            for (slot, key) in model { #expect(heap.key(of: slot) == key) }
        }
    }

    /// Nothing passes its equals: the first stays on top, then the last fills its place, again and again.
    @Test(arguments: [false, true])
    func `lets equal keys leave in its own order`(_ hasManyEquals: Bool) {
        var heap = IndexedHeap<UInt32>(slots: 5, filler: 0, hasManyEquals: hasManyEquals)
        for slot in 0..<UInt32(5) { heap.insert(slot, key: 7) }
        #expect((0..<5).map { _ in heap.removeMinimum() } == [0, 4, 3, 2, 1])
        #expect(heap.count == 0)
    }

    /// By value, then by time; a negative zero is a zero.
    @Test func `orders priorities`() {
        let costs = [0, .leastNonzeroMagnitude, 0.1, 1, 1.5, 1e300]
        let ordered = costs.flatMap { [Priority(cost: $0, at: 3), Priority(cost: $0, at: 4)] }
        for (low, left) in ordered.enumerated() {
            for (high, right) in ordered.enumerated() { #expect((left < right) == (low < high)) }
        }
        #expect(Priority(cost: -0.0, at: 3) == Priority(cost: 0, at: 3))
        #expect(Priority(-5, at: 9) < Priority(-4, at: 2))
        #expect(Priority(7, at: 1).at(2) == Priority(7, at: 2))
        #expect(MemoryLayout<IndexedHeap<Priority>.Entry>.stride == 16)
    }
}
