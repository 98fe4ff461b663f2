import ArgumentParser
import CacheCore
import CacheHarness
import CacheTraces

/// `assay trace filter`: writes the requests of a trace that meet conditions.
struct TraceFilterCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "filter",
        abstract: "Write the requests of a trace that meet conditions, or that a first-level cache lets through.",
        discussion: """
            Every condition must be met. --through replays what is left through a cache, and takes the reads that miss it and \
            every write and delete: what a second-level cache behind it would see.
            """)

    @Argument(help: TraceReadingOptions.argument)
    var trace: String

    @Argument(help: "The file to write.")
    var file: String

    @Option(help: ArgumentHelp("Operations, separated by commas: read, write, delete.", valueName: "operation"))
    var operation: String?

    @Option(
        help: ArgumentHelp("A tenant by its name; may be given several times.", valueName: "name"))
    var tenant: [String] = []

    @Option(
        help: ArgumentHelp(
            "Requests from this time on: the trace's own seconds, or with a + a span after its first request (+10min).",
            valueName: "time"))
    var from: String?

    @Option(help: ArgumentHelp("Requests before this time, as --from.", valueName: "time"))
    var until: String?

    @Option(
        help: ArgumentHelp("A first-level cache, as lru:10% or s3fifo:small=0.1:64MiB.", valueName: "policy:capacity"))
    var through: String?

    @OptionGroup var writing: TraceWritingOptions
    @OptionGroup var reading: TraceReadingOptions

    @OptionGroup var plugins: PluginSelection

    func validate() throws {
        guard operation != nil || !tenant.isEmpty || from != nil || until != nil || through != nil else {
            throw ValidationError("Give at least one of --operation, --tenant, --from, --until and --through.")
        }
    }

    func run() throws {
        _ = try writing.writer(for: file)
        let operations = try operation.map { (text) throws(AssayError) in try Self.operations(text) }
        let firstLevel = try through.map { (text) throws(AssayError) in try FirstLevelCache(parsing: text) }
        let opened = try reading.open(trace).compiled
        let columns = opened.columns
        let tenants = try wantedTenants(opened)
        let times = try wantedTimes(opened)
        func meetsConditions(_ position: Int) -> Bool {
            if let operations, !operations.contains(columns.operation(at: position)) { return false }
            if let tenants, let column = columns.tenants, !tenants.contains(column[position]) { return false }
            if let times, let column = columns.times, !times.contains(column[position]) { return false }
            return true
        }
        let selected = try reading.make("filter", of: opened, where: meetsConditions)
        guard let firstLevel else { return try writing.write(selected, to: file) }
        var passed = [Bool](repeating: false, count: selected.requests)
        try firstLevel.replay(selected) { passed[$0] = true }
        try writing.write(try reading.make("filter", of: selected) { passed[$0] }, to: file)
    }

    private static func operations(_ text: String) throws(AssayError) -> Set<TraceOperation> {
        var operations: Set<TraceOperation> = []
        for word in text.split(separator: ",") {
            switch word.lowercased() {
            case "read", "get": operations.insert(.read)
            case "write", "set": operations.insert(.write)
            case "delete", "remove": operations.insert(.remove)
            default:
                throw AssayError(
                    .usage, "'\(word)' is no operation. Write read, write or delete.", at: .init("--operation"))
            }
        }
        return operations
    }

    private func wantedTenants(_ trace: CompiledTrace) throws(AssayError) -> Set<UInt16>? {
        guard !tenant.isEmpty else { return nil }
        let names = trace.tenantNames
        guard !names.isEmpty else {
            throw AssayError(.usage, "The trace states no tenants.", at: .init("--tenant"))
        }
        var wanted: Set<UInt16> = []
        for name in tenant {
            let found = names.indices.filter { names[$0] == name }
            guard !found.isEmpty else {
                let near = nearestName(to: name, among: names).map { " Did you mean '\($0)'?" } ?? ""
                throw AssayError(.usage, "No tenant is named '\(name)'.\(near)", at: .init("--tenant"))
            }
            wanted.formUnion(found.map { UInt16($0) })
        }
        return wanted
    }

    private func wantedTimes(_ trace: CompiledTrace) throws(AssayError) -> Range<Int64>? {
        guard from != nil || until != nil else { return nil }
        guard let times = trace.timesNanoseconds, let first = times.first else {
            throw AssayError(
                .usage, "The trace states no times, or all are equal.", at: .init(from == nil ? "--until" : "--from"))
        }
        let start =
            try from.map { (text) throws(AssayError) in try TraceTime.point(text, after: first, "--from") } ?? .min
        let end =
            try until.map { (text) throws(AssayError) in try TraceTime.point(text, after: first, "--until") } ?? .max
        guard start < end else { throw AssayError(.usage, "--until is not after --from.", at: .init("--until")) }
        return start..<end
    }
}

/// A cache that stands before another one.
struct FirstLevelCache {
    private let policy: PolicySelection
    private let capacity: CapacityRequest

    /// A policy, with parameters or without, and a capacity behind the last colon.
    init(parsing text: String) throws(AssayError) {
        guard let colon = text.lastIndex(of: ":") else {
            throw AssayError(
                .usage,
                "'\(text)' has no capacity. Write a policy and a capacity, as lru:10% or s3fifo:small=0.1:64MiB.",
                at: .init("--through"))
        }
        let policies = try Selection.policies([String(text[..<colon])])
        guard policies.count == 1, !policies[0].entry.isBound else {
            throw AssayError(.usage, "One policy is needed that is no bound.", at: .init("--through"))
        }
        policy = policies[0]
        capacity = try CapacityRequest(parsing: String(text[text.index(after: colon)...]))
    }

    /// Replays a trace and calls `passes` with the position of each request that is not a hit of a read.
    func replay(_ trace: CompiledTrace, passes: (Int) -> Void) throws(AssayError) {
        if capacity.unit == .bytes, !trace.hasSizes {
            throw AssayError(
                .usage,
                "The trace carries no sizes, so there is no capacity in bytes. Give objects (4096) or a share of them (1%).",
                at: .init("--through"))
        }
        let columns = policy.entry.needsFuture ? try trace.columnsWithFuture() : trace.columns
        let replay = try SteppedReplay(
            policy.entry, columns,
            PolicyConfiguration(
                capacity: capacity.resolved(
                    footprintObjects: trace.objects, footprintBytes: trace.footprintBytes),
                objects: columns.objects, parameters: policy.parameters, keys: columns.keys))
        let monitor = ReplayMonitor()
        for position in 0..<trace.requests {
            let hits = replay.hits
            _ = try replay.run(position..<position + 1, monitor)
            if columns.operation(at: position) != .read || replay.hits == hits { passes(position) }
        }
    }
}
