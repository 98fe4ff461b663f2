import Foundation
import Testing

@Suite("Every plug-in file has its registration line")
struct RegistrationTests {
    /// What a kind of plug-in's file is called, where it lies, and which file registers it.
    struct Kind: Sendable, CustomTestStringConvertible {
        let folder: String
        let suffix: String
        let registries: [String]
        var testDescription: String { "\(folder)*\(suffix).swift" }
    }

    private static let policyFamilies = [
        "AdaptivePolicies", "InterReferencePolicies", "LearnedPolicies", "PriorityPolicies", "RandomPolicies",
        "RecencyPolicies", "SegmentedPolicies", "SketchPolicies",
    ]

    static let kinds = [
        Kind(folder: "Sources/CachePolicies/", suffix: "Policy", registries: policyFamilies),
        Kind(folder: "Sources/CachePolicies/", suffix: "Prefetcher", registries: ["BuiltinPrefetchers"]),
        Kind(folder: "Sources/CacheTraces/Formats/", suffix: "TraceFormat", registries: ["BuiltinTraceFormats"]),
        Kind(folder: "Sources/CacheTraces/Export/", suffix: "Writer", registries: ["TraceWriter"]),
        Kind(folder: "Sources/CacheStorage", suffix: "Storage", registries: ["BuiltinStorage", "Plugins"]),
        Kind(folder: "Sources/CacheConformance/", suffix: "Checks", registries: ["BuiltinChecks"]),
        Kind(folder: "Sources/CacheSystemChecks/", suffix: "Checks", registries: ["BuiltinSystems"]),
        Kind(folder: "Sources/CacheSystemChecks/", suffix: "System", registries: ["BuiltinSystems"]),
        Kind(folder: "Sources/CacheSystemRuns/", suffix: "Run", registries: ["BuiltinSystemRuns"]),
        Kind(
            folder: "Sources/CacheReports/Renderers/", suffix: "Report", registries: ["ReportFormat", "Console"]),
        Kind(folder: "Sources/CacheReports/Gate/", suffix: "Output", registries: ["GateOutput"]),
        Kind(
            folder: "Sources/AssayCommand/", suffix: "Command",
            registries: ["RootCommand", "SweepCommand", "TraceCommand"]),
        Kind(folder: "Sources/assay-dev/", suffix: "Command", registries: ["main"]),
    ]

    @Test(arguments: kinds)
    func registered(_ kind: Kind) {
        let files = SourceFile.sources.filter {
            $0.path.hasPrefix(kind.folder) && $0.name.hasSuffix(kind.suffix) && !kind.registries.contains($0.name)
        }
        #expect(!files.isEmpty, "no file of this kind: has the folder moved?")
        let registry = SourceFile.sources.filter { kind.registries.contains($0.name) }.map(\.text).joined()
        let forgotten = files.filter { !Self.mentions(registry, $0.name) }
        #expect(forgotten.map(\.path) == [])
    }

    @Test func `a forgotten file would be noticed`() {
        #expect(!Self.mentions("PolicyEntry(unit: LRUPolicy<UnitSizes>.self)", "MRUPolicy"))
        #expect(Self.mentions("PolicyEntry(unit: LRUPolicy<UnitSizes>.self)", "LRUPolicy"))
    }

    private static func mentions(_ text: String, _ name: String) -> Bool {
        text.range(of: "\\b\(name)\\b", options: .regularExpression) != nil
    }
}
