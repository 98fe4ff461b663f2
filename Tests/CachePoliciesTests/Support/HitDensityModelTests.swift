import CacheCore
import Testing

@testable import PriorityPolicies

@Suite("What LHD ranks by")
struct HitDensityModelTests {
    /// A sum that has to be doubled so many times until it reaches the number of ages; row 0 is that of the first class.
    @Test(arguments: [16, 17, 64, 100, 20000, 32768, 65535])
    func `the class of two ages is the logarithm of their sum`(_ ages: Int) {
        let model = HitDensityModel(ages: ages, objects: 10)
        for sum in 0...2 * ages {
            var doublings = 0
            while doublings < 15, sum << doublings < ages { doublings += 1 }
            let row = model.row(ofAges: UInt32(sum))
            #expect(row == UInt32(doublings * ages), "a sum of \(sum)")
        }
    }

    /// A hundred ages for three objects make a unit of 4 requests.
    @Test func `an age holds until the next unit`() {
        let model = HitDensityModel(ages: 100, objects: 3)
        let ages = [0, 3, 4, 395, 396, 400, 4_000_000_000].map { model.age($0) }
        #expect(ages == [0, 0, 1, 98, 99, 99, 99])
        let requests = [0, 1, 3, 4, 399].map { model.requestsToNextAge($0) }
        #expect(requests == [4, 3, 1, 4, 1])
    }
}
