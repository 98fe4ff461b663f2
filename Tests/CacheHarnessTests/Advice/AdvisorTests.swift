import CacheCore
import CachePolicies
import Testing

@testable import CacheHarness

@Suite("Advice is the least capacity and the best policy")
struct AdvisorTests {
    @Test(arguments: 1...8 as ClosedRange<UInt64>)
    func `a target: brute force over all capacities finds nothing better`(_ seed: UInt64) async throws {
        let trace = AdviceFixtures.trace(seed).sweepTrace
        let limit = TraceTotals(trace.columns).unlimited.hitRatio
        for share in [0.3, 0.7, 0.95, 1] {
            let order = try AdviceFixtures.order(.target(limit * share))
            let brute = try BruteForce(order, trace)
            let advice = try await AdviceFixtures.advise(order, trace)
            #expect(brute.problems(advice) == [], "seed \(seed), share \(share)")
            #expect(advice.outcome == .reached)
            #expect(advice.candidates.count == order.policies.count)
            // The runners-up that were looked at as closely need what brute force says, in that order.
            for candidate in advice.candidates.prefix(order.runnersUp + 1) {
                let index = try #require(order.policies.firstIndex { $0.text == candidate.selection })
                #expect(candidate.certainty == (["lru", "mru"].contains(candidate.policy) ? .pass : .exhaustive))
                #expect(
                    candidate.capacity
                        == brute.least(index, brute.totals.needed(for: limit * share, .hitRatio))?.capacity)
            }
            let prices = advice.candidates.prefix(order.runnersUp + 1).compactMap(\.price)
            #expect(prices == prices.sorted())
            try expectSoundBounds(advice, order)
        }
    }

    /// No bound is beaten by a candidate, and below the bound's capacity nobody reaches.
    private func expectSoundBounds(_ advice: Advice, _ order: AdviceOrder) throws {
        let choice = try #require(advice.choice)
        #expect(!advice.bounds.isEmpty)
        for bound in advice.bounds where bound.side != .below {
            for candidate in advice.candidates {
                let there = candidate.atChoicePrice?.ratio(order.metric) ?? 0
                #expect(bound.figures.ratio(order.metric) >= there - 1e-12)
            }
            if let least = bound.capacity, let capacity = choice.capacity { #expect(least <= capacity) }
        }
    }

    @Test(arguments: 1...5 as ClosedRange<UInt64>)
    func `a budget: brute force within it finds nothing better`(_ seed: UInt64) async throws {
        let trace = AdviceFixtures.trace(seed).sweepTrace
        for capacity in [1, 2, 7, 15, 24, 1000] {
            let order = try AdviceFixtures.order(.budget(.absolute(.objects(capacity))))
            let advice = try await AdviceFixtures.advise(order, trace)
            #expect(try BruteForce(order, trace).problems(advice) == [], "seed \(seed), budget \(capacity)")
            #expect(advice.outcome == .best && advice.budget == capacity)
            let values = advice.candidates.compactMap { $0.figures?.hits }
            #expect(values == values.sorted(by: >))
        }
    }

    @Test(arguments: 1...3 as ClosedRange<UInt64>)
    func `bytes and byte hits: brute force finds nothing better`(_ seed: UInt64) async throws {
        let trace = AdviceFixtures.trace(seed, hasSizes: true).sweepTrace
        let limit = TraceTotals(trace.columns).unlimited
        for metric in [AdviceQuestion.Metric.hitRatio, .byteHitRatio] {
            let target = AdviceOrder.Goal.target(0.8 * limit.ratio(metric))
            let orders = [
                try AdviceFixtures.order(target, metric: metric, unit: .bytes),
                try AdviceFixtures.order(target, metric: metric, unit: .objects),
                try AdviceFixtures.order(.budget(.absolute(.bytes(30))), metric: metric),
            ]
            for order in orders {
                let advice = try await AdviceFixtures.advise(order, trace)
                #expect(try BruteForce(order, trace).problems(advice) == [])
                try expectSoundBounds(advice, order)
            }
        }
    }

    @Test func `FIFO's anomaly: three objects hit more than four`() async throws {
        let ids: [ObjectID] = [1, 2, 3, 4, 1, 2, 5, 1, 2, 3, 4, 5].map { $0 - 1 }
        let trace = MemoryTrace(ids: ids).sweepTrace
        let order = try AdviceFixtures.order(.target(3.0 / 12), policies: ["fifo"])
        let brute = try BruteForce(order, trace)
        #expect(brute.values == [[0, 0, 3, 2, 7]])
        let advice = try await AdviceFixtures.advise(order, trace)
        #expect(advice.choice?.capacity == 3 && advice.choice?.certainty == .exhaustive)
        // Four objects are no better a budget than three.
        let budget = try AdviceFixtures.order(.budget(.absolute(.objects(4))), policies: ["fifo"])
        let best = try await AdviceFixtures.advise(budget, trace)
        #expect(best.choice?.capacity == 3 && best.choice?.figures?.hits == 3)
    }

    /// Runners-up are looked at more closely than the field, and one of them may turn out to be as cheap and to hit more: w-tinylfu
    /// was once advised above gdsf, which did better at the same capacity and was proven.
    @Test func `no runner-up takes as little as the choice and hits more`() async throws {
        for seed in 1...12 as ClosedRange<UInt64> {
            let trace = AdviceFixtures.trace(seed, requests: 1500, objects: 300, hasSizes: true).sweepTrace
            for share in [0.4, 0.6, 0.8] {
                let limit = TraceTotals(trace.columns).unlimited.hitRatio
                var order = try AdviceFixtures.order(
                    .target(limit * share), policies: ["random", "fifo", "w-tinylfu", "s3fifo", "gdsf", "lhd"],
                    unit: .bytes)
                // Enough to prove one candidate, not all.
                order.proofRequests = 1500 * 600
                order.bounds = AdviceBounds()
                let advice = try await AdviceFixtures.advise(order, trace)
                let choice = try #require(advice.choice)
                for rival in advice.candidates.dropFirst() where rival.price == choice.price {
                    #expect((rival.figures?.hits ?? 0) <= (choice.figures?.hits ?? 0), "seed \(seed), share \(share)")
                }
                let prices = advice.candidates.prefix(order.runnersUp + 1).compactMap(\.price)
                #expect(choice.price == prices.min(), "seed \(seed), share \(share)")
            }
        }
    }

    /// `advise --budget` once told of a choice that another policy beat at the same capacity, and figures of two capacities as of one.
    @Test func `within a budget that cannot be tried whole, nothing that is told beats the choice`() async throws {
        for seed in 1...12 as ClosedRange<UInt64> {
            let trace = AdviceFixtures.trace(seed, requests: 1500, objects: 300, hasSizes: true).sweepTrace
            for budget in [90, 300, 700] {
                var order = try AdviceFixtures.order(
                    .budget(.absolute(.bytes(budget))), policies: ["lru", "fifo", "lfu", "clock", "sieve"],
                    metric: .byteHitRatio)
                order.proofRequests = 0
                let advice = try await AdviceFixtures.advise(order, trace)
                let choice = try #require(advice.choice)
                let own = try #require(choice.figures?.bytesHit)
                #expect(choice.atChoicePrice?.bytesHit == own, "seed \(seed), budget \(budget)")
                for rival in advice.candidates.dropFirst() {
                    #expect((rival.atChoicePrice?.bytesHit ?? 0) <= own, "seed \(seed), budget \(budget)")
                    #expect((rival.figures?.bytesHit ?? 0) <= own, "seed \(seed), budget \(budget)")
                }
                #expect(advice.evidence?.rivals.allSatisfy { $0.lead >= 0 } == true)
                #expect(advice.evidence?.interval.low ?? 1 <= choice.figures?.byteHitRatio ?? 0)
            }
        }
    }

    /// The canary: an advisor that trusts hits to grow with the capacity is caught, and says itself that it did not look.
    @Test func `an advisor that only bisects is caught by brute force, and claims no proof`() async throws {
        var caught = 0
        for seed in 1...8 as ClosedRange<UInt64> {
            let trace = AdviceFixtures.trace(seed, requests: 1500, objects: 300).sweepTrace
            let limit = TraceTotals(trace.columns).unlimited.hitRatio
            for share in [0.5, 0.8] {
                var order = try AdviceFixtures.order(.target(limit * share), policies: ["random"])
                order.proofRequests = 0
                order.bounds = AdviceBounds()
                let brute = try BruteForce(order, trace)
                let advice = try await AdviceFixtures.advise(order, trace)
                let choice = try #require(advice.choice)
                let index = try #require(order.policies.firstIndex { $0.text == choice.selection })
                let needed = brute.totals.needed(for: limit * share, .hitRatio)
                // Even then, what it found reaches, one less does not, and what it calls proven is the least.
                let capacity = try #require(choice.capacity)
                #expect(brute.values[index][capacity - 1] >= needed)
                #expect(capacity == 1 || brute.values[index][capacity - 2] < needed)
                if choice.certainty == .exhaustive { #expect(brute.least(index, needed)?.capacity == capacity) }
                if !brute.problems(advice).isEmpty { caught += 1 }
            }
        }
        #expect(caught > 0, "no trace here tells bisection from an exhaustive search")
    }

    @Test func `a target above the unlimited cache is out of reach, and the answer says what is not`() async throws {
        let trace = AdviceFixtures.trace(3).sweepTrace
        let order = try AdviceFixtures.order(.target(0.999))
        let advice = try await AdviceFixtures.advise(order, trace)
        #expect(advice.outcome == .unreachable)
        #expect(advice.unlimited.hitRatio < 0.999)
        #expect(advice.choice?.figures == advice.unlimited)
        #expect(try BruteForce(order, trace).problems(advice) == [])
    }

    @Test func `a target that no candidate reaches`() async throws {
        // Half of all newcomers are refused: everything may fit, and still not everything gets in at once.
        let trace = AdviceFixtures.trace(3).sweepTrace
        let totals = TraceTotals(trace.columns)
        var order = try AdviceFixtures.order(.target(totals.unlimited.hitRatio), policies: ["lru"])
        let entry = try #require(BuiltinAdmissions.all.first { $0.descriptor.name == "probability" })
        order.admissions = [AdmissionSelection(entry, ParameterValues(defaults: entry.descriptor.parameters))]
        let advice = try await AdviceFixtures.advise(order, trace)
        #expect(advice.outcome == .notReached)
        #expect(advice.choice?.admission == "probability")
        let hits = try #require(advice.choice?.figures?.hits)
        #expect(hits > 0 && hits < totals.unlimited.hits)
    }

    @Test func `the answer does not depend on the number of workers`() async throws {
        let trace = AdviceFixtures.trace(5).sweepTrace
        for goal in [AdviceOrder.Goal.target(0.5), .budget(.absolute(.objects(9)))] {
            var order = try AdviceFixtures.order(goal)
            order.proofRequests = 2000
            let one = try await AdviceFixtures.advise(order, trace, workers: 1)
            let four = try await AdviceFixtures.advise(order, trace, workers: 4)
            #expect(one == four)
        }
    }

    @Test func `a run that is stopped gives no advice`() async throws {
        let monitor = ReplayMonitor()
        monitor.stop()
        let trace = AdviceFixtures.trace(1).sweepTrace
        for goal in [AdviceOrder.Goal.target(0.5), .budget(.absolute(.objects(9)))] {
            let order = try AdviceFixtures.order(goal)
            let advice = try await AdviceRun(order, traces: [trace], workers: 2, monitor: monitor).run()
            #expect(advice.map(\.outcome) == [.interrupted])
            #expect(advice[0].choice == nil)
        }
    }
}
