internal import CacheCore

// The tables above and below the traces.
extension PageBuilder {
    /// Every cell without a result, with its reason; nil if there is none.
    var failures: String? {
        let rows = results.cells.compactMap { cell -> [DataTable.Cell]? in
            guard let failure = cell.failure else { return nil }
            return [
                .init(cell.trace), .init(labels.label(cell)), .init(cell.backend),
                .init(capacityText(cell), sort: Double(cell.capacity)),
                .init(failure.kind.rawValue, classes: cell.hasFailed ? "bad" : "absent"),
                .init(failure.message, classes: "prose"),
            ]
        }
        guard !rows.isEmpty else { return nil }
        return DataTable(
            caption: "Cells without a result",
            columns: [
                .init("Trace", isNumeric: false), .init("Policy", isNumeric: false), .init("Backend", isNumeric: false),
                .init("Capacity"), .init("Kind", isNumeric: false), .init("Reason", isNumeric: false),
            ], rows: rows
        ).html()
    }

    /// The best policy of each trace at each capacity: a row a trace, a column a capacity.
    var winners: String? {
        guard !standings.contests.isEmpty else { return nil }
        let names = results.traceNames
        let rows = names.flatMap { trace in
            Capacity.Unit.allCases.compactMap { unit -> (String, [Standings.Contest])? in
                let contests = standings.contests.filter { $0.trace == trace && $0.unit == unit }
                let isMixed = standings.contests.contains { $0.trace == trace && $0.unit != unit }
                return contests.isEmpty ? nil : (isMixed ? "\(trace), \(unit.rawValue)" : trace, contests)
            }
        }
        let requested = rows.map { row in
            row.1.map {
                $0.capacityRequested.hasSuffix("%B") ? String($0.capacityRequested.dropLast()) : $0.capacityRequested
            }
        }
        let isShared = Set(requested).count == 1
        let width = rows.map(\.1.count).max() ?? 0
        let titles = (0..<width).map { isShared ? requested[0][$0] : "Size \($0 + 1)" }
        return DataTable(
            caption: "Best policy by trace and capacity",
            columns: [.init("Trace", isNumeric: false)] + titles.map { .init($0, isNumeric: false) },
            rows: rows.map { trace, contests in
                [.init(trace)] + contests.map(winnerCell)
                    + Array(repeating: .init(""), count: width - contests.count)
            }, isSortable: false, classes: "winners"
        ).html()
    }

    private func winnerCell(_ contest: Standings.Contest) -> DataTable.Cell {
        guard let first = contest.winners.first, let style = styles[first] else { return .init(HumanFormat.absent) }
        let size = contest.unit == .objects ? HumanFormat.count(contest.capacity) : HumanFormat.bytes(contest.capacity)
        guard contest.counts.hits > 0 else { return .init("no hits", classes: "absent", note: "\(size)") }
        let others = contest.winners.count > 1 ? " and \(contest.winners.count - 1) more" : ""
        return .init(
            style.label + others, swatch: style,
            note: "\(HumanFormat.percent(contest.counts.hitRatio, digits: 1)) · \(size)")
    }

    /// What the table of winners says and leaves out.
    var winnersNote: String {
        let bounds = labels.keys.filter(labels.isBound).map(labels.label)
        let knowing = bounds.count == 1 ? "which knows the future" : "which know the future"
        let without = bounds.isEmpty ? "" : " Without \(bounds.joined(separator: ", ")), \(knowing)."
        return "The policy with the most hits, its hit ratio, and the capacity.\(without)"
    }

    /// The traces that were replayed.
    var traces: String {
        let rows = results.traces.map { trace -> [DataTable.Cell] in
            [
                .init(trace.name), .figure(trace.requests), .figure(trace.objects),
                .figure(trace.hasSizes ? trace.bytesRequested : nil, HumanFormat.bytes),
                .figure(trace.hasSizes ? trace.footprintBytes : nil, HumanFormat.bytes),
                .init(trace.format), .init(trace.argument, classes: "code"),
                .init(trace.digest, classes: "code digest"),
                .init(trace.origin ?? HumanFormat.absent, classes: trace.origin == nil ? "absent" : "prose"),
            ]
        }
        return DataTable(
            caption: "Traces",
            columns: [
                .init("Trace", isNumeric: false), .init("Requests"), .init("Objects"), .init("Bytes requested"),
                .init("Footprint"), .init("Format", isNumeric: false), .init("Given as", isNumeric: false),
                .init("Digest", isNumeric: false), .init("Origin", isNumeric: false),
            ], rows: rows
        ).html()
    }

    /// The policies that ran, with what they do; nil if the run did not record it.
    var policies: String? {
        guard let policies = results.policies, !policies.isEmpty else { return nil }
        return DataTable(
            caption: "Policies",
            columns: [
                .init("Policy", isNumeric: false), .init("Family", isNumeric: false),
                .init("How it chooses", isNumeric: false), .init("Source", isNumeric: false),
            ],
            rows: policies.map { policy in
                [
                    .init(policy.name), .init(policy.family), .init(policy.summary, classes: "prose"),
                    .init(policy.citation, classes: "prose"),
                ]
            }
        ).html()
    }

    /// The command line, quoted for a shell.
    var command: String { Self.commandText(results.commandLine) }

    /// The command with these arguments, quoted for a shell.
    static func commandText(_ arguments: [String]) -> String {
        (["assay"] + arguments).map(shellQuoted).joined(separator: " ")
    }

    private static func shellQuoted(_ argument: String) -> String {
        let isPlain =
            !argument.isEmpty
            && argument.unicodeScalars.allSatisfy { scalar in
                ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar) || ("0"..."9").contains(scalar)
                    || "-_./:=,%+@".unicodeScalars.contains(scalar)
            }
        return isPlain ? argument : "'" + argument.replacing("'", with: "'\\''") + "'"
    }

    /// The machine and the build.
    var environment: [PageModel.Pair] {
        let machine = results.environment
        var pairs: [PageModel.Pair] = [
            .init(name: "Assay", value: results.assayVersion), .init(name: "Build", value: machine.build),
            .init(name: "Operating system", value: machine.operatingSystem),
            .init(name: "Kernel", value: machine.kernel),
            .init(name: "Processor", value: "\(machine.processor), \(machine.processorCount) online"),
            .init(name: "Memory", value: HumanFormat.bytes(machine.memoryBytes)),
            .init(name: "Allocator, timing passes", value: machine.timingAllocator),
            .init(name: "Allocator, memory passes", value: machine.memoryAllocator),
        ]
        if let load = machine.loadAverage {
            pairs.append(.init(name: "Load average at start", value: HumanFormat.fixed(load, 2)))
        }
        if let floor = machine.timerFloorNanoseconds {
            pairs.append(.init(name: "Timer floor", value: HumanFormat.nanoseconds(floor)))
        }
        return pairs + [
            .init(name: "Started", value: results.startedAt),
            .init(name: "Duration", value: HumanFormat.duration(results.durationSeconds)),
            .init(name: "Seed", value: "\(results.seed)"),
            .init(name: "Schema version", value: "\(results.schemaVersion)"),
        ]
    }

    /// A capacity for people.
    func capacityText(_ cell: CellResult) -> String {
        cell.capacityUnit == .objects ? HumanFormat.count(cell.capacity) : HumanFormat.bytes(cell.capacity)
    }
}
