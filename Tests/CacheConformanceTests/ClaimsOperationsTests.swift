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
}
