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

    func configuration(_ capacity: Capacity, _ objects: ObjectSpace) -> PolicyConfiguration {
        PolicyConfiguration(capacity: capacity, objects: objects, parameters: parameters)
    }

    /// Every policy at its defaults, then with each word of each of its choices, then at some numbers.
    static let all: [String] = defaults + choices + numbers

    private static let defaults = BuiltinPolicies.all.map(\.descriptor.name)

    private static let choices = BuiltinPolicies.all.flatMap { entry in
        entry.descriptor.parameters.flatMap { parameter -> [String] in
            guard case .choice(let usual, let words) = parameter.kind else { return [] }
            return words.filter { $0 != usual }.map { "\(entry.descriptor.name):\(parameter.name)=\($0)" }
        }
    }

    private static let numbers = [
        "clock:bits=2", "clock:bits=2,init=1", "clock:bits=3,init=2,dialect=caffeine", "2q:in=0.5,out=1",
        "2q:in=0,out=0", "2q:in=1,out=0.1", "s3fifo:small=0.3,ghost=0.5,threshold=1", "s3fifo:ghost=0",
        "s3fifo:small=0.5,dialect=libcachesim", "s3fifo:small=0.5,ghost=2,dialect=libcachesim-v0",
        "slru:segments=4", "slru:segments=3,shares=3:2:1", "slru:segments=4,dialect=libcachesim", "slru:segments=1",
        "w-tinylfu:window=0.5", "w-tinylfu:window=0.2,protected=0.5,sample=1", "w-tinylfu:window=0.3,dialect=caffeine",
    ]
}
