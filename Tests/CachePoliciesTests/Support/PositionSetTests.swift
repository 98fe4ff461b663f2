import CacheCore
import Testing

@testable import PriorityPolicies

@Suite("The set of positions whose largest is found")
struct PositionSetTests {
    /// Against a sorted array, from a set that fits into a word to one of several words at the top.
    @Test(arguments: [1, 64, 65, 4096, 4097, 300_000, 40_000_000], [UInt64(1), 2, 3])
    func `finds the largest whatever was taken out`(_ count: Int, _ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let set = PositionSet(count: count)
        var model: Set<Int> = []
        for step in 0..<3000 {
            // Now together, now far apart, and for a while more go than come.
            let span = generator.next(below: 2) == 0 ? min(count, 200) : count
            if generator.next(below: 10) < (step % 600 < 300 ? 8 : 3) {
                let position = span - 1 - generator.next(below: span)
                set.insert(position)
                model.insert(position)
            } else if let largest = model.max() {
                model.remove(largest)
                let found = set.removeLargest(largest)
                #expect(found == model.max() ?? 0)
            }
            let found = set.largest()
            #expect(found == model.max() ?? 0)
        }
        for position in model {
            let isKnown = set.contains(position)
            #expect(isKnown)
            let around = set.word(at: position).nonzeroBitCount
            #expect(around == model.count { $0 >> 6 == position >> 6 })
        }
    }

    @Test func `what is skipped changes nothing, and what is not summarized can be taken back`() {
        let set = PositionSet(count: 1000)
        let skipped = set.insertUnsummarized(70, unless: -1)
        let isKnown = set.contains(70)
        #expect(!skipped && !isKnown)
        let (first, second) = (set.insertUnsummarized(70, unless: 0), set.insertUnsummarized(71, unless: 0))
        #expect(first && !second)
        set.removeUnsummarized(70)
        let (isLeft, largest) = (set.contains(70), set.largest())
        #expect(!isLeft && largest == 0)
    }
}
