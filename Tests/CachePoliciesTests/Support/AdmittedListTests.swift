import CacheCore
import Testing

@testable import PolicySupport

@Suite("The list of the admitted")
struct AdmittedListTests {
    /// Against an array that has lost what came more than `count` objects ago; an object may be in the list twice.
    @Test(arguments: [1, 2, 3, 8])
    func `names whoever is in it no longer`(_ count: Int) {
        var list = AdmittedList(count: count)
        var model: [ObjectID] = []
        var generator = SeededGenerator(seed: UInt64(count))
        for _ in 0..<2000 {
            let id = ObjectID(generator.next(below: 2 * count))
            model.append(id)
            let left = model.count > count ? model.removeFirst() : AdmittedList.nobody
            let former = list.append(id)
            #expect(former == (model.contains(left) ? AdmittedList.nobody : left))
            let held = (0..<count).map { list[$0] }.filter { $0 != AdmittedList.nobody }
            #expect(held.sorted() == model.sorted())
        }
    }

    @Test func `knows its lowest for a while`() {
        var list = AdmittedList(count: 2)
        let before = list.isRanked(at: 0)
        list.setLowest(Candidate(5, rank: 0.25), at: .max, for: 3)
        let during = [.max, 0, 1, 2].map { list.isRanked(at: $0) }
        let lowest = list.lowest
        list.forgetLowest()
        let after = list.isRanked(at: .max)
        #expect(!before && during == [true, true, true, false] && !after)
        #expect(lowest.place == 5 && lowest.rank == 0.25)
    }

    /// Among equals the first stays; what is too old has rank -1.
    @Test func `a candidate yields to lower ranks alone`() {
        let ranks: [Float] = [-1, 0, .leastNonzeroMagnitude, 0.1, 1, 1.5, .infinity]
        for (low, left) in ranks.enumerated() {
            for (high, right) in ranks.enumerated() {
                var candidate = Candidate(1, rank: left)
                candidate.yield(to: Candidate(2, rank: right))
                #expect(candidate.place == (high < low ? 2 : 1))
                #expect(candidate.rank == min(left, right))
            }
        }
    }
}
