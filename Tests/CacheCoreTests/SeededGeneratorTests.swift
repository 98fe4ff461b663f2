import Testing

@testable import CacheCore

@Suite("SeededGenerator: the same numbers everywhere and for ever")
struct SeededGeneratorTests {
    @Test func `seed 1234567 gives the published SplitMix64 sequence`() {
        var generator = SeededGenerator(seed: 1_234_567)
        let first = (0..<3).map { _ in generator.next() }
        #expect(first == [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423])
    }

    @Test func `numbers below a bound stay below it and reach every value`() {
        var generator = SeededGenerator(seed: 7)
        var seen: Set<Int> = []
        for _ in 0..<1000 { seen.insert(generator.next(below: 10)) }
        #expect(seen == Set(0..<10))
    }

    @Test func `numbers below a bound are the published sequence by Lemire's method`() {
        var generator = SeededGenerator(seed: 1_234_567)
        // The high word of each product; 2^63 + 1 rejects the products whose low word is below 2^63 - 1.
        #expect((0..<3).map { _ in generator.next(below: 1000) } == [350, 173, 532])
        #expect(generator.next(below: UInt64(1) << 63 + 1) <= UInt64(1) << 63)
        #expect(generator.next(below: UInt64.max) < .max)
    }

    @Test func `unit numbers lie in 0 to 1 and average a half`() {
        var generator = SeededGenerator(seed: 7)
        let sum = (0..<10_000).reduce(0.0) { sum, _ in
            let value = generator.nextUnit()
            #expect((0..<1).contains(value))
            return sum + value
        }
        #expect(abs(sum / 10_000 - 0.5) < 0.02)
    }

    @Test func `what was not taken comes again`() {
        var (generator, plain) = (SeededGenerator(seed: 5), SeededGenerator(seed: 5))
        for step in 0..<1000 {
            var copy = plain
            let isBelow = copy.next() >> 11 < 1 << 52
            let taken: UInt64 = step % 3 == 0 ? 1 : 0
            let drawn = generator.next(taken: taken, below: 1 << 52)
            #expect(drawn == (isBelow ? 1 : 0))
            if taken == 1 { plain = copy }
        }
    }
}
