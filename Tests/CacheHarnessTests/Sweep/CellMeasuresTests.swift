import CacheCore
import CachePolicies
import Testing

@testable import CacheHarness

@Suite("What a cell counts: warm-up, windows, tenants, costs")
struct CellMeasuresTests {
    private static func request(_ warmUp: String? = nil, windows: String? = nil, byTenant: Bool = false)
        -> MeasureRequest
    {
        var request = MeasureRequest()
        if let warmUp { (request.warmUp, request.warmUpText) = (TraceExtent(parsing: warmUp), warmUp) }
        request.windows = windows.flatMap(TraceExtent.init(parsing:))
        request.byTenant = byTenant
        return request
    }

    private static func cells(
        _ trace: SweepTrace, _ request: MeasureRequest, policies: [String] = ["lru"], capacity: Capacity = .objects(20),
        costs: Bool = false
    ) async throws -> [CellResult] {
        let selections = try policies.map { name in
            let entry = try #require(BuiltinPolicies.all.first { $0.descriptor.name == name })
            return PolicySelection(entry, ParameterValues(defaults: entry.descriptor.parameters))
        }
        let block = SweepBlock(
            traces: [0], policies: selections, capacities: [.absolute(capacity)], backends: [nil],
            measures: [0: try request.resolved(on: trace)])
        let plan = SweepPlan(traces: [trace], blocks: [block], seed: 1)
        return await Sweep(plan, workers: 2, monitor: ReplayMonitor(), countsCosts: costs, repeats: true) { cell, _ in
            cell.blank
        }.run { _, _ in }
    }

    @Test func `a warm-up is so many requests, a share of them or a time of the trace`() throws {
        let trace = PartTrace.skewed().sweepTrace
        for (text, first) in [
            ("500", 500), ("10%", 300), ("0.1%", 3), ("10s", 10), ("1min", 60), ("0.5h", 1800), ("1500ms", 2), ("0", 0),
            ("0%", 0), ("1m", 60), ("0.1", 300), ("0.29", 870),
        ] {
            #expect(try Self.request(text).resolved(on: trace).first == first, "\(text)")
        }
        // 29 % of 100 is 29, though the nearest floating-point numbers multiply to a little less.
        #expect(
            try Self.request("29%").resolved(on: PartTrace(ids: (0..<100).map { $0 % 7 }).sweepTrace).first == 29)
        for text in ["-1", "101%", "x", "", "5 s", "0s", "1e3", "1w", "%", "1.5", ".", "nan%", "500000d"] {
            #expect(TraceExtent(parsing: text) == nil, "\(text)")
        }
    }

    @Test func `a warm-up that leaves nothing to count is refused, as is a time without times`() throws {
        let trace = PartTrace.skewed().sweepTrace
        for text in ["3000", "4000", "100%", "1h", "50min", "100000d"] {
            let error = #expect(throws: AssayError.self, "\(text)") { try Self.request(text).resolved(on: trace) }
            #expect(error?.code == .usage && error?.message.contains("nothing") == true)
        }
        let plain = PartTrace(ids: [1, 2, 3]).sweepTrace
        for request in [Self.request("1s"), Self.request(windows: "1s")] {
            let error = #expect(throws: AssayError.self) { try request.resolved(on: plain) }
            #expect(error?.message.contains("states no times") == true)
        }
        let tenants = #expect(throws: AssayError.self) { try Self.request(byTenant: true).resolved(on: plain) }
        #expect(tenants?.message.contains("tenant=2") == true)
        // Only writes are left, and reads are counted.
        let written = MemoryTrace(ids: [1, 1, 1], operations: [.read, .write, .write]).sweepTrace
        #expect(throws: AssayError.self) { try Self.request("1").resolved(on: written) }
        #expect(try Self.request("1").resolved(on: written, rules: ReplayRules(counted: .all)).first == 1)
    }

    @Test func `windows are of equal requests or of equal time, and too many are refused`() throws {
        let trace = PartTrace.skewed().sweepTrace
        let equal = try Self.request("1000", windows: "3").resolved(on: trace)
        #expect(equal.windows == [1000, 1666, 2333] && equal.windowSeconds == [1000, 1666, 2333])
        let timed = try Self.request("10s", windows: "1000s").resolved(on: trace)
        #expect(timed.windows == [10, 1010, 2010] && timed.windowSeconds == [10, 1010, 2010])
        #expect(throws: AssayError.self) { try Self.request("2990", windows: "11").resolved(on: trace) }
        #expect(throws: AssayError.self) { try Self.request(windows: "0").resolved(on: trace) }
        #expect(throws: AssayError.self) { try Self.request(windows: "10%").resolved(on: trace) }
        // Gaps are windows too, and what is early belongs to the window of what was before it.
        let gaps = PartTrace(ids: [1, 2, 3, 4, 5], times: [-100, -75, -95, 0, 1]).sweepTrace
        let found = try Self.request(windows: "20ns").resolved(on: gaps)
        #expect(found.windows == [0, 1, 3, 3, 3, 3])
        #expect(found.notes.first?.hasPrefix("Requests of the trace that are earlier than one before them: 1.") == true)
        #expect(try Self.request("1", windows: "2").resolved(on: gaps).notes.isEmpty)
        #expect(found.windowSeconds.map { ($0 * 1e9).rounded() } == [0, 20, 40, 60, 80, 100])
        let far = PartTrace(ids: [1, 2, 3], times: [.min, 0, .max]).sweepTrace
        let error = #expect(throws: AssayError.self) { try Self.request(windows: "1s").resolved(on: far) }
        #expect(error?.message.contains("Give a longer time") == true)
        #expect(try Self.request(windows: "100000d").resolved(on: far).windows == [0, 1, 2])
    }

    @Test func `windows and tenants are what a naive model counts, and sum to the whole`() async throws {
        let trace = PartTrace.skewed()
        let hits = trace.naiveLRU(20)
        let cell = try #require(
            try await Self.cells(trace.sweepTrace, Self.request("10%", windows: "7", byTenant: true)).first)
        let (counts, windows) = (try #require(cell.counts), try #require(cell.windows))
        #expect(cell.warmUp == CellWarmUp(requested: "10%", requests: 300))
        #expect(counts.requests == 2700 && counts.hits == hits[300...].count { $0 })
        #expect(windows.count == 7)
        for (index, window) in windows.enumerated() {
            let range = window.first..<(index + 1 < 7 ? windows[index + 1].first : 3000)
            #expect(window.counts.requests == range.count && window.counts.hits == range.count { hits[$0] })
            #expect(window.counts.bytesRequested == range.reduce(0) { $0 + Int(trace.sizes[$1]) })
            #expect(window.counts.bytesHit == range.reduce(0) { $0 + (hits[$1] ? Int(trace.sizes[$1]) : 0) })
            #expect(window.startSeconds == Double(window.first))
        }
        let tenants = try #require(cell.tenants)
        #expect(Set(tenants.map(\.tenant)) == ["red", "green", "blue"])
        #expect(tenants.map(\.counts.requests) == tenants.map(\.counts.requests).sorted(by: >))
        for tenant in tenants {
            let number = try #require(["red", "green", "blue"].firstIndex(of: tenant.tenant))
            let mine = (300..<3000).filter { Int(trace.tenants[$0]) == number }
            #expect(tenant.counts.requests == mine.count && tenant.counts.hits == mine.count { hits[$0] })
            #expect(tenant.counts.bytesHit == mine.reduce(0) { $0 + (hits[$1] ? Int(trace.sizes[$1]) : 0) })
        }
        for parts in [windows.map(\.counts), tenants.map(\.counts)] {
            let sum = parts.reduce(into: PartCounts()) { $0 += $1 }
            #expect(sum == PartCounts(from: ReplayCounts(), to: counts))
        }
    }

    @Test(arguments: ["lru", "fifo", "sieve", "s3fifo", "arc", "lfu", "belady", "w-tinylfu", "slru", "random"])
    func `request by request counts what a policy's own loop counts, in every part`(_ policy: String) async throws {
        for capacity in [Capacity.objects(20), .bytes(500)] {
            let (plain, costly) = (PartTrace.skewed().sweepTrace, PartTrace.skewed(withCosts: true).sweepTrace)
            let request = Self.request("700", windows: "9")
            let fast = try await Self.cells(plain, request, policies: [policy], capacity: capacity)[0]
            let stepped = try await Self.cells(costly, request, policies: [policy], capacity: capacity, costs: true)[0]
            #expect(fast.notes == nil && stepped.notes == [CellResult.steppedNote])
            var counts = try #require(stepped.counts)
            #expect(counts.costRequested != nil)
            (counts.costRequested, counts.costMissed) = (nil, nil)
            #expect(counts == fast.counts, "\(capacity)")
            #expect(stepped.windows == fast.windows, "\(capacity)")
        }
    }

    @Test(arguments: ["lru", "s3fifo", "slru", "lirs", "gdsf"])
    func `a live run after a warm-up counts what a replay counts, also where the trace writes`(_ name: String) throws {
        let policy = try #require(BuiltinPolicies.all.first { $0.descriptor.name == name })
        let backend = BackendEntry(SpoiledBackend.self)
        for trace in [MemoryTrace.skewed(requests: 1500, keepingSizes: true), .withOperations(readsChange: false)] {
            for capacity in [Capacity.objects(10), .bytes(500)] {
                let configuration = PolicyConfiguration(
                    capacity: capacity, objects: trace.columns.objects,
                    parameters: ParameterValues(defaults: policy.descriptor.parameters))
                let parts = ReplayParts(warmUpRequests: 400)
                let whole = try #require(try policy.simulate(trace.columns, configuration, parts: parts))
                var load = BenchLoad()
                load.warmUp = .requests(400)
                load.requests = 1100
                let live = LiveRun(
                    .init(
                        policy: policy, configuration: configuration, backend: backend,
                        backendParameters: ParameterValues(defaults: backend.descriptor.parameters)),
                    columns: trace.columns, keys: trace.keys, valueBytes: nil, load: load)
                let counts = try live.withCache("unused") { (cache, driver) throws(AssayError) in
                    var bench = BenchTiming()
                    return try live.throughput(cache, driver, &bench).counts
                }
                #expect(counts == parts.counted(whole), "\(capacity)")
            }
        }
    }

    @Test func `costs are those after the warm-up, by hand`() async throws {
        // LRU of 2 objects: a and b miss, a hits, c misses and evicts b, b misses and evicts a, c hits.
        let trace = PartTrace(ids: [0, 1, 0, 2, 1, 2], costs: [1, 2, 4, 8, 16, 32])
        for (warmUp, requested, missed) in [("0", 63.0, 27.0), ("1", 62, 26), ("3", 56, 24), ("5", 32, 0)] {
            let cell = try await Self.cells(
                trace.sweepTrace, Self.request(warmUp), capacity: .objects(2), costs: true)[0]
            #expect(cell.counts?.costRequested == requested && cell.counts?.costMissed == missed, "after \(warmUp)")
            #expect(cell.counts?.costHitRatio == 1 - missed / requested)
        }
    }

    @Test func `a bound has no parts, and says so`() async throws {
        let trace = PartTrace.skewed().sweepTrace
        for request in [Self.request("10"), Self.request(windows: "3"), Self.request(byTenant: true)] {
            let cell = try await Self.cells(trace, request, policies: ["pfoo-l"])[0]
            #expect(cell.failure?.kind == .notApplicable)
            #expect(cell.failure?.message.contains("no warm-up, windows or tenants") == true)
        }
    }

    @Test func `cells with different warm-ups are different combinations, and one written otherwise is the same`()
        throws
    {
        let trace = PartTrace.skewed().sweepTrace
        let entry = try #require(BuiltinPolicies.all.first { $0.descriptor.name == "lru" })
        let lru = PolicySelection(entry, ParameterValues(defaults: entry.descriptor.parameters))
        func block(_ warmUp: String?) throws -> SweepBlock {
            SweepBlock(
                traces: [0], policies: [lru], capacities: [.absolute(.objects(9))], backends: [nil],
                measures: [0: try Self.request(warmUp).resolved(on: trace)])
        }
        let plan = SweepPlan(
            traces: [trace], blocks: [try block(nil), try block("300"), try block("10%"), try block("0")], seed: 1)
        #expect(plan.cells.map(\.blank.warmUp?.requests) == [nil, 300])
        #expect(plan.cells[0].blank.identity == "parts | lru |  | always | simulation | 9 | objects")
        #expect(plan.cells[1].blank.identity == "parts | lru |  | always | simulation | 9 | objects after 300 requests")
    }

    @Test func `tenants beyond the thousandth are counted together`() async throws {
        let count = 1200
        let ids = (0..<6000).map { ObjectID($0 % 40) }
        let trace = PartTrace(
            ids: ids, tenants: ids.indices.map { UInt16($0 % count) }, names: (0..<count).map { "tenant \($0)" })
        let cell = try await Self.cells(trace.sweepTrace, Self.request(byTenant: true))[0]
        let tenants = try #require(cell.tenants)
        #expect(tenants.count == 1001 && tenants[1000].others == 200)
        #expect(tenants.reduce(0) { $0 + $1.counts.requests } == 6000)
    }
}
