import CacheCore
import CacheHarness
import CachePolicies
import CacheStorage
import CacheSystemChecks
import CacheSystemRuns
import CacheWorkloads
import Foundation
import Testing
import _CacheTestSupport

@Suite("Workloads of systems")
struct SystemRunEntryTests {
    private static let catalog = WorkloadCatalog(
        directories: [SharedFolder.packageRoot.appending(path: "Workloads").path])

    @Test func `every system has a bundled workload that states every setting`() throws {
        for entry in BuiltinSystemRuns.all {
            let workloads = try Self.catalog.systemWorkloads(of: entry.name)
            #expect(!workloads.isEmpty, "\(entry.name)")
            for workload in workloads {
                let values = try entry.values(of: workload)
                for setting in entry.settings {
                    #expect(values.isGiven(setting.name), "\(workload.name): \(setting.name)")
                }
            }
        }
    }

    @Test(arguments: [
        ("requets: 5", "Did you mean 'requests'?"), ("requests: many", "whole number"), ("requests: 0", "from 1 to"),
        ("exponent: 11", "from 0.0 to 10.0"), ("work: {a: 1}", "expected one value"),
    ])
    func `a mistake has its line and what is right`(_ line: String, _ words: String) throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/w.yaml"
        let head = "kind: system\ndescription: d\norigin: o\nlicence: CC0-1.0\nsystem: method-cache\n"
        try (head + line + "\n").write(toFile: path, atomically: true, encoding: .utf8)
        let entry = try #require(BuiltinSystemRuns.all.first { $0.name == "method-cache" })
        let error = #expect(throws: AssayError.self) { try entry.values(of: Self.catalog.workload(path)) }
        #expect(
            error?.code == .badInput && error?.location == AssayError.Location(path, line: 6),
            "\(String(describing: error))")
        #expect(error?.description.contains(words) == true, "\(String(describing: error))")
    }

    /// Each number is in its range; together they are more than a clock, a sum or memory holds.
    @Test(
        arguments: [
            ("call-cache", ["requests": "100000000", "seconds-between-requests": "1000000"], "years of virtual time"),
            (
                "expiring-disk-cache", ["requests": "1000000", "seconds-between-requests": "1000000"],
                "years of virtual time"
            ),
            ("http-cache", ["requests": "100000000", "assets-per-page": "64"], "are more than"),
            ("http-cache", ["seconds-between-requests": "1e6", "requests": "10000"], "years of virtual time"),
            ("call-cache", ["origin-bytes-per-second": "1", "size-max": "1000000000"], "origin-bytes-per-second"),
            (
                "expiring-disk-cache", ["requests": "100000000", "objects": "1", "origin-milliseconds": "3600000"],
                "answers"
            ),
            ("record-cache", ["records": "1000000", "origin-milliseconds": "3600000"], "answers of the origin"),
            ("call-cache", ["outage-every-seconds": "10", "outage-seconds": "11"], "outage-seconds is larger"),
        ] as [(String, [String: String], String)]) func `settings that overflow together are refused`(
            _ name: String, _ settings: [String: String], _ words: String
        ) throws
    {
        let directory = try TemporaryDirectory()
        let (entry, setup) = try setup(
            name, settings, in: directory.path + "/run", scale: name == "http-cache" ? 1 : 0.5)
        let error = #expect(throws: AssayError.self) { _ = try entry.make(setup) }
        #expect(error?.code == .badInput)
        #expect(error?.message.contains(words) == true, "\(String(describing: error))")
    }

    @Test func `a workload of another system is refused`() throws {
        let entry = try #require(BuiltinSystemRuns.all.first { $0.name == "method-cache" })
        let error = #expect(throws: AssayError.self) { try entry.values(of: Self.catalog.workload("page-loads")) }
        #expect(error?.code == .usage)
    }

    /// What the tables of features name as their measures is really measured.
    @Test func `every measure that the tables of features name is one`() async throws {
        let systems = BuiltinSystems.all(policies: BuiltinPolicies.all, backends: BuiltinStorage.embedded)
        #expect(systems.map(\.name) == BuiltinSystemRuns.all.map(\.name))
        var measures = 0
        for system in systems {
            let prefix = "assay run --system \(system.name): "
            let named = system.coverage.map(\.measure).filter { $0.hasPrefix("assay run --system") }
            #expect(!named.isEmpty && named.allSatisfy { $0.hasPrefix(prefix) })
            let name = system.name
            let known = try await onThread { try Self.measured(name) }
            for measure in named.flatMap({ $0.dropFirst(prefix.count).split(separator: "; ") }) {
                #expect(known.contains(String(measure)), "\(system.name): \(measure)")
                measures += 1
            }
        }
        #expect(measures > 30)
    }

    /// The names of everything that a small run of a system finds out.
    private static func measured(_ name: String) throws -> Set<String> {
        let directory = try TemporaryDirectory()
        let workload = try #require(try catalog.systemWorkloads(of: name).first)
        let entry = try #require(BuiltinSystemRuns.all.first { $0.name == name })
        var (_, setup) = try setup(name, [:], in: directory.path)
        setup.values = try entry.values(of: workload)
        setup.scale = name == "record-cache" || name == "method-cache" ? 0.002 : 0.02
        // Fewer calls see as many outages.
        if name == "call-cache" { try setup.values.set("seconds-between-requests", "30", of: name) }
        let run = SystemRun(keepsFiles: entry.keepsFiles, seed: 1) { [setup] place in
            var setup = setup
            setup.directory = place
            return try entry.make(setup)
        }
        let timing = try run.timing(directory: directory.path + "/timing")
        let memory = try run.memory(directory: directory.path + "/memory")
        #expect(memory.counts == timing.counts && memory.figures.entries > 0)
        #expect(!entry.keepsFiles || memory.figures.entriesOpened == memory.figures.entries)
        // Some probes take seconds at the scale at which every outcome occurs.
        setup.directory = directory.path + "/probes"
        setup.scale = 0.002
        let probed = try entry.probe(setup)
        // The columns that every system has.
        let common = [
            "hit ratio", "origin requests saved", "bytes saved", "answered in outages", "disk", "opening again",
            "entries then",
        ]
        return Set(
            common + timing.latency.map { "latency of \($0.operation)" }
                + timing.alternatives.map { "compared with \($0.name)" } + (timing.figures + probed).map(\.name))
    }
}
