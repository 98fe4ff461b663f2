import CacheCore
import Testing

@testable import CacheConformance

@Suite("What the claims cover")
struct ClaimsOperationsTests {
    /// A cache with groups and no loader, such as RecordCache, must not be asked to load in a group.
    @Test func `an operation in a group takes the features of both`() {
        let load = CacheOperation.load(Array("a".utf8), Origin(.nothing))
        let inGroup = CacheOperation.within(group: "g", load)
        #expect(!inGroup.isCovered(by: Claims()))
        #expect(!inGroup.isCovered(by: Claims(features: [.groups])))
        #expect(!inGroup.isCovered(by: Claims(features: [.loader])))
        #expect(inGroup.isCovered(by: Claims(features: [.groups, .loader])))
        #expect(CacheOperation.within(group: "g", .count).isCovered(by: Claims(features: [.groups])))
        #expect(load.isCovered(by: Claims(features: [.loader])))
        #expect(CacheOperation.get([]).isCovered(by: Claims()))
    }

    /// Python's caches have pop and no exchange, memcached has add alone: none must be asked for its sisters.
    @Test func `a check that is about several features asks for those that are claimed`() throws {
        let check = try #require(ConformanceSuite.cache.check("CON-9"))
        #expect(check.claims == [.anyFeature([.replace, .take])])
        #expect(check.claims[0].isMade(in: Claims(features: [.take])))
        #expect(!check.claims[0].isMade(in: Claims(features: [.putIfAbsent])))
        #expect(!CacheOperation.exchange([], .bytes([])).isCovered(by: Claims(features: [.take])))
        #expect(check.claims[0].description == "replace or take")
    }
}
