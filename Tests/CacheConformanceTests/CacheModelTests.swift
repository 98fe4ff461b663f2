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

    /// quick-lru holds up to twice as much as it is opened with; what cannot list does not count it either.
    @Test(arguments: [CacheOperation.get, CacheOperation.contains] as [@Sendable ([UInt8]) -> CacheOperation])
    func `what is found one by one since the last write fits the room`(_ look: @Sendable ([UInt8]) -> CacheOperation) {
        let keys = (0..<3).map { Array("k\($0)".utf8) }
        func found(_ number: Int) -> (CacheOperation, OperationResult) {
            let operation = look(keys[number])
            if case .contains = operation { return (operation, .flag(true)) }
            return (operation, .entry(StoredEntry(value(number).bytes(for: keys[number]))))
        }
        let puts = keys.indices.map { (CacheOperation.put(keys[$0], value($0)), OperationResult.done) }
        for (isStrict, complaint) in [(true, "2 keys at most"), (false, nil)] {
            var claims = Claims(StorageClaims(retains: true), room: CapacityClaim(.objects(2), isStrict: isStrict))
            claims.deviations = [.cannotList]
            var model = CacheModel(claims: claims)
            for (operation, result) in puts + [found(0), found(1)] { #expect(model.judge(operation, result) == nil) }
            #expect(model.judge(found(2).0, found(2).1) == complaint)
            var other = CacheModel(claims: claims)
            for (operation, result) in puts + [found(0), found(1), puts[2], found(2)] {
                #expect(other.judge(operation, result) == nil, "something left for what was put between")
            }
        }
    }

    /// Where what has expired stays until it is asked for, what is over when it comes takes the room of something live.
    @Test(arguments: [(Deviation.neverSweeps, true), (.countsExpired, true), (.liveAtDeadline, false)])
    func `what is over when it comes makes room where it stays`(_ deviation: Deviation, _ mayBeGone: Bool) {
        var claims = Claims(
            StorageClaims(retains: true), features: [.timeToLive], room: CapacityClaim(.objects(2)))
        claims.deviations = [deviation]
        var model = CacheModel(claims: claims)
        let over = CacheOperation.put(
            Array("c".utf8), value(3), terms: PutTerms(timeToLiveNanoseconds: deviation == .liveAtDeadline ? -1 : 0))
        for operation in [.put(Self.a, value(1)), .put(Array("b".utf8), value(2)), over] {
            #expect(model.judge(operation, .done) == nil)
        }
        #expect((model.judge(.get(Self.a), .entry(nil)) == nil) == mayBeGone)
    }
}
