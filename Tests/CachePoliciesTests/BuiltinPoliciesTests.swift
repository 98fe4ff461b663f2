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
        let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
        let files = paths.filter { $0.hasSuffix("Policy.swift") || $0.hasSuffix("Bound.swift") }
            .map { URL(filePath: $0).deletingPathExtension().lastPathComponent }
        let registry = try paths.filter { $0.hasSuffix("Policies.swift") }
            .map { try String(contentsOf: folder.appending(path: $0), encoding: .utf8) }.joined()
        for file in files {
            let label = file.hasSuffix("Bound") ? "bound" : "unit"
            #expect(registry.contains("\(label): \(file)"), "\(file) is not registered")
        }
        // One policy with rules of its own stands for each of those that sample; those that learn have a list of their own.
        let ruled = files.count - paths.count { $0.hasPrefix("Learned/") && $0.hasSuffix("Policy.swift") }
        let names = BuiltinPolicies.all.filter { $0.presetOf == nil }.map(\.descriptor.name)
        #expect(ruled == Set(names.map { $0.hasPrefix("sampled-") ? "sampled" : $0 }).count)
    }

    @Test func `gives each policy its own names`() {
        let names = BuiltinPolicies.all.flatMap { [$0.descriptor.name] + $0.descriptor.aliases }
        #expect(Set(names).count == names.count)
        for name in names { #expect(name == name.lowercased()) }
    }

    /// A preset is the policy that it names, by the same rule.
    @Test(arguments: BuiltinPolicies.all.filter { $0.presetOf != nil })
    func `presets other defaults of one policy`(_ preset: PolicyEntry) throws {
        let base = try #require(BuiltinPolicies.all.first { $0.descriptor.name == preset.presetOf })
        let changed = zip(preset.descriptor.parameters, base.descriptor.parameters).filter { $0 != $1 }
        let text = changed.map { "\($0.0.name)=\($0.0.defaultText)" }.joined(separator: ",")
        let columns = RandomTraces.trace(seed: 3, requests: 2000, objects: 60).columns
        let expected = try PolicyCall("\(base.descriptor.name):\(text)").simulate(columns, .objects(20))
        #expect(!changed.isEmpty)
        #expect(try PolicyCall(preset.descriptor.name).simulate(columns, .objects(20)) == expected)
        #expect(try PolicyCall(base.descriptor.name).simulate(columns, .objects(20)) != expected)
    }

    @Test(arguments: BuiltinPolicies.all)
    func `describes itself`(_ entry: PolicyEntry) {
        let descriptor = entry.descriptor
        #expect(descriptor.summary.hasSuffix("."))
        #expect(!descriptor.citation.isEmpty)
        #expect(PolicyDescriptor.families.contains(descriptor.family))
        #expect((entry.needsFuture || descriptor.isUnbounded) == (descriptor.family == "bound"))
        #expect(!entry.isBound || entry.needsFuture)
        #expect(descriptor.memory != nil, "MemoryCostTests prints the line to add")
        for parameter in descriptor.parameters { #expect(parameter.summary.hasSuffix(".")) }
    }
}
