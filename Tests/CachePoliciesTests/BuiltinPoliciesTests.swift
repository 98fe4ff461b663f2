import CacheCore
import CachePolicies
import Foundation
import Testing
import _CacheTestSupport

@Suite("The registry of policies")
struct BuiltinPoliciesTests {
    /// A file that is not registered is dead code that nobody sees.
    @Test func `holds every policy file`() throws {
        let folder = SharedFolder.packageRoot.appending(path: "Sources/CachePolicies")
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            .filter { $0.hasSuffix("Policy.swift") }.map { $0.dropLast(".swift".count) }
        let registry = try String(contentsOf: folder.appending(path: "BuiltinPolicies.swift"), encoding: .utf8)
        for file in files { #expect(registry.contains("unit: \(file)<"), "\(file) is not registered") }
        #expect(files.count == BuiltinPolicies.all.count)
    }

    @Test func `gives each policy its own names`() {
        let names = BuiltinPolicies.all.flatMap { [$0.descriptor.name] + $0.descriptor.aliases }
        #expect(Set(names).count == names.count)
        for name in names { #expect(name == name.lowercased()) }
    }

    @Test(arguments: BuiltinPolicies.all)
    func `describes itself`(_ entry: PolicyEntry) {
        let descriptor = entry.descriptor
        #expect(descriptor.summary.hasSuffix("."))
        #expect(!descriptor.citation.isEmpty)
        #expect(
            ["recency", "frequency", "segmented", "adaptive", "sketch", "random", "bound"].contains(descriptor.family))
        #expect(entry.needsFuture == (descriptor.name == "belady"))
        for parameter in descriptor.parameters { #expect(parameter.summary.hasSuffix(".")) }
    }
}
