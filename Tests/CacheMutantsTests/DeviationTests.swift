import CacheConformance
import CacheCore
import Testing

/// A documented deviation fails no check once it is stated, some check without, and hides no bug.
@Suite("Documented deviations")
struct DeviationTests {
    /// A deviation with the checks that fail where it is not stated.
    struct Case: CustomTestStringConvertible, Sendable {
        var cache: DeviatingCache
        var failing: [String]
        /// A bug that the deviation must not hide, and the check that finds it.
        var bug = "M1"
        var finder = "BAS-11"
        var testDescription: String {
            (cache.deviations.map(\.rawValue).sorted() + [cache.limits == .init() ? "" : "limits"]).joined(
                separator: " ")
        }

        init(
            _ deviations: Set<Deviation>, _ failing: [String], limits: Claims.Limits = .init(),
            without features: Set<Claims.Feature> = [], with more: Set<Claims.Feature> = [],
            hiding bug: String = "M1", from finder: String = "BAS-11"
        ) {
            cache = DeviatingCache(deviations: deviations, limits: limits)
            cache.features = cache.features.subtracting(features).union(more)
            self.failing = failing
            (self.bug, self.finder) = (bug, finder)
        }
    }

    private static func limits(_ change: (inout Claims.Limits) -> Void) -> Claims.Limits {
        var limits = Claims.Limits()
        change(&limits)
        return limits
    }

    static let cases: [Case] = [
        Case([.liveAtDeadline], ["TTL-2", "TTL-3", "TTL-12", "BAS-11"], hiding: "M13"),
        Case(
            [.oneTimeToLive], ["TTL-2", "TTL-3"], without: [.putIfAbsent, .replace, .compareAndSet, .bulkPut, .update],
            hiding: "M19", from: "TTL-2"),
        Case([.zeroTimeToLiveIsForever], ["TTL-9", "BAS-11"]),
        Case([.negativeTimeToLiveIsForever], ["TTL-9"]),
        Case([.countsExpired], ["TTL-21", "EVT-3", "BAS-11"]),
        Case([.removesExpired], ["TTL-2", "TTL-12", "BAS-11"]),
        Case([.countsExpired, .removesExpired, .neverSweeps], ["TTL-21", "BAS-13"]),
        Case([.sharedClock], ["LIF-9"]),
        Case([.dropsOversized], ["CAP-8", "VAL-9", "EVT-5"], hiding: "M45", from: "CAP-8"),
        Case([.refusedPutKeepsOld], ["CAP-8"]),
        Case([.dropsOversized, .refusedPutKeepsOld], ["CAP-8"], hiding: "M41", from: "CAP-6"),
        Case([.refusesWhenFull], ["CAP-11", "BAS-13"]),
        Case([.refusesZeroCost], ["BAS-11", "CAP-17"]),
        Case([.zeroCapacityIsUnlimited], ["CAP-5"], hiding: "M38", from: "CAP-1"),
        Case([.limitsAreNotEnforced], ["KEY-2", "VAL-9"]),
        Case([.keysArePrintable], ["KEY-3", "KEY-5", "KEY-6", "BAS-11"]),
        Case([.removeTellsNothing], ["BAS-5", "BAS-11", "BAS-13"]),
        Case([.containsIsGet], ["POL-5", "STA-2", "STA-8"], hiding: "N-POL-2", from: "POL-2"),
        Case([.cannotList], ["BAS-11", "ITR-1"]),
        Case([.countsRepeatedKeysOnce], ["STA-5"], hiding: "M66", from: "STA-2"),
        Case([.loadersMayNotUseTheCache], ["BAS-11", "LDR-11", "LDR-12"], hiding: "N-LDR-1", from: "LDR-1"),
        Case([.loadersMayNotUseTheirKey], ["BAS-11", "LDR-11"], hiding: "N-LDR-1", from: "LDR-1"),
        Case([.updateCountsAsLoad], ["STA-2"], hiding: "M66", from: "STA-2"),
        Case([.conditionsCountAsReads], ["STA-2", "STA-8"], hiding: "M66", from: "STA-2"),
        Case([.expirationsCountAsEvictions], ["STA-4"], hiding: "M66", from: "STA-2"),
        Case([.emptyLoadsAreFailures], ["LDR-19"], hiding: "M60", from: "LDR-6"),
        Case([.replacementsAreNotTold], ["EVT-1", "EVT-2", "EVT-4"], hiding: "M64", from: "EVT-2"),
        Case([.removalsAreNotTold], ["EVT-1", "EVT-2", "EVT-4"], hiding: "M64", from: "EVT-2"),
        Case([.clearsAreNotTold], ["EVT-1", "EVT-4"], hiding: "M64", from: "EVT-2"),
        Case([.expirationsAreNotTold], ["EVT-2", "EVT-3"], hiding: "M64", from: "EVT-2"),
        Case([.evictionsAreNotTold], ["EVT-2"], hiding: "N-LDR-1", from: "LDR-1"),
        Case([.lowerTierCannotFail], ["TIR-7"], with: [.tiers], hiding: "M87", from: "TIR-2"),
        // golang-lru's simplelru: of two equal values under a key the first is replaced, and the second has to be told.
        Case([.noCauses, .replacementsAreNotTold], ["EVT-1", "EVT-4"], hiding: "M64", from: "EVT-2"),
        Case([.noCauses], ["EVT-1", "EVT-3"], hiding: "M64", from: "EVT-2"),
        Case([.noValues], ["EVT-1", "EVT-3"], hiding: "M64", from: "EVT-2"),
        Case([.listenersMayNotUseTheCache], ["EVT-7"]),
        Case([.collisionsLoseEntries], ["KEY-7"], with: [.collide], hiding: "N-KEY-7", from: "KEY-7"),
        Case([.clearResetsCounters], ["STA-6", "STA-8"], hiding: "M66", from: "STA-2"),
        Case([], ["CAP-5"], limits: limits { $0.capacityMax = 1 << 20 }, hiding: "M38", from: "CAP-1"),
        Case([], ["CAP-9"], limits: limits { $0.costMax = 1 << 32 }, hiding: "M41", from: "CAP-6"),
        Case([], ["BAS-11"], limits: limits { $0.entryBytesMax = 300 }),
        Case([], ["TTL-3"], limits: limits { $0.clockStepNanoseconds = 1_000 }, hiding: "M13"),
        Case(
            [], ["TTL-10", "TTL-25"], limits: limits { $0.timeToLiveMaxNanoseconds = 1 << 50 }, hiding: "N-TTL-1",
            from: "TTL-1"),
        Case(
            [], ["TTL-10"], limits: limits { $0.clockMaxNanoseconds = 1 << 52 }, without: [.remainingTime],
            hiding: "N-TTL-1", from: "TTL-1"),
        Case(
            [.liveAtDeadline], ["TTL-3"], limits: limits { $0.clockStepNanoseconds = 1_000_000_000 },
            hiding: "M13"),
    ]

    private static func run(_ cache: DeviatingCache, _ id: String) throws -> CheckOutcome {
        try #require(ConformanceSuite.cache.check(id)).run(on: cache.alone, seed: 3).outcome
    }

    @Test(arguments: cases)
    func `a deviation that is stated fails no check, and without being stated it fails those that it is about`(
        each: Case
    ) throws {
        var silent = each.cache
        silent.isStated = false
        for id in each.failing {
            #expect(try Self.run(silent, id).isNegative, "\(id) does not notice it")
        }
        for id in Set(each.failing + ["BAS-11", "BAS-12", each.finder]) {
            let outcome = try Self.run(each.cache, id)
            #expect(["pass", "not claimed"].contains(outcome.name), "\(id): \(outcome.name) \(outcome.detail ?? "")")
        }
    }

    /// A cache that drops what is too heavy, as Caffeine's does, failed CAP-8, and nothing said that this can be stated.
    @Test(arguments: [
        (Deviation.dropsOversized, "CAP-8"), (.liveAtDeadline, "TTL-2"), (.refusesZeroCost, "CAP-17"),
        (.removeTellsNothing, "BAS-5"), (.emptyLoadsAreFailures, "LDR-19"), (.evictionsAreNotTold, "EVT-2"),
        (.refusesWhenFull, "CAP-1"),
    ])
    func `a failure names the deviation that would explain it, and a bug none`(deviation: Deviation, id: String) throws
    {
        func named(_ cache: DeviatingCache, _ id: String) throws -> [String] {
            let result = try #require(ConformanceSuite.cache.check(id)).run(on: cache.alone, seed: 3)
            return try #require(result.failure).steps.filter { $0.contains("the deviation '") }
        }
        let silent = DeviatingCache(deviations: [deviation], isStated: false)
        #expect(try named(silent, id).contains { $0.contains("'\(deviation.rawValue)'") })
        #expect(try named(DeviatingCache(bug: "M1"), "BAS-11") == [])
    }

    /// A cache that was said to hold entries at their deadlines failed for letting them go, beneath the word that this is documented.
    @Test func `a failure names the deviation that is stated and not there`() throws {
        var subject = FrontedSubject { $1.perform($0) }
        subject.change = { $0.deviations = [.liveAtDeadline, .clearResetsCounters] }
        let result = try #require(ConformanceSuite.cache.check("TTL-3")).run(on: subject, seed: 3)
        let hints = try #require(result.failure).steps.filter { $0.contains("the deviation '") }
        #expect(hints == ["It would not fail without the deviation 'liveAtDeadline', which is stated"])
    }

    @Test(arguments: cases)
    func `a bug behind a stated deviation is noticed`(each: Case) throws {
        var cache = each.cache
        cache.bug = each.bug
        #expect(try Self.run(cache, each.finder).isNegative, "\(each.finder) does not find \(each.bug)")
    }

    /// A cache that counts each look is counted right by many threads, and one that cannot list what it has is not asked to.
    @Test func `threads ask nothing that a deviation rules out`() throws {
        for (deviation, id) in [(Deviation.containsIsGet, "STA-3"), (.cannotList, "LIN-9"), (.cannotList, "LIN-16")] {
            let outcome = try Self.run(DeviatingCache(deviations: [deviation], isConcurrent: true), id)
            #expect(["pass", "not claimed"].contains(outcome.name), "\(id): \(outcome.name) \(outcome.detail ?? "")")
        }
    }

    /// What is not a program is asked in the same way: times of one opening, of two moments a nanosecond, and untold removals.
    @Test(arguments: ["TTL-21", "EVT-9", "LIN-5", "LIN-18"])
    func `clients and large numbers of entries are asked as the deviations allow`(id: String) throws {
        for deviations: Set<Deviation> in [[.oneTimeToLive, .removeTellsNothing], [.liveAtDeadline]] {
            var cache = DeviatingCache(deviations: deviations, isConcurrent: true)
            cache.features.subtract([.putIfAbsent, .replace, .compareAndSet, .bulkPut, .update])
            let outcome = try Self.run(cache, id)
            #expect(outcome.name == "pass", "\(id): \(outcome.name) \(outcome.detail ?? "")")
        }
    }

    /// A cache that does not say whether it removed something was held to evict one entry fewer than it must (repoze.lru).
    @Test(arguments: 1...12 as ClosedRange<UInt64>) func `what nobody told of is not counted`(seed: UInt64) throws {
        var subject = FrontedSubject { operation, cache in
            let answer = cache.perform(operation)
            if case .remove = operation { return .done }
            if case .removeMany = operation { return .done }
            return answer
        }
        subject.change = { ($0.deviations, $0.order) = ([.removeTellsNothing], nil) }
        #expect(try #require(ConformanceSuite.cache.check("STA-8")).run(on: subject, seed: seed).outcome == .pass)
    }

    /// The protocol has the word `full`, and a cache full of pinned entries failed by it.
    @Test func `a cache full of pinned entries may say that it is full`() throws {
        let subject = FrontedSubject { operation, cache in
            let answer = cache.perform(operation)
            guard case .failure(let error) = answer, error.code == .valueRefused else { return answer }
            return .failure(StoreError(.full, "all is pinned"))
        }
        #expect(try #require(ConformanceSuite.cache.check("CAP-12")).run(on: subject, seed: 1).outcome == .pass)
    }

    @Test func `what is documented is not held against a cache whose writers wait for loads`() throws {
        var cache = DeviatingCache(
            deviations: [.putsWaitForLoads], isStated: false, bug: "N-LDR-18", isConcurrent: true)
        #expect(try Self.run(cache, "LDR-18").isNegative)
        cache.isStated = true
        #expect(try Self.run(cache, "LDR-18") == .notClaimed(["by the deviation putsWaitForLoads"]))
    }

    @Test func `a report has the deviations and the numbers that were stated`() {
        var cache = DeviatingCache(deviations: [.liveAtDeadline, .cannotList])
        cache.limits.capacityMax = 1 << 20
        let suite = ConformanceSuite(name: "one", checks: ConformanceSuite.cache.checks.filter { $0.id == "BAS-1" })
        #expect(
            suite.run(on: cache).deviations?.map(\.name) == ["cannotList", "liveAtDeadline", "capacityMax 1048576"])
        #expect(suite.run(on: DeviatingCache()).deviations == nil)
    }
}
