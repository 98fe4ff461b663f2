import CacheCore
import CachePolicies
import Testing

@testable import CacheHarness

@Suite("Traces with operations: replays do what live caches do, request for request")
struct ObeyedTraceTests {
    private static let withoutFuture = BuiltinPolicies.all.filter { !$0.needsFuture }

    private static func configuration(
        _ policy: PolicyEntry, _ columns: RequestColumns, _ capacity: Capacity, _ text: String = ""
    ) throws -> PolicyConfiguration {
        PolicyConfiguration(
            capacity: capacity, objects: columns.objects,
            parameters: try ParameterValues(
                parsing: text, for: policy.descriptor.parameters, of: policy.descriptor.name))
    }

    @Test(arguments: withoutFuture.map(\.descriptor.name), [ReplayRules.MissedRead.fill, .nothing])
    func `every policy answers each request as it does in a live cache`(
        _ name: String, _ onMiss: ReplayRules.MissedRead
    ) throws {
        let policy = try #require(BuiltinPolicies.all.first { $0.descriptor.name == name })
        for capacity in [Capacity.objects(10), .bytes(500)] where policy.isApplicable(to: capacity.unit) {
            guard !policy.descriptor.isUnbounded || capacity.unit == .objects else { continue }
            let trace = MemoryTrace.withOperations(readsChange: onMiss == .fill)
            // LHD's list of admissions names objects that have left, by ids which a live cache gives to others meanwhile.
            var configuration = try Self.configuration(
                policy, trace.columns, capacity, name == "lhd" ? "admissions=0" : "")
            configuration.rules.onMiss = onMiss
            let replay = try SteppedReplay(policy, trace.columns, configuration)
            var load = BenchLoad()
            load.onMiss = onMiss
            let entry = BackendEntry(SpoiledBackend.self)
            let live = LiveRun(
                .init(
                    policy: policy, configuration: configuration, backend: entry,
                    backendParameters: ParameterValues(defaults: entry.descriptor.parameters)),
                columns: trace.columns, keys: trace.keys, valueBytes: nil, load: load)
            var first: Int?
            var sums = LoadCounts()
            let counts = try live.withCache("unused") { (cache, driver) throws(AssayError) in
                for position in trace.columns.ids.indices {
                    sums += try driver.drive(LoadCursor(position..<position + 1))
                    _ = try replay.run(position..<position + 1, ReplayMonitor())
                    if first == nil, sums.hits != replay.counts.hits { first = position }
                }
                return try cache.counts(sums, removals: sums.removals)
            }
            #expect(first == nil, "\(capacity): the first request with another answer")
            #expect(counts == replay.counts, "\(capacity)")
            #expect(replay.counts == (try policy.simulate(trace.columns, configuration)))
        }
    }

    @Test func `rules that change nothing are no rules, and the others are told where cells are compared`() throws {
        let (reads, writes) = (MemoryTrace.skewed(), MemoryTrace.withOperations(readsChange: true))
        let all = ReplayRules(onMiss: .fill, counted: .all, resize: .reweigh)
        #expect(all.effective(on: reads.columns, parameters: "", unit: .bytes) == ReplayRules())
        #expect(
            ReplayRules(onMiss: .nothing, resize: .keep)
                .effective(on: writes.columns, parameters: "dialect=libcachesim", unit: .bytes) == ReplayRules())
        let told = ReplayRules(onMiss: .fill, counted: .all, resize: .keep)
        #expect(told.effective(on: writes.columns, parameters: "", unit: .bytes) == told)
        #expect(told.effective(on: writes.columns, parameters: "", unit: .objects).resize == nil)
        let lru = try #require(BuiltinPolicies.all.first { $0.descriptor.name == "lru" })
        func cells(_ rules: ReplayRules) -> [CellResult] {
            let block = SweepBlock(
                traces: [0, 1], policies: [PolicySelection(lru, ParameterValues(defaults: lru.descriptor.parameters))],
                capacities: [.absolute(.bytes(500))], backends: [nil])
            return SweepPlan(
                traces: [reads.sweepTrace, writes.sweepTrace], blocks: [block], seed: 1, rules: rules
            ).cells.map(\.blank)
        }
        #expect(cells(all).map(\.rules) == [nil, ReplayRules(onMiss: .fill, counted: .all)])
    }

    @Test(arguments: withoutFuture.map(\.descriptor.name))
    func `what is resident never weighs more than the capacity, whatever sizes become`(_ name: String) throws {
        let policy = try #require(BuiltinPolicies.all.first { $0.descriptor.name == name })
        guard policy.isApplicable(to: .bytes), !policy.descriptor.isUnbounded else { return }
        // Ten objects of 50 bytes fill the cache and then have 600 bytes each, or 40 and then 90.
        for (small, large) in [(UInt32(50), UInt32(600)), (40, 90)] {
            let ids = (0..<60).map { ObjectID($0 % 10) }
            let trace = MemoryTrace(ids: ids, sizes: ids.indices.map { $0 < 30 ? small : large })
            let configuration = try Self.configuration(policy, trace.columns, .bytes(500))
            let counts = try #require(try policy.simulate(trace.columns, configuration))
            #expect(trace.columns.sizeChanges == 10)
            #expect(counts.residentWeight == counts.residentObjects * Int(large))
            #expect(counts.residentWeight <= 500)
            if counts.hits > 0 { #expect(counts.resized > 0) }
        }
    }

    @Test func `a resident that keeps its weight may be larger than the cache, if that is asked for`() throws {
        let policy = try #require(BuiltinPolicies.all.first { $0.descriptor.name == "lru" })
        let ids = (0..<60).map { ObjectID($0 % 10) }
        let trace = MemoryTrace(ids: ids, sizes: ids.indices.map { $0 < 30 ? 50 : 600 })
        var configuration = try Self.configuration(policy, trace.columns, .bytes(500))
        configuration.rules.resize = .keep
        let kept = try #require(try policy.simulate(trace.columns, configuration))
        #expect(kept.residentObjects == 10 && kept.hits == 50 && kept.resized == 0)
        configuration.rules.resize = nil
        let reweighed = try #require(try policy.simulate(trace.columns, configuration))
        // Each is found once with its new size, and leaves because it can never fit.
        #expect(reweighed.residentObjects == 0 && reweighed.hits == 30 && reweighed.resized == 10)
    }

    @Test func `dialects keep the rule of what they were copied from unless another is asked for`() {
        #expect(ReplayRules().resizing("ghost=0.9;dialect=libcachesim") == .keep)
        #expect(ReplayRules().resizing("ghost=0.9;dialect=paper") == .reweigh)
        #expect(ReplayRules().resizing("") == .reweigh)
        #expect(ReplayRules(resize: .reweigh).resizing("dialect=caffeine") == .reweigh)
    }

    /// LRU and FIFO over lists, written without a look at the replay.
    private static func naive(
        _ trace: MemoryTrace, _ capacity: Int, isLRU: Bool, fills: Bool, countsWrites: Bool
    ) -> (requests: Int, hits: Int) {
        let columns = trace.columns
        var order: [ObjectID] = []
        var weights: [ObjectID: Int] = [:]
        var counts = (requests: 0, hits: 0)
        for position in columns.ids.indices {
            let (id, size) = (columns.ids[position], columns.sizes?.size(at: position) ?? 1)
            let operation = columns.operation(at: position)
            func leave(_ id: ObjectID) {
                order.removeAll { $0 == id }
                weights[id] = nil
            }
            func put() {
                if weights[id] == size {
                    if isLRU { order.append(order.remove(at: order.firstIndex(of: id)!)) }
                    return
                }
                leave(id)
                guard size <= capacity else { return }
                while weights.values.reduce(size, +) > capacity { leave(order[0]) }
                order.append(id)
                weights[id] = size
            }
            let isHit = weights[id] != nil
            if operation == .read || (operation == .write && countsWrites) {
                counts.requests += 1
                counts.hits += isHit ? 1 : 0
            }
            switch operation {
            case .read where isHit:
                if isLRU { order.append(order.remove(at: order.firstIndex(of: id)!)) }
                if fills { put() }
            case .read: if fills { put() }
            case .write: put()
            case .remove: leave(id)
            }
        }
        return counts
    }

    @Test(arguments: ["lru", "fifo"], [ReplayRules.MissedRead.fill, .nothing])
    func `LRU and FIFO count what a model over lists counts`(
        _ name: String, _ onMiss: ReplayRules.MissedRead
    ) throws {
        let policy = try #require(BuiltinPolicies.all.first { $0.descriptor.name == name })
        for seed in 1...5 as ClosedRange<UInt64> {
            let trace = MemoryTrace.withOperations(readsChange: onMiss == .fill, seed: seed)
            for counted in ReplayRules.Counted.allCases {
                var configuration = try Self.configuration(policy, trace.columns, .bytes(500))
                configuration.rules = ReplayRules(onMiss: onMiss, counted: counted)
                let counts = try #require(try policy.simulate(trace.columns, configuration))
                let expected = Self.naive(
                    trace, 500, isLRU: name == "lru", fills: onMiss == .fill, countsWrites: counted == .all)
                #expect(counts.requests == expected.requests && counts.hits == expected.hits)
                #expect(counts.writes == trace.sweepTrace.description.writes)
                #expect(counts.deletes == trace.sweepTrace.description.deletes)
            }
        }
    }

    @Test func `a trace that states writes leaves it to them to store, others fill on a miss`() throws {
        let policy = try #require(BuiltinPolicies.all.first { $0.descriptor.name == "lru" })
        func hits(_ operations: [TraceOperation]) throws -> Int? {
            let trace = MemoryTrace(ids: operations.map { _ in 0 }, operations: operations)
            return try policy.simulate(
                trace.columns, try Self.configuration(policy, trace.columns, .objects(3)))?.hits
        }
        #expect(try hits([.read, .read, .write, .read, .remove, .read, .read]) == 1)
        #expect(try hits([.read, .read, .remove, .read, .read]) == 2)
    }

    @Test func `what knows the future, and what counts otherwise, refuses and says why`() throws {
        let trace = MemoryTrace.withOperations(readsChange: false)
        for policy in BuiltinPolicies.all where policy.needsFuture {
            let error = try #require(throws: AssayError.self) {
                try policy.simulate(
                    trace.columns, try Self.configuration(policy, trace.columns, .objects(10)))
            }
            #expect(error.code == .usage && error.message.contains("writes or deletes"))
        }
        let lru = try #require(BuiltinPolicies.all.first { $0.descriptor.name == "lru" })
        let selection = PolicySelection(lru, ParameterValues(defaults: lru.descriptor.parameters))
        let backend = BackendEntry(SpoiledBackend.self)
        let plan = SweepPlan(
            traces: [trace.sweepTrace],
            blocks: [
                SweepBlock(
                    traces: [0], policies: [selection], capacities: [.absolute(.bytes(500))],
                    backends: [BackendSelection(backend, ParameterValues(defaults: backend.descriptor.parameters))])
            ], seed: 1, rules: ReplayRules(counted: .all, resize: .keep))
        #expect(plan.cells[0].inapplicability(on: trace.sweepTrace)?.contains("--count") == true)
    }
}
