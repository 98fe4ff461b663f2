import CacheCore
import CacheTraces
import Foundation
import Testing

@testable import CacheWorkloads

@Suite struct WorkloadFileTests {
    private func workload(_ text: String) throws(AssayError) -> Workload {
        try WorkloadFile.workload(named: "w", text, path: "folder/w.yaml", folder: "folder")
    }

    private static let head = "kind: generated\ndescription: d\norigin: o\nlicence: CC0-1.0\n"
    private static let zipf = head + "generator: zipf\nexponent: 0.9\nrequests: 1_000\nobjects: 100\n"
    private static let recorded =
        "kind: recorded\ndescription: d\norigin: o\nlicence: l\nfile: x.lis\nformat: arc\nhow-recorded: h\n"
    private static let digest = String(repeating: "0a", count: 32)

    @Test func generatedWorkloadIsItsSpecification() throws {
        let text =
            Self.zipf + "seed: 7\nsizes:\n  distribution: log-normal\n  median: 4096\n  sigma: 1.5\n"
            + "ttl: {distribution: fixed, value: 60}\n"
        let read = try workload(text)
        #expect((read.name, read.description, read.origin, read.licence) == ("w", "d", "o", "CC0-1.0"))
        #expect(
            read.source
                == .generated(
                    WorkloadSpecification(
                        pattern: .zipf(exponent: 0.9), requests: 1000, objects: 100, seed: 7,
                        sizes: .logNormal(median: 4096, sigma: 1.5, minimum: 1, maximum: 4_294_967_294),
                        timesToLive: .fixed(60))))
    }

    @Test(arguments: [
        ("generator: uniform", AccessPattern.uniform), ("generator: loop", .loop),
        (
            "generator: scan\nhot-objects: 5\nexponent: 1\nhot-requests: 6\nscan-length: 7",
            .scan(hotObjects: 5, exponent: 1, hotRequests: 6, scanLength: 7)
        ),
        ("generator: hotspot\nhot-objects: 5\nhot-share: 0.5", .hotspot(hotObjects: 5, hotShare: 0.5)),
        (
            "generator: shifting\nexponent: 1\nperiod: 5\nshift: 6",
            .shifting(exponent: 1, period: 5, shift: 6)
        ),
        ("generator: latest\nexponent: 0.99", .latest(exponent: 0.99)),
        (
            "generator: reuse\nreuse: {distances: [1, 5], reuses: [3, 4]}\npopularity: {objects: [2], requests: [9]}",
            .reuse(ReuseModel(distances: [1, 5], reuses: [3, 4], objects: [2], requests: [9]))
        ),
        (
            "generator: tenants\ntenants: [{name: a, share: 1, objects: 10, generator: loop}]",
            .tenants([TenantWorkload(name: "a", share: 1, objects: 10, pattern: .loop)])
        ),
    ])
    func everyGenerator(fields: String, pattern: AccessPattern) throws {
        let read = try workload(Self.head + fields + "\nrequests: 10\nobjects: 10\n")
        #expect(read.source == .generated(WorkloadSpecification(pattern: pattern, requests: 10, objects: 10)))
    }

    @Test func aSystemsWorkloadHasSettingsWithTheirLines() throws {
        let head = "kind: system\ndescription: d\norigin: o\nlicence: l\nsystem: http-cache\n"
        let read = try workload(head + "backend: log\nrequests: 1_000\nprofile: a_b\n")
        #expect(
            read.source
                == .system(
                    SystemWorkload(
                        system: "http-cache", policy: "lru", backend: "log",
                        settings: [.init("requests", "1000", line: 7), .init("profile", "a_b", line: 8)])))
        let error = #expect(throws: AssayError.self) { try workload(head + "sizes: [1]\n") }
        #expect(error?.location == AssayError.Location("folder/w.yaml", line: 6))
    }

    @Test func recordedWorkloadLiesBesideItsFile() throws {
        let read = try workload(Self.recorded + "sha256: \(Self.digest)\n")
        #expect(
            read.source
                == .recorded(Recording(path: "folder/x.lis", format: "arc", sha256: Self.digest, howRecorded: "h")))
    }

    /// A text, the line that the error names, and a part of its message.
    static let malformed: [(String, Int?, String)] = [
        ("", 1, "empty"),
        ("just words", 1, "Expected fields"),
        ("kind: generated\n  bad: [\n", 2, "not YAML"),
        ("kind: generated\nkind: recorded\n", 1, "twice"),
        ("kind: recorded\n", 1, "description"),
        ("kind: made\ndescription: d\norigin: o\nlicence: l\n", 1, "'made' is none of generated, recorded, system"),
        (zipf + "sede: 3\n", 9, "Did you mean 'seed'?"),
        (zipf + "seed: -1\n", 9, "at least 0"),
        (zipf + "seed: x\n", 9, "not a whole number"),
        (head + "generator: reuse\nrequests: 9\nobjects: 9\n", 1, "reuse: the field is missing"),
        (
            head + "generator: reuse\nreuse: {distances: [x], reuses: [1]}\npopularity: {objects: [1], requests: [1]}\n"
                + "requests: 9\nobjects: 9\n", 6, "distances: 'x'"
        ),
        (head + "generator: tenants\nrequests: 9\n", 1, "tenants: the field is missing"),
        (zipf + "operations: {wirtes: 0.5}\n", 9, "Did you mean 'writes'?"),
        (zipf + "operations: {writes: 1.5}\n", nil, "at most 1"),
        (zipf + "arrivals: {process: often}\n", 9, "none of constant, poisson"),
        (zipf + "sizes: {distribution: classes, first: [1], last: [1], shares: []}\n", 9, "as many numbers"),
        (head + "generator: zpif\nrequests: 1\nobjects: 1\n", 5, "did you mean 'zipf'?"),
        (head + "generator: zipf\nexponent: steep\nrequests: 1\nobjects: 1\n", 6, "not a number"),
        (head + "generator: zipf\nrequests: 1\nobjects: 1\n", 1, "exponent: the field is missing"),
        (head + "generator: uniform\nrequests: [1]\nobjects: 1\n", 6, "expected one value"),
        (head + "generator: uniform\nrequests: 0\nobjects: 1\n", nil, "requests must be"),
        (zipf + "ttl: {distribution: fixed, value: 1}\nrequests-per-second: 1e-9\n", nil, "from 0.001"),
        (
            head + "generator: uniform\nrequests: 4294967294\nobjects: 1\nttl: {distribution: fixed, value: 1}\n"
                + "requests-per-second: 0.001\n", nil, "146 years"
        ),
        (zipf + "sizes: {distribution: log-normal, median: 1e300, sigma: 1}\n", nil, "median must be from"),
        (zipf + "sizes: {distribution: log-normal, median: 1, sigma: 1e308}\n", nil, "sigma must be from"),
        (zipf + "sizes: {distribution: pareto, shape: 1e-320, minimum: 1}\n", nil, "shape must be from"),
        (zipf + "sizes: {distribution: fixed, value: 9223372036854775807}\n", nil, "below 4294967295"),
        (zipf + "sizes: 5\n", 9, "Expected fields"),
        (zipf + "sizes:\n  distribution: normal\n", 10, "none of fixed"),
        (zipf + "sizes:\n  distribution: fixed\n  value: 5\n  vaule: 6\n", 12, "Unknown field 'vaule'"),
        (zipf + "hot-share: 0.5\n", 9, "Unknown field 'hot-share'"),
        (recorded + "sha256: abc\n", 8, "64 hexadecimal digits"),
        (recorded, 1, "sha256: the field is missing"),
    ]

    /// A few lines of aliases that would stand for 10^9 nodes, as keys and as values.
    @Test(arguments: [true, false]) func `aliases are refused before they are followed`(areKeys: Bool) throws {
        var text = Self.head + "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
        for level in 1...9 {
            let item = "*a\(level - 1)"
            let items = [String](repeating: item, count: 10).joined(separator: ", ")
            text += "a\(level): &a\(level) " + (areKeys ? "{? [\(items)] : 1}\n" : "[\(items)]\n")
        }
        let error = #expect(throws: AssayError.self) { try workload(text) }
        #expect(error?.code == .badInput)
        #expect(error?.location?.line == 6)
        #expect(error?.message.contains("Aliases") == true)
        let suite = #expect(throws: AssayError.self) {
            _ = try WorkloadFile.root("runs: &a [1]\nmore: *a\n", path: "s.yaml")
        }
        #expect(suite?.location?.line == 2)
        // Neither mark alone means anything.
        _ = try workload(Self.zipf.replacing("description: d", with: "description: a & b, 2 * c and &d"))
    }

    @Test(arguments: ["[", "{", "- ", "? ", "{? ", "[{a: ", "a: ["]) func `deep nesting is refused`(_ open: String) {
        for depth in [999, 1001, 20_000] {
            let text = Self.head + "extra: " + (open == "a: [" ? "\n  " : "") + String(repeating: open, count: depth)
            let error = #expect(throws: AssayError.self) { try workload(text) }
            #expect(error?.code == .badInput)
            #expect(error?.message.contains("yaml_") == false, "\(String(describing: error))")
        }
    }

    @Test func `a file that is no workload's size or kind is refused before it is read`() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "assay-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let long = folder.appending(path: "long.yaml").path
        try Data((Self.zipf + "# " + String(repeating: "x", count: 1 << 16)).utf8).write(to: URL(filePath: long))
        for path in [long, "/dev/zero", folder.path] {
            let error = #expect(throws: AssayError.self) { try WorkloadFile.read(path) }
            #expect(error?.code == .badInput)
        }
        let missing = #expect(throws: AssayError.self) { try WorkloadFile.read(folder.path + "/none.yaml") }
        #expect(missing?.code == .inputOutput)
    }

    /// What is missing stands where it does not belong: that is told, and not what is missing.
    @Test(arguments: [
        ("description: d\ntraces: [a.csv]\n", 2, "Unknown field 'traces'"),
        ("description: d\nruns:\n- trace: a.csv\n", 3, "Did you mean 'traces'?"),
        ("description: d\nruns: []\n", 2, "needs at least one run"),
        ("description: d\nruns:\n- policies: [lru]\n", 3, "needs at least one trace"),
    ])
    func `a malformed suite says where and what`(_ text: String, _ line: Int, _ message: String) throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "suite-\(UUID().uuidString).yaml").path
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(atPath: path) }
        let error = #expect(throws: AssayError.self) { try SuiteFile.read(path) }
        #expect(error?.code == .badInput && error?.location?.line == line, "\(String(describing: error))")
        #expect(error?.message.contains(message) == true, "\(String(describing: error))")
    }

    @Test(arguments: malformed)
    func malformedFileIsNamed(text: String, line: Int?, message: String) {
        var found: AssayError?
        do throws(AssayError) { _ = try workload(text) } catch { found = error }
        #expect(found?.code == .badInput)
        #expect(found?.location?.source == "folder/w.yaml")
        #expect(found?.location?.line == line, "\(String(describing: found))")
        #expect(found?.message.contains(message) == true, "\(String(describing: found))")
    }
}
