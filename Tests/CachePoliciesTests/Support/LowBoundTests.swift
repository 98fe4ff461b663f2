import CacheCore
import Testing

@testable import RandomPolicies

@Suite("The bound of hyperbolic caching")
struct LowBoundTests {
    /// Near the bound too, where one request or one unit of age decides, and late, where times take many bits.
    @Test(arguments: [1, 3, 100, 7000, 1_000_000])
    func `whatever is not low exceeds what is certain`(_ residents: Int) {
        let bound = LowBound(residents: residents)
        var generator = SeededGenerator(seed: UInt64(residents))
        var met = 0
        for _ in 0..<100_000 {
            let now = UInt32(1 + generator.next(below: LowBound.lastTime - 1) >> generator.next(below: 32))
            let age = 1 + generator.next(below: Int(now))
            let near = age / residents - 2 + generator.next(below: 6)
            var stamp = HyperbolicStamp(entered: now - UInt32(age))
            stamp.count = UInt32(max(1, min(near, age)))
            let isMet = bound.isMet(by: stamp, at: now) == 1
            met += isMet ? 1 : 0
            let priority = stamp.priority(worth: 1, at: now)
            #expect(isMet || priority > bound.certainBits(at: now), "\(stamp) at \(now)")
            #expect(!isMet || priority <= (1 / Double(residents)).bitPattern)
        }
        #expect(met > 10_000)
    }

    /// A bound follows whatever the priorities are, from any other.
    @Test func `the bound finds its level`() {
        for (first, level) in [(1, 50_000.0), (1_000_000, 5), (30, 30)] {
            var bound = LowBound(residents: first)
            let stamp = HyperbolicStamp(entered: 0)
            for _ in 0..<2000 { bound.adapt(ranked: bound.isMet(by: stamp, at: UInt32(level)) * 14) }
            let certain = Double(bitPattern: bound.certainBits(at: 0))
            #expect(certain > 0.4 / level && certain < 2.5 / level)
        }
    }
}
