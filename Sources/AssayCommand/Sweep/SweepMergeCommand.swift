import ArgumentParser
import CacheCore
import CacheHarness
import CacheReports
import Foundation

/// `assay sweep merge`: one result of all shards.
struct SweepMergeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "merge",
        abstract: "Write what one 'assay run' of the whole plan would have written, and say what is missing and why.",
        discussion: """
            results.json and results.csv are written shard by shard, so that memory does not grow with the sweep. The page \
            report.html holds every figure and is left out of more than \(SweepMerge.pageCellsMax) combinations. What policies save \
            over a baseline policy across traces is in across.html, across.tex, across.csv and across-traces.csv, as 'assay report \
            --across' writes them. What shards lack is said, and the exit status is 69 then; what is there is written all the same.
            """)

    @OptionGroup var directory: SweepDirectory

    @Option(
        help: ArgumentHelp("The directory for the reports (default: 'report' in that of the sweep).", valueName: "dir"))
    var out: String?

    @Flag(help: "Replace results of other traces that are in --out.")
    var force = false

    @Flag(help: "Leave out report.html, and the reports of plug-ins.")
    var noPage = false

    @Option(
        help: ArgumentHelp(
            "The policy that traces are compared by (default: fifo, or lru where that did not run).", valueName: "name")
    )
    var baselinePolicy: String?

    func run() throws {
        let folder = try directory.open()
        let held = try ReportDirectory(out ?? "\(folder.path)/report")
        defer { withExtendedLifetime(held) {} }
        if out != nil {
            try held.keepEarlier(RunResults.kind.json, of: folder.plan.traces.map(\.digest), force: force)
        }
        let status = try SweepStatus(folder)
        var merge = SweepMerge(folder: folder, directory: held.path, isWithPage: !noPage)
        Console.printReports(try merge.run(baselinePolicy))
        for line in status.reasons(folder) { Console.error("assay: \(line)") }
        if !status.open.isEmpty {
            throw AssayError(
                .unavailable,
                "\(status.open.count) of \(folder.plan.shards.count) shards have no result. Run them: assay sweep run \(folder.path)"
            )
        }
        try AssayError.throwVerdict(merge.failures, of: "\(merge.cells) combinations", again: "plan again")
    }
}

/// Writes the results of all shards as one, in the order of the plan, with one shard in memory at a time.
struct SweepMerge {
    /// The most combinations of a page, and of the reports that need all results at once.
    static let pageCellsMax = 20_000

    let folder: ShardFolder
    let directory: String
    let isWithPage: Bool
    /// How many combinations were written.
    private(set) var cells = 0
    /// What failed in them, but for combinations that have no meaning.
    private(set) var failures: [CellFailure] = []

    private var across = AcrossTraces()
    private var kept: [CellResult]?
    private var headers: [Int: RunResults] = [:]
    private var policies: [PolicyDescription] = []

    init(folder: ShardFolder, directory: String, isWithPage: Bool) {
        (self.folder, self.directory, self.isWithPage) = (folder, directory, isWithPage)
        kept = isWithPage ? [] : nil
    }

    /// Writes the files and returns their paths.
    ///
    /// - Parameter baseline: The policy that traces are compared by; nil for the usual one, which need not be there.
    /// - Throws: `AssayError` with code `badInput` for a result that is damaged or of another plan, `unavailable` if there is none,
    ///   `usage` if the baseline policy is not among the results, `inputOutput` if a file cannot be written. Nothing has got its name then.
    mutating func run(_ baseline: String?) throws(AssayError) -> [String] {
        let plan = folder.plan
        let results = try folder.results()
        guard !results.isEmpty else {
            throw AssayError(
                .unavailable, "No shard is done yet. Run them: assay sweep run \(folder.path)", at: .init(folder.path))
        }
        let shards = Dictionary(grouping: plan.shards.indices) { plan.shards[$0].trace }
        var files = MergedFiles(directory)
        defer { files.discard() }
        var last: (index: Int, place: ShardResult.Place, results: RunResults)?
        for (number, block) in plan.blocks.enumerated() {
            for index in block.traces.flatMap({ shards[$0] ?? [] }) {
                guard let path = results[index] else { continue }
                if last?.index != index { last = try read(index, path) }
                guard let last, let part = last.place.cells(of: number, in: last.results.cells) else {
                    throw folder.damaged(path, index)
                }
                note(last.results, part, index)
                try files.append(Array(part), of: last.results)
            }
        }
        let merged = try merged(missing: plan.shards.indices.filter { results[$0] == nil })
        let comparison = try comparison(merged, baseline)
        var paths = try files.finish(merged)
        if let kept {
            var whole = merged
            whole.cells = kept
            // What was written already is the same to the byte, and left alone.
            paths = try BuiltinReports.write(whole, to: directory, reports: Plugins.current.reports)
            Console.print(try whole.document())
        } else {
            try? FileManager.default.removeItem(atPath: "\(directory)/\(RunResults.kind.page)")
            if isWithPage {
                Console.error(
                    "assay: no page of \(cells) combinations, which are more than \(Self.pageCellsMax); results.csv has them all"
                )
            }
        }
        if let comparison {
            paths += try AcrossReport.write(comparison, formats: [.html, .latex, .csv], to: directory)
        }
        return paths
    }

    /// What policies save over a baseline policy across traces; nil, in a sentence, where that cannot be said.
    private func comparison(_ merged: RunResults, _ baseline: String?) throws(AssayError) -> AcrossTracesDocument? {
        guard folder.plan.traces.count > 1 else {
            guard baseline == nil else {
                throw AssayError(.usage, "One trace is no comparison across traces. Leave --baseline-policy out.")
            }
            return nil
        }
        do throws(AssayError) {
            return try AcrossTracesDocument(across, of: merged, options: ReportOptions(baselinePolicy: baseline))
        } catch {
            guard baseline == nil, error.code == .usage else { throw error }
            Console.error("assay: no comparison across traces: \(error.description)")
            return nil
        }
    }

    private func read(
        _ index: Int, _ path: String
    ) throws(AssayError) -> (index: Int, place: ShardResult.Place, results: RunResults) {
        let data = try folder.result(path, of: index)
        let trace = folder.plan.traces[folder.plan.shards[index].trace]
        guard let place = try? JSONDecoder().decode(ShardResult.Head.self, from: data).shard,
            place.plan == folder.plan.digest, place.index == index,
            place.cellsByBlock.count == folder.plan.blocks.count,
            let results = try JSONReport.decode(data, from: path) as? RunResults, results.traces.count == 1,
            results.traces[0].name == trace.name, results.traces[0].digest == trace.digest
        else { throw folder.damaged(path, index) }
        return (index, place, results)
    }

    private mutating func note(_ results: RunResults, _ part: ArraySlice<CellResult>, _ index: Int) {
        cells += part.count
        across.add(Array(part), of: results.traces)
        failures += part.compactMap(\.failure).filter { $0.kind != .notApplicable }
        if kept.map({ $0.count + part.count > Self.pageCellsMax }) ?? true { kept = nil } else { kept? += part }
        for policy in part.map(\.policy) where !policies.contains(where: { $0.name == policy }) {
            policies += (results.policies ?? []).filter { $0.name == policy }
        }
        guard headers[index] == nil else { return }
        var header = results
        (header.cells, header.policies, header.cellsPlanned) = ([], nil, nil)
        headers[index] = header
    }

    /// Everything but the combinations.
    private func merged(missing: [Int]) throws(AssayError) -> RunResults {
        let plan = folder.plan
        let found = headers.sorted { $0.key < $1.key }
        var traces: [Int: TraceDescription] = [:]
        for (index, header) in found { traces[plan.shards[index].trace] = header.traces[0] }
        let bare = found.map { index, header in
            var header = header
            header.traces = []
            return (label: folder.label(index), results: header)
        }
        var results = try ResultsMerge(bare, commandLine: plan.commandLine).results
        results.traces = traces.sorted { $0.key < $1.key }.map(\.value)
        results.policies = policies
        results.cellsPlanned = cells + missing.reduce(0) { $0 + plan.shards[$1].combinations }
        results.status = missing.isEmpty ? .complete : .interrupted
        return results
    }
}
