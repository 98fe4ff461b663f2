import CacheCore
import Testing

@testable import PolicySupport
@testable import PriorityPolicies

@Suite("Samples that are drawn ahead")
struct DrawnPlacesTests {
    /// Two from each number of the generator, whenever they are drawn and whatever is asked for in between.
    @Test(arguments: [1, 2, 3, 8, 33])
    func `take each number in the order of use`(_ count: Int) {
        var generator = WyrandGenerator(seed: 7)
        var chance = SeededGenerator(seed: UInt64(count))
        var sample = DrawnPlaces(count: count, seed: 7)
        for round in 0..<2000 {
            switch chance.next(below: 4) {
            case 0:
                let number = sample.next(below: 32)
                #expect(number == generator.next(below: 32))
            case 1: sample.drawAhead(of: 1 + chance.next(below: 3)) { _, _ in }
            default:
                let range = 1 + chance.next(below: 3) * round
                var expected: [UInt32] = []
                while expected.count < count {
                    let (first, second) = generator.nextPair(below: UInt32(range))
                    expected += [first, second]
                }
                let places = UnsafeBufferPointer(start: sample.take(of: range), count: count)
                #expect(Array(places) == Array(expected.prefix(count)))
            }
        }
    }
}
