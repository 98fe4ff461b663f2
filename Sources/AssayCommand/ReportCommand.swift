internal import ArgumentParser
internal import CacheCore
internal import CacheGate
internal import CacheReports
internal import Foundation

#if Conformance
    internal import CacheConformance
#endif

/// `assay report`: draws recorded results again, and several of one kind as one or side by side.
struct ReportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "Draw recorded results again, in many formats; merge or compare several.",
        discussion: """
            Takes what a command recorded: results.json, curve.json, advice.json, bench.json, systems.json, a report of conform
            --json, or folders of these. Without --format it prints the results and writes the files that their command wrote,
            beside them or into --out: for a run \(names(Plugins.current.reports.map(\.fileName))), for curves
            \(names(CurveResults.kind.fileNames)), for advice \(names(AdviceResults.kind.fileNames)), for a bench
            \(names(BenchResults.kind.fileNames)) and histograms, for systems \(names(SystemResults.kind.fileNames)). What conform --json
            wrote as NAME.json becomes NAME.html. The JSON itself is never changed; with --out it is copied as it is.

            Several results of one kind are merged if each has something that the others lack and no exact figure contradicts
            another. Otherwise they are compared: a column a file, differences to the first. What was done is said. --merge and
            --compare choose. Both go into --out, or into a new directory in Reports.

            Formats: html (a page), csv (tidy tables), markdown (NAME.md), terminal (printed), latex (NAME.tex: tables for
            papers), json (NAME-document.json: what the page says, for programs), svg and png (each chart, in NAME-charts; png
            needs Debian's librsvg2-bin).

            --across compares policies across the traces of a run: by how much each has fewer misses than --baseline-policy (fifo,
            or lru where that did not run), in mean, percentiles and 95 % intervals, for all traces and by folder and size. It
            prints them and writes \(AcrossTracesDocument.stem).html, .tex, \(names(AcrossTracesDocument.tables)).

            docs/csv.md says what each column of the CSV files means, and docs/schemas has a JSON Schema for each JSON.
            """)

    @Argument(
        help: "What run, curve, advise, bench, run --system or conform recorded: files or folders.",
        completion: .file(extensions: ["json"]))
    var results: [String]

    @Option(
        help: ArgumentHelp(
            "The directory to write into; that of the results by default, and a new one for several.", valueName: "dir")
    )
    var out: String?

    @Option(help: ArgumentHelp("\(ReportFormat.names), with commas between.", valueName: "formats"))
    var format: String?

    @Option(
        help: ArgumentHelp(
            "The policy that differences refer to; lru by default, or fifo. With --across the other way round.",
            valueName: "name"))
    var baselinePolicy: String?

    @Flag(help: "Compare policies across the traces of a run.")
    var across = false

    @Flag(help: "Make one of several results, or say why that cannot be.")
    var merge = false

    @Flag(help: "Show several results side by side, also where they could be merged.")
    var compare = false

    @Flag(help: "Replace a JSON of other results that is in the directory.")
    var force = false

    private static func names(_ fileNames: [String]) -> String { fileNames.joined(separator: ", ") }

    func run() throws {
        guard !(merge && compare) else {
            throw AssayError(.usage, "--merge and --compare exclude each other. Give one of them.")
        }
        guard !(across && compare) else {
            throw AssayError(.usage, "--across draws one run, and --compare keeps several apart. Give one of them.")
        }
        let formats = try format.map(ReportFormat.list)
        if formats?.contains(.png) == true { try PNGCharts.requireProgram() }
        let inputs = try ReportInput.read(results)
        let groups = Dictionary(grouping: inputs, by: \.kind).sorted { $0.key < $1.key }.map(\.value)
        guard !(merge || compare) || groups.contains(where: { $0.count > 1 }) else {
            throw AssayError(
                .usage, "\(merge ? "--merge" : "--compare") needs at least two results of one kind. Give another file.")
        }
        let folders = Set(inputs.map { URL(filePath: $0.path).standardizedFileURL.deletingLastPathComponent().path })
        let isBesideThem = folders.count == 1 && groups.count == inputs.count
        let held = try ReportDirectory(
            out ?? (isBesideThem ? URL(filePath: inputs[0].path).deletingLastPathComponent().path : nil))
        defer { withExtendedLifetime(held) {} }
        for group in groups {
            if group.count > 1 {
                try combine(group, formats, held)
            } else if case .recorded(let results, let text) = group[0].content {
                try write(results, recorded: text, formats, held)
            } else {
                try writeConformance(group[0].path, formats, held)
            }
        }
    }

    private func say(_ paths: [String]) { for path in paths { Console.print("wrote \(path)") } }

    // MARK: - One

    /// Draws results; those that are read keep their JSON to the byte.
    private func write<Results: CombinableResults>(
        _ results: Results, recorded: String?, _ formats: [ReportFormat]?, _ held: ReportDirectory
    ) throws {
        let options = ReportOptions(baselinePolicy: baselinePolicy)
        if across {
            guard let run = results as? RunResults else {
                throw AssayError(.usage, "--across takes what 'assay run' and 'assay sweep merge' wrote: results.json.")
            }
            let across = try AcrossTracesDocument(AcrossTraces(run), of: run, options: options)
            return say(try AcrossReport.write(across, formats: formats, to: held.path))
        }
        let document = try results.document(options)
        if let formats {
            let stem = URL(filePath: Results.kind.page).deletingPathExtension().lastPathComponent
            let output = ReportOutput(formats: formats, directory: held.path)
            return say(try output.write(document, named: stem, csv: results.csv()))
        }
        let text = try recorded ?? JSONReport.render(results)
        try held.requireSame(Results.kind.json, as: Data(text.utf8), force: force)
        Console.print(document)
        guard let run = results as? RunResults else {
            return say(try ReportFiles.write(results, to: held.path, recorded: recorded, options: options))
        }
        let reports = Plugins.current.reports
        say(try BuiltinReports.write(run, to: held.path, recorded: recorded, options: options, reports: reports))
    }

    /// Draws what conform found.
    private func writeConformance(_ path: String, _ formats: [ReportFormat]?, _ held: ReportDirectory) throws {
        guard !across else { throw AssayError(.usage, "--across takes results.json, and not a report of conform.") }
        #if Conformance
            let report = try ConformanceFile.read(path)
            let stem = URL(filePath: path).deletingPathExtension().lastPathComponent
            let command = ["conform", report.subject, "--seed", "\(report.seed)"]
            if formats?.contains(.terminal) ?? true {
                Console.print(ConformanceTable.header)
                for result in report.results where !result.isNotClaimed { Console.print(ConformanceTable.row(result)) }
                Console.print(
                    ConformanceTable.summary(of: report, reproducer: ConformanceTable.form(for: report.subject)))
            }
            let findings = try ConformanceFile.findings(report, commandLine: command)
            let rest = (formats ?? [.html]).filter { $0 != .terminal }
            say(
                try ReportOutput(formats: rest, directory: held.path).write(
                    findings.document(ReportOptions(baselinePolicy: baselinePolicy)), named: stem,
                    csv: [("\(stem).csv", CSVReport.render(findings))]))
        #else
            throw Part.conformance.missing("a report of conform")
        #endif
    }

    // MARK: - Several

    /// Merges results of one kind, or compares them.
    private func combine(_ inputs: [ReportInput], _ formats: [ReportFormat]?, _ held: ReportDirectory) throws {
        let all = inputs.compactMap { input -> (String, any CombinableResults)? in
            if case .recorded(let results, _) = input.content { (input.label, results) } else { nil }
        }
        guard let first = all.first?.1 else { return try compareConformance(inputs, formats, held) }
        try combine(first, all, inputs, formats, held)
    }

    private func combine<Results: CombinableResults>(
        _: Results, _ all: [(String, any CombinableResults)], _ inputs: [ReportInput], _ formats: [ReportFormat]?,
        _ held: ReportDirectory
    ) throws {
        let labelled = all.compactMap { label, results in (results as? Results).map { (label: label, results: $0) } }
        let labels = Self.names(labelled.map(\.label))
        var reason = "that was asked for"
        var merged: ResultsMerge<Results>?
        if !compare {
            do throws(AssayError) {
                merged = try ResultsMerge(labelled, commandLine: ["report"] + inputs.map(\.path) + ["--merge"])
                reason = "one of them has nothing that the others lack"
            } catch {
                if merge { throw error }
                reason = "\(error.location.map { "\($0): " } ?? "")\(error.message)"
            }
        }
        if let merged, merge || merged.isUseful {
            let repeated =
                merged.repeatedParts == 0
                ? "" : ", of which \(merged.repeatedParts) are in several: the first one's times are kept"
            Console.print("merged \(labels): \(merged.results.parts.count) results\(repeated)")
            return try write(merged.results, recorded: nil, formats, held)
        }
        Console.print("compared \(labels), not merged: \(reason)")
        var sides: [ComparisonDocument.Side] = []
        for (label, results) in labelled { sides.append(try .init(label: label, results: results)) }
        try write(sides, inputs, formats, held)
    }

    private func compareConformance(_ inputs: [ReportInput], _ formats: [ReportFormat]?, _ held: ReportDirectory) throws
    {
        guard !merge else {
            throw AssayError(.usage, "Reports of conform are compared, not merged. Leave --merge out.")
        }
        var sides: [ComparisonDocument.Side] = []
        for input in inputs {
            let data = Data(try InputFile.read(input.path, atMost: JSONReport.bytesMax, "report"))
            if let figures = try FigureSet(conformance: data, from: input.path) {
                sides.append(.init(label: input.label, figures: figures))
            }
        }
        Console.print("compared \(Self.names(inputs.map(\.label)))")
        try write(sides, inputs, formats, held)
    }

    private func write(
        _ sides: [ComparisonDocument.Side], _ inputs: [ReportInput], _ formats: [ReportFormat]?, _ held: ReportDirectory
    ) throws {
        guard sides.count <= ComparisonDocument.sidesMax else {
            throw AssayError(
                .usage, "\(sides.count) results are too many to compare. Give at most \(ComparisonDocument.sidesMax).")
        }
        let comparison = ComparisonDocument(
            sides, commandLine: ["report"] + inputs.map(\.path) + (compare ? ["--compare"] : []),
            assayVersion: AssayVersion.text)
        let stem = "\(inputs[0].kind.isEmpty ? "conform" : String(inputs[0].kind.dropLast(5)))-comparison"
        let output = ReportOutput(formats: formats ?? [.terminal, .csv, .html], directory: held.path)
        let document = try comparison.document(ReportOptions(baselinePolicy: baselinePolicy))
        say(try output.write(document, named: stem, csv: [("\(stem).csv", comparison.csv())]))
    }
}

/// What tells a report of `assay conform` from results of other kinds.
struct ConformanceHead: Decodable {
    var version: Int
    var suite: String

    /// Whether a file begins so.
    static func isIn(_ path: String) throws(AssayError) -> Bool {
        let data = Data(try InputFile.read(path, atMost: JSONReport.bytesMax, "report"))
        return (try? JSONDecoder().decode(ConformanceHead.self, from: data)) != nil
    }
}
