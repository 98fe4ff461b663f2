import Foundation
import Testing

@Suite("The libraries form a star around CacheCore")
struct ArchitectureTests {
    /// The modules of this package that a module may import beside CacheCore.
    static let allowed: [String: Set<String>] = [
        "CacheWorkloads": ["CacheTraces"],
        // Live runs measure the engine's cache, which is what people use; it knows protocols alone, as the harness does.
        "CacheHarness": ["CacheEngine"],
        "CacheReference": ["CacheConformance"],
        "CacheMutants": ["CacheConformance", "CacheReference"],
        // The suite in a test of Swift Testing, where an order is named as on the command line.
        "CacheConformanceTesting": ["CacheConformance", "CachePolicies"],
        // The skeleton of an adapter in Swift, which is written to an author's folder and not compiled here.
        "CacheKits": ["CacheConformance"],
        // The verdicts of a gate, as a terminal and a page show them.
        "CacheReports": ["CacheGate"],
        // Figures over commits: what the gate compares, kept.
        "CacheHistory": ["CacheGate"],
        "CacheEngineRecording": ["CacheEngine", "CacheRecording"],
        "CacheSystems": ["CacheEngine"],
        // The network of one of the systems.
        "CacheSystemsHTTP": ["CacheEngine", "CacheSystems"],
        "CacheSystemsPackages": ["CacheEngine", "CacheSystems"],
        // A backend over any other, and the files of one of the systems.
        "CacheEncryption": ["CacheStorage", "CacheSystems"],
        // The systems as the harness drives them, under workloads that files describe.
        "CacheSystemRuns": [
            "CacheEngine", "CacheHarness", "CacheSystems", "CacheSystemsPackages", "CacheTraces", "CacheWorkloads",
        ],
        // The engine's caches as subjects of the suite.
        "CacheEngineSubjects": ["CacheConformance", "CacheEngine"],
        // The suite's own acceptance test: the systems, as they are and as they were shipped, and the checks that tell them apart.
        "CacheSystemChecks": ["CacheConformance", "CacheEngine", "CacheSystems"],
        // The executable is what an outsider's is.
        "assay": ["AssayCommand"],
        "assay-dev": [
            "AssayCommand", "CacheConformance", "CacheHarness", "CacheMutants", "CacheReference", "CacheTraces",
        ],
    ]

    @Test func `libraries import no other library of this package than CacheCore`() {
        let modules = Set(SourceFile.sources.map(\.module))
        var wrong: [String] = []
        for file in SourceFile.sources where file.module != "AssayCommand" {
            for imported in Self.imports(of: file.text) where modules.contains(imported) {
                let isAllowed =
                    imported == "CacheCore" || imported.hasPrefix("C") && !imported.hasPrefix("Cache")
                    || Self.allowed[file.module, default: []].contains(imported)
                if !isAllowed { wrong.append("\(file.path) imports \(imported)") }
            }
        }
        #expect(wrong == [])
    }

    @Test func `the command that people build has no mutants in it`() {
        let wrong = SourceFile.sources.filter {
            $0.module == "AssayCommand" && Self.imports(of: $0.text).contains("CacheMutants")
        }
        #expect(wrong.map(\.path) == [])
    }

    @Test func `CacheCore, CachePolicies and CacheRecording use no Foundation`() {
        let heavy = SourceFile.sources.filter {
            ["CacheCore", "CachePolicies", "CacheRecording", "CacheEngineRecording"].contains($0.module)
                && Self.imports(of: $0.text).contains("Foundation")
        }
        #expect(heavy.map(\.path) == [])
    }

    @Test func `CacheRecording imports its core in C alone`() {
        let imported = SourceFile.sources.filter { $0.module == "CacheRecording" }.flatMap { Self.imports(of: $0.text) }
        #expect(Set(imported) == ["CCacheRecording"])
    }

    @Test func `imports are recognised in every form`() {
        #expect(
            Self.imports(of: "public import CacheCore\ninternal import Foundation\nimport X") == [
                "CacheCore", "Foundation", "X",
            ])
    }

    private static func imports(of text: String) -> [String] {
        text.matches(of: /(?m)^(?:@\w+(?:\([^)]*\))?\s+)?(?:public |package |internal |private )?import (\w+)/)
            .map { String($0.output.1) }
    }
}
