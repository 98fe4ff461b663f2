import Testing

@testable import PolicySupport

/// What OpenJDK 17's `java.util.Random` printed for the same calls.
@Suite("The generator of java.util.Random")
struct JavaRandomTests {
    struct Expected: Sendable {
        var seed: Int64
        var integers: [Int32]
        /// One each below 100, 64, 1, then four below 1,500,000,001, of which some are drawn twice, and 2^31 - 1.
        var bounded: [Int32]
        var float: Float
        var double: Double
        var last: Int32
    }

    static let bounds: [Int32] = [100, 64, 1, 1_500_000_001, 1_500_000_001, 1_500_000_001, 1_500_000_001, .max]

    static let expected = [
        Expected(
            seed: 42, integers: [-1_170_105_035, 234_785_527],
            bounded: [48, 3, 0, 595_021_505, 1_429_255_519, 196_118_093, 969_067_502, 791_955_276],
            float: 0x1.86cd7p-2, double: 0x1.1a5db3b0bfbe2p-2, last: 1_991_376_913),
        Expected(
            seed: 1_033_096_058, integers: [816_882_396, 1_758_654_394],
            bounded: [98, 29, 0, 467_942_794, 449_949_993, 217_424_533, 519_674_397, 1_363_890_762],
            float: 0x1.daf49cp-1, double: 0x1.3f94851c90cap-4, last: -951_616_329),
        Expected(
            seed: -1, integers: [1_155_099_827, 1_887_904_451],
            bounded: [79, 35, 0, 1_290_198_438, 894_294_477, 857_465_478, 121_412_731, 1_730_951_808],
            float: 0x1.3d33acp-2, double: 0x1.d138008e97f4p-5, last: 353_780_684),
    ]

    @Test(arguments: expected)
    func `draws the same numbers`(_ expected: Expected) {
        var random = JavaRandom(seed: expected.seed)
        #expect([random.next(bits: 32), random.next(bits: 32)] == expected.integers)
        #expect(Self.bounds.map { random.nextInt(below: $0) } == expected.bounded)
        #expect(random.nextFloat() == expected.float)
        #expect(random.nextDouble() == expected.double)
        #expect(random.next(bits: 32) == expected.last)
    }
}
