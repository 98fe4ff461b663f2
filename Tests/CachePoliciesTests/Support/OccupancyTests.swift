import CacheCore
import Testing

@testable import PriorityPolicies

@Suite("Occupancy of a cache over time")
struct OccupancyTests {
    @Test func `is what an array of moments says`() {
        var generator = SeededGenerator(seed: 4)
        for moments in [1, 2, 3, 7, 8, 33, 100] {
            for capacity in [1, 5, 20, 60] {
                var occupancy = Occupancy(moments: moments, capacity: capacity)
                var taken = [Int](repeating: 0, count: moments)
                for _ in 0..<300 {
                    let start = generator.next(below: moments)
                    let end = start + 1 + generator.next(below: moments - start)
                    let weight = generator.next(below: 6)
                    let fits = taken[start..<end].allSatisfy { $0 + weight <= capacity }
                    if fits { for moment in start..<end { taken[moment] += weight } }
                    #expect(occupancy.reserve(weight, from: start, to: end) == fits)
                }
            }
        }
    }
}
