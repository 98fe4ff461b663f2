import CacheCore
import CachePolicies
import Testing

/// A policy as the command line writes it: `name` or `name:parameter=value,…`.
struct PolicyCall: Sendable, CustomTestStringConvertible {
    let text: String
    let entry: PolicyEntry
    let parameters: ParameterValues

    init(_ text: String, in entries: [PolicyEntry] = BuiltinPolicies.all) throws {
        let parts = text.split(separator: ":", maxSplits: 1)
        self.text = text
        entry = try #require(entries.first { $0.descriptor.name == parts[0] }, "no policy is called \(text)")
        parameters = try ParameterValues(
            parsing: parts.count > 1 ? String(parts[1]) : "", for: entry.descriptor.parameters,
            of: entry.descriptor.name)
    }

    var testDescription: String { text }

    func simulate(_ columns: RequestColumns, _ capacity: Capacity) throws -> ReplayCounts {
        try #require(try entry.simulate(columns, configuration(capacity, columns.objects)))
    }

    func open(_ capacity: Capacity, _ objects: ObjectSpace) throws -> any SteppedPolicy {
        try entry.open(configuration(capacity, objects))
    }

    private func configuration(_ capacity: Capacity, _ objects: ObjectSpace) -> PolicyConfiguration {
        PolicyConfiguration(capacity: capacity, objects: objects, parameters: parameters)
    }
}
