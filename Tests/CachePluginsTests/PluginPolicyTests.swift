import CacheConformance
import CacheCore
import CacheHarness
import CachePlugins
import CachePolicies
import CacheStorage
import Testing
import _CacheTestSupport

@Suite("A policy of a plug-in is the built-in one", .enabled(if: SharedLibrary.hasC, "\(SharedLibrary.withoutC)"))
struct PluginPolicyTests {
    private static let capacities =
        [1, 2, 7, 30, 119, 500].map { Capacity.objects($0) } + [1, 50, 400, 2_500].map { .bytes($0) }

    @Test(arguments: Pair.compiled, PluginTrace.Kind.allCases)
    func `simulated, it counts the same`(_ pair: Pair, _ kind: PluginTrace.Kind) throws {
        let (plugin, builtin) = (try pair.plugin, try pair.builtin)
        for seed in 1...3 as ClosedRange<UInt64> {
            let trace = PluginTrace(kind, seed: seed)
            for capacity in Self.capacities {
                let expected = try builtin.simulate(trace.columns, trace.configuration(capacity, builtin))
                #expect(try plugin.simulate(trace.columns, trace.configuration(capacity, plugin)) == expected)
            }
        }
    }

    @Test(arguments: Pair.compiled, PluginTrace.Kind.allCases)
    func `live, it counts what the built-in one counts, simulated`(_ pair: Pair, _ kind: PluginTrace.Kind) throws {
        let (plugin, builtin) = (try pair.plugin, try pair.builtin)
        let trace = PluginTrace(kind, seed: 4)
        let backend = BackendEntry(DictionaryStorage.self)
        for capacity in [Capacity.objects(25), .bytes(900)] where kind != .uniform || capacity.unit == .objects {
            let live = LiveRun(
                LiveRun.Subject(
                    policy: plugin, configuration: try trace.configuration(capacity, plugin), backend: backend,
                    backendParameters: ParameterValues(defaults: backend.descriptor.parameters)),
                columns: trace.columns, keys: trace.keys, valueBytes: kind == .uniform ? 1 : nil)
            let expected = try #require(
                try builtin.simulate(trace.columns, trace.configuration(capacity, builtin)))
            let counts = try live.timing(directory: "unused").counts
            #expect(counts.hits == expected.hits)
            #expect(counts.evictions == expected.evictions)
            #expect(counts.residentWeight == expected.residentWeight)
        }
    }

    /// Admission compares newcomers with the next victim, which the example of FIFO does not name.
    @Test(arguments: Pair.compiled.filter { $0 != .fifo })
    func `behind an admission policy it counts the same`(_ pair: Pair) throws {
        let (plugin, builtin) = (try pair.plugin, try pair.builtin)
        let trace = PluginTrace(.sized, seed: 5)
        for name in ["tinylfu", "second-hit"] {
            let admission = try #require(BuiltinAdmissions.all.first { $0.descriptor.name == name })
            func counts(_ entry: PolicyEntry) throws -> ReplayCounts? {
                var configuration = try trace.configuration(.bytes(900), entry)
                configuration.admission = AdmissionSelection(
                    admission, ParameterValues(defaults: admission.descriptor.parameters))
                return try entry.simulate(trace.columns, configuration)
            }
            #expect(try counts(plugin) == counts(builtin))
        }
    }

    @Test(arguments: Pair.compiled, ConformanceSuite.policy.checks)
    func `it passes the suite of policies, with the built-in one for its twin`(_ pair: Pair, _ check: Check) throws {
        try check.require(on: PolicySubject(try pair.plugin, twin: try pair.builtin))
    }

    @Test func `a sound policy with parameters gets them as they were written`() throws {
        let liar = try Plugins.liars.get().policies[0]
        let trace = PluginTrace(.uniform, seed: 1)
        #expect(liar.descriptor.parameters.map(\.defaultText) == ["none", "3", "0.5", "any"])
        let fifo = try Pair.fifo.builtin
        let expected = try fifo.simulate(trace.columns, trace.configuration(.objects(10), fifo))
        #expect(try liar.simulate(trace.columns, trace.configuration(.objects(10), liar)) == expected)
        let error = #expect(throws: AssayError.self) { try trace.configuration(.objects(10), liar, "size=10") }
        #expect(error?.code == .usage)
        // The plug-in itself refuses any other size than 3.
        let refused = #expect(throws: AssayError.self) {
            try liar.open(trace.configuration(.objects(10), liar, "size=4"))
        }
        #expect(refused?.code == .unavailable)
    }
}

@Suite("A backend of a plug-in", .enabled(if: SharedLibrary.hasC, "\(SharedLibrary.withoutC)"))
struct PluginBackendTests {
    @Test(arguments: ConformanceSuite.storage.checks)
    func `in C passes the suite of stores`(_ check: Check) throws {
        try check.require(on: StorageSubject(try Plugins.map.get().backends[0]))
    }
}
