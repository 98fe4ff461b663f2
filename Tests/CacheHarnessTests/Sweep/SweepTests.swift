import CacheCore
import CachePolicies
import Testing

@testable import CacheHarness

@Suite("Sweep: every combination once, whatever happens to the others")
struct SweepTests {
    private static func plan(backends: [BackendSelection?] = [nil]) throws -> SweepPlan {
        let lru = BuiltinPolicies.all.filter { $0.descriptor.name == "lru" }
        let policies = lru.map { PolicySelection($0, ParameterValues(defaults: $0.descriptor.parameters)) }
        let traces = [MemoryTrace.skewed(), MemoryTrace(name: "loop", ids: (0..<3000).map { ObjectID($0 % 50) })]
        let capacities = try ["10%", "50%", "1000"].map { text throws(AssayError) in try CapacityRequest(parsing: text)
        }
        return SweepPlan(
            traces: traces.map(\.sweepTrace),
            blocks: [SweepBlock(traces: [0, 1], policies: policies, capacities: capacities, backends: backends)],
            seed: 1)
    }

    private func noLive(_ cell: PlannedCell, _ trace: SweepTrace) -> CellResult { cell.blank }

    @Test func `results come in the plan's order and do not depend on the number of workers`() async throws {
        let plan = try Self.plan()
        var all: [[ReplayCounts?]] = []
        for workers in [1, 4] {
            let sweep = Sweep(plan, workers: workers, monitor: ReplayMonitor(), live: noLive)
            var handed: Set<Int> = []
            let results = await sweep.run { index, _ in handed.insert(index) }
            #expect(handed == Set(plan.cells.indices))
            #expect(results.map(\.identity) == plan.cells.map(\.blank.identity))
            all.append(results.map(\.counts))
        }
        #expect(all[0] == all[1])
        #expect(all[0].allSatisfy { $0 != nil })
    }

    @Test func `short simulations are repeated where asked for, count the same, and carry their range`() async throws {
        let plan = try Self.plan()
        let once = await Sweep(plan, workers: 1, monitor: ReplayMonitor(), live: noLive).run { _, _ in }
        let monitor = ReplayMonitor()
        let repeated = await Sweep(plan, workers: 1, monitor: monitor, repeats: true, live: noLive).run { _, _ in }
        #expect(repeated.map(\.counts) == once.map(\.counts))
        #expect(once.allSatisfy { $0.throughputRange == nil })
        for cell in repeated {
            guard let range = cell.throughputRange, let rate = cell.requestsPerSecond else { continue }
            #expect(range.passes >= 2 && range.least <= rate && rate <= range.most)
        }
        #expect(monitor.requests == plan.simulatedRequests(), "repetitions are no progress")
    }

    @Test func `finished combinations are not run again`() async throws {
        let plan = try Self.plan()
        var marked = plan.cells[2].blank
        marked.requestsPerSecond = 42
        var handed: [Int] = []
        let results = await Sweep(plan, workers: 2, monitor: ReplayMonitor(), live: noLive)
            .run(done: [2: marked]) { index, _ in handed.append(index) }
        #expect(!handed.contains(2))
        #expect(results[2].requestsPerSecond == 42)
        #expect(results.count == plan.cells.count)
    }

    @Test func `a stopped sweep returns what was finished`() async throws {
        let plan = try Self.plan()
        let monitor = ReplayMonitor()
        let results = await Sweep(plan, workers: 1, monitor: monitor, live: noLive).run { _, _ in monitor.stop() }
        #expect(results.count == 1)
    }

    @Test func `one failing combination leaves the others their results`() async throws {
        let spoiled = BackendSelection(
            BackendEntry(SpoiledBackend.self), ParameterValues(defaults: SpoiledBackend.descriptor.parameters))
        let plan = try Self.plan(backends: [nil, spoiled])
        let sweep = Sweep(plan, workers: 2, monitor: ReplayMonitor()) { cell, _ in
            var result = cell.blank
            result.failure = CellFailure(.crashed, "on purpose")
            return result
        }
        let results = await sweep.run { _, _ in }
        #expect(results.count == plan.cells.count)
        #expect(results.filter { $0.failure != nil }.count == plan.cells.count / 2)
        #expect(results.filter { $0.counts != nil }.count == plan.cells.count / 2)
    }

    @Test func `a combination named by two blocks is planned once`() throws {
        let plan = try Self.plan(backends: [nil, nil])
        #expect(plan.cells.count == 6)
    }
}
