import CacheCore
import Testing

@testable import CacheConformance

@Suite("Programs of few operations")
struct SmallProgramsTests {
    private static let short = SmallPrograms(letters: Array(SmallPrograms.core.prefix(4)))

    @Test func `every sequence is there once, but for those that differ in the names of the keys`() {
        let words = Self.short.words(longest: 3, most: 1_000)
        #expect(Set(words).count == words.count)
        // Two operations on each key: half of the 4 + 16 + 64 sequences begin with the first key.
        #expect(words.count == 42)
        #expect(words.map(\.count) == words.map(\.count).sorted())
    }

    @Test(arguments: [1, 7, 20, 41])
    func `where not all fit, the longest are chosen among evenly`(most: Int) {
        let words = Self.short.words(longest: 3, most: most)
        #expect(Set(words).count == words.count)
        #expect(words.count <= most + most / 2 + 2 && words.count >= min(2, most))
    }

    @Test func `claims add operations, and none that is not claimed`() {
        let none = SmallPrograms.features(Claims())
        let all = SmallPrograms.features(
            Claims(StorageClaims(durability: .exit), features: Set(Claims.Feature.allCases)))
        #expect(none.count == 0)
        #expect(all.count > 40)
        #expect(all.contains { $0([0], [1], 1) == .reopen })
    }
}
