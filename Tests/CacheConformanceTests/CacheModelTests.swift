import CacheCore
import Testing

@testable import CacheConformance

@Suite("What the model permits where a cache may choose its moment")
struct CacheModelTests {
    private static let a = Array("a".utf8)

    private static func load(_ number: Int) -> CacheOperation { .load(a, Origin(.value(value(number)))) }
    private static func entry(_ number: Int) -> StoredEntry { StoredEntry(value(number).bytes(for: a)) }

    /// A load that asked its origin afresh and answered the old value has stored the new one already, or stores it later.
    @Test(arguments: [(1, true), (7, true), (3, false)])
    func `a refresh may have ended when the key is exchanged`(_ found: Int, _ isPermitted: Bool) {
        var model = CacheModel(
            claims: Claims(StorageClaims(retains: true), features: [.loader, .refresh, .timeToLive]),
            setup: CacheSetup(refreshNanoseconds: 50))
        let steps: [(CacheOperation, OperationResult)] = [
            (Self.load(1), .loaded(.value(Self.entry(1)), calls: 1)), (.advance(nanoseconds: 60), .done),
            (Self.load(7), .loaded(.value(Self.entry(1)), calls: 1)),
        ]
        for (operation, result) in steps { #expect(model.judge(operation, result) == nil) }
        let permitted = model.judge(.exchange(Self.a, value(9)), .entry(Self.entry(found)))
        #expect((permitted == nil) == isPermitted)
        guard isPermitted else { return }
        #expect(model.judge(.maintain, .done) == nil)
        #expect(model.judge(.get(Self.a), .entry(Self.entry(9))) == nil, "what was exchanged stays")
    }
}
