import CacheCore
import CachePolicies
import Foundation
import Testing

@testable import CacheHarness

@Suite("LiveRun: real bytes, counted exactly and verified")
struct LiveRunTests {
    private func run(
        _ policy: PolicyEntry, _ trace: MemoryTrace, _ capacity: Capacity, defect: SpoiledBackend.Defect = .none,
        policyParameters: ParameterValues? = nil, admission: AdmissionSelection? = nil
    ) throws -> LiveRun {
        let entry = BackendEntry(SpoiledBackend.self)
        var parameters = ParameterValues(defaults: entry.descriptor.parameters)
        try parameters.set("defect", defect.rawValue, of: "spoiled")
        var configuration = PolicyConfiguration(
            capacity: capacity, objects: trace.columns.objects,
            parameters: policyParameters ?? ParameterValues(defaults: policy.descriptor.parameters))
        configuration.admission = admission
        return LiveRun(
            .init(policy: policy, configuration: configuration, backend: entry, backendParameters: parameters),
            columns: trace.columns, keys: trace.keys, valueBytes: trace.columns.sizes == nil ? 64 : nil)
    }

    private static let withoutFuture = BuiltinPolicies.all.filter { !$0.needsFuture }

    @Test(arguments: withoutFuture.map(\.descriptor.name), [Capacity.objects(10), .bytes(900)])
    func `live counts equal the simulation's`(_ name: String, _ capacity: Capacity) throws {
        try compare(name, capacity, .skewed())
    }

    @Test(arguments: withoutFuture.map(\.descriptor.name))
    func `more objects than the capacity has bytes may be resident where some weigh nothing`(_ name: String) throws {
        let skewed = MemoryTrace.skewed(objects: 200)
        // The column is that trace's memory.
        let ids = withExtendedLifetime(skewed) { Array(skewed.columns.ids) }
        // LHD's list of admissions names objects that have left, by ids which a live cache gives to others meanwhile.
        try compare(
            name, .bytes(50), MemoryTrace(ids: ids, sizes: ids.map { $0 % 4 == 0 ? 1 + $0 % 13 : 0 }),
            parameters: name == "lhd" ? "admissions=0" : "")
    }

    /// They need ids of their own in a live cache, more than the policy does by itself.
    @Test(
        arguments: [
            ("s3fifo", "ghost=4"), ("2q", "out=2"), ("lru-k", "history=4"), ("qdlp", "ghost=4"),
            ("clock2q-plus", "ghost=4"), ("clock-pro", "ghost=4"), ("clock-pro-plus", "ghost=4"), ("mq", "ghost=8"),
            ("lirs", "non-resident=10"), ("lecar", "history=2"), ("frd", "history=20"), ("s3fifo-d", "small=0.02"),
        ])
    func `ghosts that a parameter asks for are kept`(_ name: String, _ parameters: String) throws {
        try compare(name, .objects(30), .skewed(objects: 2000), parameters: parameters)
    }

    /// A live cache gives the ids of what has left to others: a filter that knows objects by their ids takes one for another.
    @Test(
        arguments: ["lru", "s3fifo", "tuqueue", "lirs", "clock-pro", "w-tinylfu", "gdsf"],
        [
            ("tinylfu", ""), ("tinylfu", "dialect=caffeine"), ("second-hit", "exact=true"),
            ("second-hit", "window=150"), ("adaptsize", "interval=100"), ("size", "limit=40"),
            ("predicate", "where=size<=40"),
        ])
    func `filters know objects by more than their ids`(_ name: String, _ filter: (name: String, text: String)) throws {
        let entry = try #require(BuiltinAdmissions.all.first { $0.descriptor.name == filter.name })
        let admission = AdmissionSelection(
            entry, try ParameterValues(parsing: filter.text, for: entry.descriptor.parameters, of: filter.name))
        for capacity in [Capacity.objects(10), .bytes(900)] where admission.unknownToCaches(in: capacity.unit) == nil {
            // It counts hits with their sizes, which a live cache does not know where they change.
            let trace = MemoryTrace.skewed(objects: 300, keepingSizes: filter.name == "adaptsize")
            try compare(name, capacity, trace, admission: admission)
        }
    }

    /// Some hits of this policy evict, which it tells at the next insertion: a read that finds such an entry gone and the write
    /// that follows are one request, and a filter that counts requests counts one.
    @Test(arguments: [200, 300, 900])
    func `a read of what has been let go and the write after it are counted once`(_ capacity: Int) throws {
        let entry = try #require(BuiltinAdmissions.all.first { $0.descriptor.name == "adaptsize" })
        let parameters = try ParameterValues(
            parsing: "interval=100", for: entry.descriptor.parameters, of: "adaptsize")
        try compare(
            "s4lru", .bytes(capacity), .skewed(objects: 300, keepingSizes: true), parameters: "dialect=libcachesim",
            admission: AdmissionSelection(entry, parameters))
    }

    private func compare(
        _ name: String, _ capacity: Capacity, _ trace: MemoryTrace, parameters text: String = "",
        admission: AdmissionSelection? = nil
    ) throws {
        let policy = try #require(BuiltinPolicies.all.first { $0.descriptor.name == name })
        guard policy.isApplicable(to: capacity.unit), !policy.descriptor.isUnbounded || capacity.unit == .objects else {
            return
        }
        let parameters = try ParameterValues(parsing: text, for: policy.descriptor.parameters, of: name)
        var configuration = PolicyConfiguration(
            capacity: capacity, objects: trace.columns.objects, parameters: parameters)
        configuration.admission = admission
        let simulated = try policy.simulate(trace.columns, configuration)
        let live = try run(policy, trace, capacity, policyParameters: parameters, admission: admission)
            .timing(directory: "unused")
        #expect(live.counts == simulated)
        #expect(live.latency.get.operations == live.counts.requests)
        #expect(live.latency.put.operations == live.counts.misses + live.counts.resized)
    }

    @Test(arguments: SpoiledBackend.Defect.allCases.filter { $0 != .none && $0 != .throwsOnPut })
    func `wrong or lost bytes fail the run`(_ defect: SpoiledBackend.Defect) throws {
        let live = try run(BuiltinPolicies.all[0], .skewed(), .objects(10), defect: defect)
        let error = #expect(throws: AssayError.self) { try live.timing(directory: "unused") }
        #expect(error?.code == .verdict)
    }

    @Test func `a backend's failure fails the run and names its reason`() throws {
        let live = try run(BuiltinPolicies.all[0], .skewed(), .objects(10), defect: .throwsOnPut)
        let error = #expect(throws: AssayError.self) { try live.timing(directory: "unused") }
        #expect(error?.code == .inputOutput)
        #expect(error?.description.contains("no space is left") == true)
    }

    @Test func `values of a trace without sizes have the size that was asked for`() throws {
        let trace = MemoryTrace(ids: [0, 1, 0, 1, 2])
        let timing = try run(BuiltinPolicies.all[0], trace, .objects(2)).timing(directory: "unused")
        #expect(timing.counts.bytesRequested == 5 * 64)
        #expect(timing.counts.bytesWritten == 3 * 64)
    }

    @Test func `the memory pass counts what the timing pass counts, and its bytes`() async {
        // In a process of its own: other tests allocate meanwhile.
        await #expect(processExitsWith: .success) {
            let live = try LiveRunTests().run(BuiltinPolicies.all[0], .skewed(), .objects(10))
            let memory = try live.memory(directory: "unused")
            let counts = try live.timing(directory: "unused").counts
            #expect(memory.counts == counts)
            #expect(memory.figures.entries == 10)
            let allocated = try #require(memory.figures.allocatedBytes)
            #expect(allocated >= memory.figures.payloadBytes)
            #expect(allocated < 1_000_000)
        }
    }

    @Test func `memory of the harness, which grows with the trace, is not the subject's`() async {
        await #expect(processExitsWith: .success) {
            let trace = MemoryTrace(ids: (0..<100_000).map { ObjectID($0) })
            let figures = try LiveRunTests().run(BuiltinPolicies.all[0], trace, .objects(10)).memory(
                directory: "unused"
            ).figures
            let (allocated, policy) = (try #require(figures.allocatedBytes), try #require(figures.policyBytes))
            // Versions and lengths of 100 000 objects are 1.2 MB; ten small entries are a few kilobytes.
            #expect((figures.payloadBytes..<100_000).contains(allocated - policy))
        }
    }

    @Test func `what a backend keeps of a key is its own`() {
        let ledger = PayloadLedger(keys: [[1, 2, 3]])
        func address(_ bytes: [UInt8]) -> Int { bytes.withUnsafeBytes { Int(bitPattern: $0.baseAddress) } }
        let offer = ledger.nextOffer(0, valueBytes: 5)
        #expect(offer.key == ledger.key(of: 0))
        #expect(address(offer.key) != address(ledger.key(of: 0)))
        #expect(ledger.expected(0).matches(offer.value))
    }
}

@Suite("Payload: bytes that give away every mix-up")
struct PayloadTests {
    @Test(arguments: [0, 1, 7, 8, 9, 63, 64, 1000])
    func `a payload matches itself alone`(_ count: Int) {
        let payload = Payload(id: 5, version: 3, count: count)
        let bytes = payload.bytes()
        #expect(bytes.count == count)
        #expect(payload.matches(bytes))
        #expect(!payload.matches(bytes + [0]))
        for index in bytes.indices {
            var flipped = bytes
            flipped[index] ^= 0x80
            #expect(!payload.matches(flipped))
        }
    }

    @Test(arguments: [1.0, 2, 8, 64]) func `values are as compressible as they are to be, and differ all the same`(
        _ ratio: Double
    ) {
        let texture = Payload.Texture(compressionRatio: ratio)
        let payload = Payload(id: 5, version: 3, count: 64 * 1024, texture: texture)
        let bytes = payload.bytes()
        let zeros = Double(bytes.count { $0 == 0 }) / Double(bytes.count)
        let expected = 1 - 1 / ratio
        #expect(abs(zeros - expected) < 0.01)
        #expect(payload.matches(bytes))
        let said = Payload(saidBy: bytes, texture: texture)
        #expect(said.id == 5)
        #expect(said.version == 3)
        #expect(!Payload(id: 5, version: 4, count: 64 * 1024, texture: texture).matches(bytes))
    }

    @Test(arguments: [3, 200]) func `an older version passes only where others write`(_ bytes: Int) {
        let ledger = PayloadLedger(keys: [[1], [2]])
        let old = ledger.nextOffer(0, valueBytes: bytes).value
        let other = ledger.nextOffer(1, valueBytes: bytes).value
        let new = ledger.nextOffer(0, valueBytes: bytes).value
        #expect(ledger.isValid(new, for: 0, isShared: false) && ledger.isValid(new, for: 0, isShared: true))
        #expect(!ledger.isValid(old, for: 0, isShared: false) && ledger.isValid(old, for: 0, isShared: true))
        #expect(!ledger.isValid(other, for: 0, isShared: true))
        let unwritten = Payload(id: 0, version: 3, count: bytes).bytes()
        #expect(!ledger.isValid(unwritten, for: 0, isShared: true))
    }

    @Test func `a short value is known after any number of writes that a waiting thread may miss`() {
        let ledger = PayloadLedger(keys: [[1]])
        let old = ledger.nextOffer(0, valueBytes: 6).value
        for _ in 0..<5_000 { _ = ledger.nextOffer(0, valueBytes: 6) }
        #expect(ledger.isValid(old, for: 0, isShared: true))
        #expect(!ledger.isValid(old, for: 0, isShared: false))
        #expect(!ledger.isValid(Payload(id: 0, version: 6_000, count: 6).bytes(), for: 0, isShared: true))
    }

    @Test func `objects, versions and lengths differ from the first bytes on`() {
        let base = Payload(id: 5, version: 3, count: 64).bytes().prefix(8)
        for other in [(6, 3, 64), (5, 4, 64), (5, 3, 65)] {
            let bytes = Payload(id: ObjectID(other.0), version: UInt32(other.1), count: other.2).bytes()
            #expect(bytes.prefix(8) != base)
        }
    }
}

@Suite("Live runs under load")
struct LoadedLiveRunTests {
    private func run(_ load: BenchLoad, capacity: Capacity = .objects(20), _ trace: MemoryTrace = .skewed()) -> LiveRun
    {
        let entry = BackendEntry(SpoiledBackend.self)
        let policy = BuiltinPolicies.all.first { $0.descriptor.name == "lru" }!
        let configuration = PolicyConfiguration(
            capacity: capacity, objects: trace.columns.objects,
            parameters: ParameterValues(defaults: policy.descriptor.parameters))
        return LiveRun(
            .init(
                policy: policy, configuration: configuration, backend: entry,
                backendParameters: ParameterValues(defaults: entry.descriptor.parameters)),
            columns: trace.columns, keys: trace.keys, valueBytes: nil, load: load)
    }

    @Test func `threads share the requests, verify every hit, and leave a full cache`() throws {
        var load = BenchLoad()
        load.threads = 3
        load.requests = 20_000
        load.removeShare = 0.05
        load.compressionRatio = 4
        load.loading = .readThrough
        let timing = try run(load).timing(directory: "unused")
        // Of reads: 5 % remove.
        #expect((18_700...19_300).contains(timing.counts.requests))
        #expect((1..<20_000).contains(timing.counts.hits))
        #expect(timing.counts.residentObjects <= 20)
        let operations: [OperationLatency.Operation: Int] = timing.bench.latency.reduce(into: [:]) {
            $0[$1.operation] = $1.distribution.summary.operations
        }
        let total = operations.values.reduce(0, +) - (operations[.put] ?? 0) - (operations[.evictingPut] ?? 0)
        #expect(total == 20_000)
        #expect((operations[.evictingPut] ?? 0) > 0)
        #expect(timing.bench.costs.timerFloorNanoseconds > 0)
        #expect(timing.bench.resources != nil)
    }

    @Test func `requests that warm up are not counted`() throws {
        var load = BenchLoad()
        let cold = try run(load).timing(directory: "unused").counts
        load.warmUp = .requests(3000)
        let warm = try run(load).timing(directory: "unused")
        #expect(warm.bench.warmUpRequests == 3000 && warm.counts.requests == cold.requests)
        // The second time round nothing is seen for the first time.
        #expect(warm.counts.hits > cold.hits)
        #expect(warm.counts.evictions == warm.counts.misses)
        load.warmUp = .steady
        let steady = try run(load).timing(directory: "unused").bench.warmUpRequests
        #expect((1...6000).contains(steady) && steady % 375 == 0)
    }

    @Test func `an open loop has a step for each rate`() throws {
        var load = BenchLoad()
        load.rates = [2000, 4000]
        load.stepSeconds = 0.05
        let steps = try run(load).timing(directory: "unused").bench.steps
        #expect(steps.map(\.requestsPerSecond) == [2000, 4000])
        #expect(steps.map(\.response.summary.operations) == [100, 200])
        for step in steps {
            let slowest = try #require(step.response.summary.maxNanoseconds)
            #expect(slowest >= step.service.summary.p50Nanoseconds ?? 0)
        }
    }

    @Test func `a subject that gives everything back is not said to leak`() async {
        await #expect(processExitsWith: .success) {
            let figures = try LoadedLiveRunTests().run(BenchLoad()).memory(directory: "unused", measuresLeak: true)
                .figures
            // The dictionaries of backend and cache may keep some room, and nothing an entry.
            let leaked = try #require(figures.leakedBytes)
            #expect(abs(leaked) < 10_000)
        }
    }
}
