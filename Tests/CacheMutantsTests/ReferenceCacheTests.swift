import CacheConformance
import CacheCore
import CacheMutants
import CachePolicies
import CacheReference
import Foundation
import Testing

/// No false alarms: caches that keep their promises pass, whatever the promises.
@Suite("The reference cache and boring caches")
struct ReferenceCacheTests {
    static let seeded = ConformanceSuite.cache.checks.filter {
        ["CAP-14", "POL-4", "EVT-9", "STA-8"].contains($0.id)
    }

    @Test(arguments: ["lru", "fifo", "lfu"])
    func `the reference fails no check and is blocked by none`(order: String) {
        let subject = ReferenceSubject(order: order, policies: BuiltinPolicies.all)
        let report = ConformanceSuite.cache.run(on: subject, seed: 7)
        #expect(report.failures.map { "\($0.id) \($0.outcome.detail ?? "")" } == [])
        #expect(
            report.results.filter { $0.outcome.name == "blocked" }.map { "\($0.id) \($0.outcome.detail ?? "")" } == [])
        #expect(report.results.filter { $0.outcome.name == "pass" }.count > 150)
    }

    /// What a cache writes at once is in order, and has come by the next flush.
    @Test func `only a cache without a writer is said to write behind unclaimed`() throws {
        let check = try #require(ConformanceSuite.cache.check("WRT-5"))
        for (flavour, isPresent) in [(ReferenceSubject.Flavour.plain, false), (.behind, true)] {
            var modest = FrontedSubject(
                ReferenceSubject(flavour: flavour, policies: BuiltinPolicies.all), front: { $0 })
            modest.change = { $0.features.remove(.writeBehind) }
            let answer = check.answer(of: modest, seed: 1)
            #expect(answer.result.outcome.name == "not claimed")
            #expect((answer.isPresent == true) == isPresent)
        }
    }

    @Test(arguments: ["aged-lfu", "behind", "tiered", "persistent"])
    func `what the reference is besides fails no check either`(kind: String) throws {
        let flavour = ReferenceSubject.Flavour(rawValue: kind)
        let order = flavour == nil ? kind : nil
        let subject = ReferenceSubject(order: order ?? "lru", flavour: flavour ?? .plain, policies: BuiltinPolicies.all)
        // What threads and directories have nothing to do with is held against the plain one.
        let sections =
            flavour == .persistent
            ? ["BAS", "PER", "LIF", "MIG", "FLT", "CAP", "TTL", "STA", "EVT"] : ["POL", "WRT", "TIR"]
        let report = try ConformanceSuite.cache.limited(to: sections).run(on: subject, seed: 5)
        #expect(report.failures.map { "\($0.id) \($0.outcome.detail ?? "")" } == [])
        guard flavour == .persistent else { return }
        #expect(report.results.filter { $0.id.hasPrefix("MIG") }.allSatisfy { $0.outcome == .pass })
        // What needs a process that was made ready for it is blocked here; FaultCommandTests have it.
        let faults = report.results.filter {
            $0.id.hasPrefix("FLT") && !["FLT-4", "FLT-5", "FLT-11", "FLT-12"].contains($0.id)
        }
        #expect(faults.allSatisfy { $0.outcome == .pass })
    }

    @Test(arguments: 0..<4)
    func `random checks raise no false alarm with 40 seeds`(part: Int) {
        let subject = ReferenceSubject(order: ["lru", "fifo", "lfu"][part % 3], policies: BuiltinPolicies.all)
        for seed in UInt64(part * 10)..<UInt64(part * 10 + 10) {
            for check in Self.seeded {
                let outcome = check.run(on: subject, seed: seed).outcome
                #expect(outcome == .pass, "\(check.id) with seed \(seed): \(outcome)")
            }
        }
    }

    @Test(arguments: [false, true])
    func `what is not there need not be removed by the writer`(sparesAll: Bool) throws {
        let suite = try ConformanceSuite.cache.limited(to: ["WRT"])
        let failures = suite.run(on: Self.sparing(all: sparesAll), seed: 3).failures.map(\.id)
        #expect(failures == (sparesAll ? ["WRT-3"] : []))
    }

    /// The reference, but that a removal is no error of the writer's where nothing is there, or nowhere.
    private static func sparing(all sparesAll: Bool) -> FrontedSubject {
        @Sendable func look(_ operation: CacheOperation) -> CacheOperation? {
            switch operation {
            case .remove(let key): .contains(key)
            case .within(let group, let inner): look(inner).map { .within(group: group, $0) }
            default: nil
            }
        }
        return FrontedSubject { operation, cache in
            let result = cache.perform(operation)
            guard case .failure = result, let look = look(operation) else { return result }
            return sparesAll || cache.perform(look) == .flag(false) ? .flag(false) : result
        }
    }

    /// The newcomer cannot be told from what it followed by its value; what left first is told first.
    @Test func `an eviction is not taken for that of a newer entry with the same value`() throws {
        let (first, other) = (Array("a".utf8), Array("b".utf8))
        let empty = Payload.described(sequence: 1, byteCount: 0)
        let program = Program(
            [
                .put(first, empty), .touch(first, timeToLiveNanoseconds: 36),
                .load(other, Origin(.value(.described(sequence: 2, byteCount: 1)))), .advance(nanoseconds: 36),
                .put(first, empty), .events, .keys,
            ], setup: CacheSetup(capacity: .objects(1)))
        let replay = try Replay(program, on: ReferenceSubject(policies: BuiltinPolicies.all))
        #expect(replay.isPermitted, "\(replay.steps.last?.permitted ?? "")")
    }

    /// Of seven that were put into a room for six one is removed, and one that may have left is put again: there are five or six.
    @Test func `how many are evicted is not known where what was overwritten may have left`() throws {
        func put(_ key: String) -> CacheOperation { .put(Array(key.utf8), .described(sequence: 1, byteCount: 0)) }
        let program = Program(
            ["a", "b", "c", "d", "e", "f", "g"].map(put) + [.remove(Array("f".utf8)), put("a"), put("f"), .statistics],
            setup: CacheSetup(capacity: .objects(6)))
        let replay = try Replay(program, on: HarmlessCache.Subject(.slow))
        #expect(replay.isPermitted, "\(replay.steps.last?.permitted ?? "")")
    }

    @Test(arguments: HarmlessCache.Kind.allCases, ConformanceSuite.cache.checks)
    func `harmless caches with honest claims never fail`(kind: HarmlessCache.Kind, check: Check) {
        let outcome = check.run(on: HarmlessCache.Subject(kind), seed: 3).outcome
        if case .fail(let failure) = outcome { Issue.record("\(failure)") }
    }

    @Test func `claims say what is due, and the score stands beside their part`() throws {
        let report = ConformanceSuite.cache.run(on: HarmlessCache.Subject(.neverStores))
        #expect(report.score == 1)
        #expect(try #require(report.claimedFraction) < 0.8)
        let claims = try HarmlessCache.Subject(.oneSlot).claims()
        let copy = try JSONDecoder().decode(Claims.self, from: JSONEncoder().encode(claims))
        #expect(copy == claims)
        #expect(try JSONDecoder().decode(Claims.self, from: Data("{\"order\":\"lru\"}".utf8)) == Claims(order: "lru"))
    }
}
