internal import ArgumentParser
internal import CacheCore
internal import CacheGate
internal import CacheReports
internal import Foundation

/// `assay gate`: holds recorded figures against a baseline.
struct GateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gate",
        abstract: "Compare results with a baseline and fail where they are worse.",
        discussion: """
            Either side is the JSON of run, curve, bench, run --system or conform, or a folder of such files. Exact \
            figures (hits, evictions, bytes, outcomes of checks) must be equal, counted ones (bytes an entry, allocations, \
            instructions) may move within a tolerance and are compared on one kind of machine alone. Times are never \
            judged from files: two recorded times say nothing. A cell that is missing or fails in the candidate fails the gate; a \
            cell that only the candidate has, and one that nothing compares, is told. Traces are paired by what they hold, \
            whatever their files are called. A subject whose parameters changed is compared with what it was before, if it \
            is alone at its place.

            Times and throughput are judged by --against alone: processes of this program and of another take turns, in \
            pairs whose order a coin draws, until each figure is better, worse, the same or the budget is used up. What is \
            undecided then fails, unless --allow-undecided.

              assay gate --against main -- run --trace zipf-1.0 --policy lru
              assay gate --against ../old/assay --budget 120 -- bench --trace zipf-1.0 --requests 200000 --repetitions 1

            Exit status: 0 when nothing is worse, 2 when something is (with --strict on any difference), 5 when there is \
            no baseline, 6 when all that fails is undecided, 65 when a file cannot be understood, the traces differ or nothing was compared.

            --update writes the candidate as a baseline: sorted text with a line for each cell and no times, which merges \
            in git, and what depends on the machine in a file for each machine. gate.yaml has the fields baseline, run \
            (commands that write results, in its folder, with this program as assay), results, tolerances, allow-missing, \
            allow-other-machine, strict and exceptions, each with subject, place, figures, worse-by, because and until; an \
            exception that is over fails again. Figures are \(FigureKinds.described).
            """)

    @Argument(help: "What was accepted as good: a JSON or a folder.", completion: .file())
    var baseline: String?

    @Argument(help: "What is judged: a JSON or a folder.", completion: .file())
    var candidate: String?

    @Option(
        help: ArgumentHelp(
            "A gate.yaml: what is compared, under which rules, who may be worse until when.", valueName: "file"),
        completion: .file(extensions: ["yaml", "yml"]))
    var rules: String?

    @Option(
        help: ArgumentHelp(
            "How far a figure may move, as hits=0.01%; by default bytes-per-entry may by 0.5, instructions by 2%.",
            valueName: "figure=percent"))
    var tolerance: [String] = []

    @Flag(help: "List cells and figures that the candidate lacks without failing.")
    var allowMissing = false

    @Flag(help: "Compare figures that depend on the machine with those of another machine.")
    var allowOtherMachine = false

    @Flag(help: "Fail on any difference: improvements, added cells and cells that nothing compares, too.")
    var strict = false

    @Flag(help: "Write the candidate's figures into the folder BASELINE, as text that merges, rather than compare.")
    var update = false

    @OptionGroup var paired: PairedSelection

    @OptionGroup var outputs: GateOutputOptions

    func run() throws {
        guard
            paired.against == nil
                || baseline == nil && rules == nil && tolerance.isEmpty && !update && !allowOtherMachine
        else {
            throw AssayError(
                .usage, "--against measures both sides itself: leave files and their rules out.", at: .init("--against")
            )
        }
        guard let outcome = try paired.judge(isStrict: strict, allowsMissing: allowMissing) else { return try gate() }
        try outputs.write(outcome)
        try outcome.throwUnlessPassed()
    }

    private func gate() throws(AssayError) {
        let file = try rules.map { path throws(AssayError) in try GateInput.rules(path) }
        guard let baseline = baseline ?? file?.baseline else {
            throw AssayError(.usage, "Give a baseline and a candidate, or --rules with a gate.yaml that names them.")
        }
        let candidates = candidate.map { [$0] } ?? file?.results ?? []
        guard !candidates.isEmpty else {
            throw AssayError(.usage, "Give what is to be judged after the baseline, or as results in gate.yaml.")
        }
        if let file, let rules { try GateProgram.run(file.run, beside: rules, deadline: paired.deadline) }
        var set = FigureSet(source: candidates.joined(separator: ", "))
        for path in candidates { try set.add(GateInput.read(path)) }
        try update ? accept(set, baseline) : judge(set, baseline, file?.rules ?? .init())
    }

    /// Makes the candidate the baseline.
    private func accept(_ set: FigureSet, _ baseline: String) throws(AssayError) {
        guard tolerance.isEmpty, !allowMissing, !allowOtherMachine, !strict else {
            throw AssayError(.usage, "--update compares nothing: leave the rules out.", at: .init("--update"))
        }
        guard outputs.isEmpty else {
            throw AssayError(.usage, "--update has no verdict to write: leave its forms out.", at: .init("--update"))
        }
        guard !set.cells.isEmpty else {
            throw AssayError(.badInput, "There are no cells here, so they can be no baseline.", at: .init(set.source))
        }
        for note in set.notes { Console.print("note: \(note)") }
        let failed = set.cells.count { $0.failure != nil }
        if failed > 0 { Console.print("note: \(failed) of \(set.cells.count) cells failed, and the baseline says so") }
        let files = try set.baselineFiles()
        do {
            try FileManager.default.createDirectory(atPath: baseline, withIntermediateDirectories: true)
        } catch {
            throw AssayError(
                .inputOutput, "The folder of the baseline cannot be made. Choose another.", at: .init(baseline),
                cause: error.localizedDescription)
        }
        for file in files {
            try ReportFile.write(file.text, to: URL(filePath: baseline).appending(path: file.name).path)
            let cells = file.text.split(separator: "\n").count - 1
            Console.print("wrote \(baseline)/\(file.name): \(cells) cell\(cells == 1 ? "" : "s")")
        }
        let others = (try? FileManager.default.contentsOfDirectory(atPath: baseline)) ?? []
        for name in others.sorted() where name.hasPrefix("baseline-") && !files.contains(where: { $0.name == name }) {
            Console.print("note: \(baseline)/\(name) is of another machine and stays: update it there")
        }
    }

    private func judge(_ set: FigureSet, _ baseline: String, _ given: GateRules) throws(AssayError) {
        var rules = given
        rules.allowsMissing = rules.allowsMissing || allowMissing
        rules.isStrict = rules.isStrict || strict
        rules.allowsOtherMachine = rules.allowsOtherMachine || allowOtherMachine
        rules.today = String(Date().ISO8601Format().prefix(10))
        for text in tolerance { try rules.setTolerance(parsing: text) }
        guard FileManager.default.fileExists(atPath: baseline) else {
            throw AssayError(
                .baselineMissing,
                "There is no baseline here. Accept results as good first: assay gate --update \(baseline) \(set.source)",
                at: .init(baseline))
        }
        let outcome = try Gate.compare(baseline: GateInput.read(baseline), candidate: set, rules: rules)
        try outputs.write(outcome)
        try outcome.throwUnlessPassed()
    }
}
