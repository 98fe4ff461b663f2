import CacheCore
import CachePolicies
import Testing

@testable import CacheHarness

@Suite("Advice: prices, evidence and refusals")
struct AdviceRunTests {
    @Test func `both ways between capacity and price agree`() throws {
        var order = try AdviceFixtures.order(.target(0.5), policies: ["lru", "s3fifo", "w-tinylfu"])
        let trace = AdviceFixtures.trace(1).sweepTrace.description
        for (objectBytes, countsMemory) in [(nil, false), (nil, true), (100, false), (100, true), (4096, true)] {
            order.objectBytes = objectBytes
            order.countsPolicyMemory = countsMemory
            for player in order.players {
                let price = try #require(AdvicePrice(player, order, trace))
                for capacity in [1, 2, 3, 10, 999, 123_456_789] {
                    #expect(price.capacity(within: price.amount(capacity)) == capacity)
                    #expect(price.capacity(within: price.amount(capacity) - 1) == capacity - 1)
                    #expect(price.amount(capacity) >= capacity * (objectBytes ?? 1))
                }
            }
        }
    }

    @Test func `bookkeeping counts against a budget, and a policy that does not state it stands aside`() async throws {
        let trace = AdviceFixtures.trace(2).sweepTrace
        var order = try AdviceFixtures.order(.budget(.absolute(.bytes(15_000))), policies: ["lru", "fifo"])
        order.objectBytes = 1000
        let plain = try await AdviceFixtures.advise(order, trace)
        #expect(plain.candidates.allSatisfy { ($0.capacity ?? 0) <= 15 })
        #expect(plain.priceUnit == .bytes && plain.capacityUnit == .objects)
        #expect(plain.choice?.price == plain.choice?.capacity.map { $0 * 1000 })
        order.countsPolicyMemory = true
        let charged = try await AdviceFixtures.advise(order, trace)
        let (cheap, dear) = (try #require(plain.choice?.capacity), try #require(charged.choice?.capacity))
        #expect(dear < cheap)
        #expect(try #require(charged.choice?.price) <= 15_000)
        order.goal = .budget(.absolute(.bytes(1001)))
        let none = try await AdviceFixtures.advise(order, trace)
        #expect(none.outcome == .nothing && none.candidates.allSatisfy { $0.failure != nil })
        order.goal = .budget(.absolute(.bytes(15_000)))
        let entry = try #require(BuiltinAdmissions.all.first { $0.descriptor.name == "second-hit" })
        order.admissions = [nil, AdmissionSelection(entry, ParameterValues(defaults: entry.descriptor.parameters))]
        let mixed = try await AdviceFixtures.advise(order, trace)
        #expect(mixed.candidates.count { $0.failure?.kind == .notApplicable } == 2)
    }

    @Test func `a byte hit ratio of a trace whose sizes are all 0 is refused, and its hit ratio is not`() async throws {
        let trace = MemoryTrace(ids: [0, 1, 0, 1], sizes: [0, 0, 0, 0]).sweepTrace
        var order = try AdviceFixtures.order(.target(0.5), policies: ["lru"])
        let plain = try await AdviceFixtures.advise(order, trace)
        #expect(plain.outcome == .reached)
        order.metric = .byteHitRatio
        let error = await #expect(throws: AssayError.self) { try await AdviceFixtures.advise(order, trace) }
        #expect(error?.code == .usage && error?.message.contains("no byte hit ratio") == true)
    }

    @Test func `a policy without a meaning in bytes stands aside with its reason`() async throws {
        let trace = AdviceFixtures.trace(2, hasSizes: true).sweepTrace
        let order = try AdviceFixtures.order(.budget(.absolute(.bytes(40))), policies: ["lru", "cacheus"])
        let advice = try await AdviceFixtures.advise(order, trace)
        #expect(advice.choice?.policy == "lru")
        #expect(advice.candidates.last?.failure?.kind == .notApplicable)
    }

    @Test func `steps rise with LRU's capacity and hold the choice`() async throws {
        let trace = AdviceFixtures.trace(4).sweepTrace
        let order = try AdviceFixtures.order(.target(0.5), policies: ["lru"])
        let advice = try await AdviceFixtures.advise(order, trace)
        let capacities = advice.steps.map(\.capacity)
        #expect(capacities == capacities.sorted() && capacities.contains(advice.choice?.capacity ?? 0))
        let hits = advice.steps.map(\.figures.hits)
        #expect(hits == hits.sorted() && advice.steps.count > 3)
        #expect(advice.evidence?.verdict == .alone)
    }

    @Test func `windows add up to the replay, with and without a filter`() throws {
        let trace = AdviceFixtures.trace(6, requests: 1003, hasSizes: true)
        let entry = try #require(BuiltinAdmissions.all.first { $0.descriptor.name == "tinylfu" })
        let filter = AdmissionSelection(entry, ParameterValues(defaults: entry.descriptor.parameters))
        for admission in [nil, filter] {
            for policy in ["lru", "s3fifo", "random", "clock"] {
                for capacity in [Capacity.objects(7), .bytes(25)] {
                    let player = AdviceCandidateReplay(
                        policy: try AdviceFixtures.selection(policy), admission: admission)
                    let replay = WindowedReplay(columns: trace.columns, count: 20, seed: 3, monitor: ReplayMonitor())
                    let windows = try #require(try replay.windows(player, capacity))
                    var configuration = PolicyConfiguration(
                        capacity: capacity, objects: trace.columns.objects, parameters: player.policy.parameters,
                        seed: 3)
                    configuration.admission = admission
                    let counts = try #require(try player.policy.entry.simulate(trace.columns, configuration))
                    #expect(windows.count == 20)
                    #expect(windows.reduce(0) { $0 + $1.requests } == counts.requests)
                    #expect(windows.reduce(0) { $0 + $1.hits } == counts.hits)
                    #expect(windows.reduce(0) { $0 + $1.bytesHit } == counts.bytesHit)
                    #expect(windows.reduce(0) { $0 + $1.bytesRequested } == counts.bytesRequested)
                }
            }
        }
    }

    @Test func `an interval holds what does not vary, and spans what does`() {
        let bootstrap = WindowBootstrap(count: 20, seed: 1)
        let tens = Array(repeating: 10, count: 20)
        #expect(bootstrap.interval(tens.map { $0 / 2 }, over: tens) == AdviceInterval(low: 0.5, high: 0.5))
        let tosses = (0..<20).map { $0 % 2 * 10 }
        let mixed = bootstrap.interval(tosses, over: tens)
        // Twenty tosses of a fair coin: the mean lies within 0.3 and 0.7 in 96 of 100 cases.
        #expect((0.25...0.35).contains(mixed.low) && (0.65...0.75).contains(mixed.high))
        #expect(mixed == WindowBootstrap(count: 20, seed: 1).interval(tosses, over: tens))
    }

    @Test func `a lead in every window is firm, and a tie is open`() async throws {
        // A loop one object longer than the cache: LRU never hits, MRU nearly always.
        let loop = MemoryTrace(ids: (0..<4000).map { ObjectID($0 % 10) }).sweepTrace
        let firm = try await AdviceFixtures.advise(
            try AdviceFixtures.order(.budget(.absolute(.objects(9))), policies: ["lru", "mru", "fifo"]), loop)
        #expect(firm.choice?.policy == "mru" && firm.evidence?.verdict == .firm)
        #expect(firm.evidence?.rivals.allSatisfy { $0.windowsAhead == 20 && $0.interval.low > 0.8 } == true)
        let tie = try await AdviceFixtures.advise(
            try AdviceFixtures.order(.budget(.absolute(.objects(9))), policies: ["lru", "fifo"]), loop)
        #expect(tie.outcome == .nothing && tie.choice == nil)
        let open = try await AdviceFixtures.advise(
            try AdviceFixtures.order(.budget(.absolute(.objects(10))), policies: ["lru", "fifo"]), loop)
        #expect(open.choice?.policy == "lru" && open.evidence?.verdict == .open)
    }

    @Test func `a random choice is tried with other seeds, a plain one is not`() async throws {
        let trace = AdviceFixtures.trace(7, requests: 1000).sweepTrace
        let random = try await AdviceFixtures.advise(
            try AdviceFixtures.order(.target(0.5), policies: ["random"]), trace)
        #expect(random.evidence?.seeds.map(\.seed) == [2, 3, 4, 5])
        #expect(random.evidence?.seeds.allSatisfy { $0.reaches == ($0.ratio >= 0.5) } == true)
        let plain = try await AdviceFixtures.advise(try AdviceFixtures.order(.target(0.5), policies: ["lru"]), trace)
        #expect(plain.evidence?.seeds == [])
    }

    @Test func `a long trace begins at its sample's guess and ends at the same answer`() async throws {
        let trace = AdviceFixtures.trace(9, requests: 600_000, objects: 20_000).sweepTrace
        var order = try AdviceFixtures.order(.target(0.5), policies: ["lru"])
        order.bounds = AdviceBounds()
        let advisor = Advisor(order, trace, workers: 2, monitor: ReplayMonitor()) { _ in }
        let guess = try #require(await advisor.guesses(0.5).last)
        let exact = try #require(
            StackPass.curve(.leastRecentlyUsed, trace.columns).map { curve in
                (1...20_000).first { curve.hits(at: $0).hits >= 300_000 }
            } ?? nil)
        #expect(abs(Double(guess) / Double(exact) - 1) < 0.2)
    }

    @Test func `what cannot be asked is refused with the remedy`() throws {
        let trace = AdviceFixtures.trace(1, hasSizes: true).sweepTrace
        func refusal(_ order: AdviceOrder) -> String? {
            let error = #expect(throws: AssayError.self) {
                try AdviceRun(order, traces: [trace], workers: 1, monitor: ReplayMonitor())
            }
            #expect(error?.code == .usage)
            return error?.message
        }
        #expect(refusal(try AdviceFixtures.order(.target(1.5)))?.contains("0.9") == true)
        #expect(refusal(try AdviceFixtures.order(.target(0.5), policies: ["belady"]))?.contains("future") == true)
        #expect(refusal(try AdviceFixtures.order(.target(0.5), policies: ["infinite"]))?.contains("everything") == true)
        var small = try AdviceFixtures.order(.budget(.absolute(.bytes(99))))
        small.objectBytes = 100
        #expect(refusal(small)?.contains("100 bytes") == true)
    }
}
