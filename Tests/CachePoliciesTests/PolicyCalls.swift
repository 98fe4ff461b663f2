import CacheConformance
import CacheCore
import CachePolicies
import Foundation
import Testing

/// A policy as the command line writes it, `name` or `name:parameter=value,…`, and after a `+` an admission policy
/// before it, written alike: `lru+tinylfu:dialect=caffeine`.
struct PolicyCall: Sendable, CustomTestStringConvertible {
    let text: String
    let entry: PolicyEntry
    let parameters: ParameterValues
    let admission: AdmissionSelection?
    /// Whether objects expire.
    let honoursExpiry: Bool

    init(
        _ text: String, in entries: [PolicyEntry] = BuiltinPolicies.all,
        admissions: [AdmissionEntry] = BuiltinAdmissions.all, honoursExpiry: Bool = false
    ) throws {
        let halves = text.split(separator: "+", maxSplits: 1)
        let parts = halves[0].split(separator: ":", maxSplits: 1)
        self.text = text
        self.honoursExpiry = honoursExpiry
        admission = halves.count > 1 ? try Self.admission(String(halves[1]), in: admissions) : nil
        entry = try #require(entries.first { $0.descriptor.name == parts[0] }, "no policy is called \(text)")
        parameters = try ParameterValues(
            parsing: parts.count > 1 ? String(parts[1]) : "", for: entry.descriptor.parameters,
            of: entry.descriptor.name)
    }

    private static func admission(_ text: String, in entries: [AdmissionEntry]) throws -> AdmissionSelection {
        let parts = text.split(separator: ":", maxSplits: 1)
        let entry = try #require(entries.first { $0.descriptor.name == parts[0] }, "no admission is called \(text)")
        let parameters = try ParameterValues(
            parsing: parts.count > 1 ? String(parts[1]) : "", for: entry.descriptor.parameters,
            of: entry.descriptor.name)
        return AdmissionSelection(entry, parameters)
    }

    var testDescription: String { text }

    /// The policy for the suite.
    var subject: PolicySubject { PolicySubject(entry, parameters: parameters) }

    func simulate(_ columns: RequestColumns, _ capacity: Capacity) throws -> ReplayCounts {
        try #require(try entry.simulate(columns, configuration(capacity, columns.objects, columns.keys)))
    }

    func open(_ capacity: Capacity, _ objects: ObjectSpace) throws -> any SteppedPolicy {
        try entry.open(configuration(capacity, objects))
    }

    func configuration(_ capacity: Capacity, _ objects: ObjectSpace, _ keys: ObjectKeys? = nil) -> PolicyConfiguration {
        var configuration = PolicyConfiguration(
            capacity: capacity, objects: objects, parameters: parameters, keys: keys)
        configuration.admission = admission
        configuration.honoursExpiry = honoursExpiry
        // What other implementations counted, they counted so.
        configuration.rules.resize = .keep
        return configuration
    }

    /// What can drive a cache; bounds have a suite of their own.
    private static let policies = BuiltinPolicies.all.filter { !$0.isBound }

    /// Every policy at its defaults, then with each word of each of its choices, then at some numbers.
    ///
    /// While one policy is being written, `ASSAY_POLICIES=lirs,frd` narrows the tests to calls that begin so.
    static let all: [String] = {
        let calls = defaults + choices + numbers
        guard let only = ProcessInfo.processInfo.environment["ASSAY_POLICIES"] else { return calls }
        return calls.filter { call in only.split(separator: ",").contains { call.hasPrefix($0) } }
    }()

    private static let defaults = policies.map(\.descriptor.name)

    private static let choices = policies.flatMap { entry in
        entry.descriptor.parameters.flatMap { parameter -> [String] in
            guard case .choice(let usual, let words) = parameter.kind else { return [] }
            return words.filter { $0 != usual }.map { "\(entry.descriptor.name):\(parameter.name)=\($0)" }
        }
    }

    private static let numbers = [
        "w-tinylfu:window=0.3,dialect=libcachesim", "w-tinylfu:window=0.5,protected=0.5,dialect=libcachesim",
        "w-tinylfu:window=0.4,protected=0,dialect=libcachesim",
        "clock:bits=2", "clock:bits=2,init=1", "clock:bits=3,init=2,dialect=caffeine", "2q:in=0.5,out=1",
        "2q:in=0,out=0", "2q:in=1,out=0.1", "2q:in=1,out=4,dialect=libcachesim", "2q:in=0.7,out=2,dialect=libcachesim",
        "s3fifo:small=0.3,ghost=0.5,threshold=1", "s3fifo:ghost=0",
        "s3fifo:small=0.5,dialect=libcachesim", "s3fifo:small=0.5,ghost=2,dialect=libcachesim-v0",
        "lrfu:lambda=0", "lrfu:lambda=1", "lrfu:lambda=0.1",
        "s3lru:small=0.4,ghost=0.3", "s3lru:small=0.5,ghost=2,threshold=2", "s3lru:small=1,ghost=0",
        "tiny-cache:filter=counts,window=3", "tiny-cache:window=2,dialect=caffeine",
        "slru:segments=4,dialect=libcachesim-v0", "slru:segments=1,dialect=libcachesim-v0",
        "slru:segments=4", "slru:segments=3,shares=3:2:1", "slru:segments=4,dialect=libcachesim", "slru:segments=1",
        "cacheus:sr=0.3", "cacheus:sr=0.5,least=0.2,dialect=caffeine", "cacheus:sr=1,least=0.5",
        "lecar:learning-rate=2,discount=0.5", "lecar:weight=0.9,history=1,least=0.1", "lecar:history=0",
        "lhd:associativity=2,admissions=3,interval=16,ages=16", "lhd:interval=40,ages=64,explorers=0.5",
        "lhd:associativity=1,admissions=0,ages=100,explorers=0",
        "mq:lifetime=3", "mq:queues=3,lifetime=5,ghost=0.5", "mq:queues=1,ghost=0",
        "mq:lifetime=2,ghost=0.3,dialect=caffeine",
        "mq:lifetime=4,ghost=1,dialect=libcachesim", "mq:lifetime=40,ghost=0.5,dialect=caffeine",
        "qdlp:small=0.3,ghost=0.5,threshold=2,bits=1", "qdlp:small=0.6,ghost=2", "qdlp:small=1,ghost=0",
        "qdlp:small=0.5,dialect=libcachesim", "qdlp:small=0.7,ghost=2,threshold=3,dialect=libcachesim",
        "clock2q-plus:small=0.5", "clock2q-plus:small=0.5,window=0,ghost=2",
        "clock2q-plus:small=0.7,window=1,threshold=2",
        "clock2q-plus:small=1,ghost=0", "clock2q-plus:small=0.5,dialect=libcachesim",
        "clock2q-plus:small=0.8,window=0.2,ghost=2,threshold=2,dialect=libcachesim",
        "s3fifo-d:small=0.4,watch=1", "s3fifo-d:small=0.6,threshold=2,watch=0.5", "s3fifo-d:small=1,watch=0",
        "s3fifo-d:small=0.5,watch=1,dialect=libcachesim",
        "s3fifo-d:small=0.3,threshold=3,watch=0.3,dialect=libcachesim",
        "fifo-merge:examine=3,keep=1", "fifo-merge:examine=4,keep=3,retain=recency", "fifo-merge:examine=2,keep=0",
        "fifo-merge:examine=3,keep=1,dialect=libcachesim", "fifo-merge:examine=6,keep=2,dialect=libcachesim",
        "fifo-merge:examine=7,keep=3,retain=recency,dialect=libcachesim", "fifo-merge:examine=1,keep=0",
        "fifo-merge:examine=5,keep=2,dialect=libcachesim-reinsertion",
        "fifo-merge:examine=4,keep=3,retain=recency,dialect=libcachesim-reinsertion",
        "belady-size:samples=2", "belady-size:samples=0", "belady-size:samples=1",
        "tuqueue:hot=0.5,warm=0.5", "tuqueue:hot=0,warm=0", "tuqueue:hot=1,warm=0", "tuqueue:hot=0.1,warm=0.6",
        "w-tinylfu:window=0.5", "w-tinylfu:window=0.2,protected=0.5,sample=1", "w-tinylfu:window=0.3,dialect=caffeine",
        "sampled-lru:samples=1", "sampled-lru:samples=2,dialect=caffeine", "sampled-mru:samples=30",
        "sampled-lfu:samples=30", "sampled-mfu:samples=3,dialect=caffeine", "hyperbolic:samples=3",
        "hyperbolic:samples=8,dialect=caffeine", "lru-prob:probability=0", "lru-prob:probability=1",
        "lru-prob:probability=0.1",
        "clock-pro:ghost=2,dialect=caffeine", "clock-pro:cold-min=0.3,cold-max=0.6,ghost=0.5", "clock-pro:ghost=0",
        "clock-pro:cold-min=0.5,cold-max=0.5,dialect=caffeine", "clock-pro-plus:cold-min=0.2,cold-max=1,ghost=2",
        "clock-pro-plus:cold-max=0.9,ghost=0.3,dialect=caffeine",
        "lirs:hir=0.4", "lirs:hir=0.6,hir-minimum=2,non-resident=0.5", "lirs:non-resident=0", "lirs:hir=1",
        "lirs2:hir=0.4,stack=2", "lirs2:hir=0.3,stack=3,non-resident=0.5", "lirs2:non-resident=0",
        "lirs2:hir=1,stack=2",
        "frd:filter=0.5", "frd:filter=0.3,history=0.5", "frd:history=0", "frd:filter=1", "frd:filter=0",
        "dclock:active=0.9", "dclock:active=1,dialect=caffeine", "dclock:active=0",
        "lfu:ties=fifo,history=perfect", "lfu:ties=lifo,history=perfect",
        "camp:precision=1", "camp:precision=8", "gd-wheel:wheels=1,queues=2", "gd-wheel:wheels=3,queues=4",
        "gd-wheel:wheels=4,queues=3", "lru-k:k=1", "lru-k:k=3", "lru-k:history=0", "lru-k:history=0.5,k=3",
        "lru-k:crp=1",
        "lru-k:crp=3,history=2", "lru-k:k=3,crp=5", "lru-k:k=4,crp=2,history=0", "lru-k:crp=1000", "lru-k:k=1,crp=4",
        "lru-k:k=1,dialect=libcachesim", "lru-k:k=3,dialect=libcachesim",
        "w-tinylfu:protected=0,sample=1,dialect=caffeine", "s4-w-tinylfu:levels=2,window=0.3,sample=1,dialect=caffeine",
        "fully-segmented-w-tinylfu:window=0.4,window-protected=0.5,dialect=caffeine",
        "random-w-tinylfu:window=0.3,dialect=caffeine", "feedback-tinylfu:gain=2,period=4,dialect=caffeine",
        "feedback-w-tinylfu:increment=3,decrement=1,period=4,dialect=caffeine",
        "feedback-w-tinylfu:window=0.3,limit=2,period=6", "hill-climber-w-tinylfu:period=0.5,pivot=0.3",
        "hill-climber-w-tinylfu:climber=correlation,period=0.3,window=0.2,dialect=caffeine",
        "hill-climber-w-tinylfu:climber=trust-region-ewma,period=0.2,pivot=0.4",
        "hill-climber-w-tinylfu:climber=simulated-annealing,period=0.2,pivot=0.4",
        "hill-climber-w-tinylfu:climber=nesterov,pivot=0.3,period=0.4",
    ]
}
