import CacheCore
import Foundation
import Testing

@Suite("PortableMath: the system's functions to a few last places, the same everywhere")
struct PortableMathTests {
    @Test func `agrees with the system`() {
        var random = SeededGenerator(seed: 1)
        for _ in 0..<20_000 {
            let x = random.nextUnit() * 1400 - 700
            let positive = Foundation.exp(x)
            #expect(abs(PortableMath.exp(x) / positive - 1) < 1e-14)
            #expect(abs(PortableMath.log(positive) - Foundation.log(positive)) <= 4 * abs(x).ulp + 1e-16)
            let small = (random.nextUnit() - 0.5) * 0.01
            #expect(abs(PortableMath.expRatio(small) - Foundation.expm1(small) / small) < 1e-12)
            #expect(abs(PortableMath.logRatio(small) - Foundation.log1p(small) / small) < 1e-12)
        }
        #expect(PortableMath.exp(0) == 1)
        #expect(PortableMath.log(1) == 0)
        #expect(PortableMath.exp(-1e9) == 0)
        #expect(PortableMath.exp(1e9) == .infinity)
    }
}
