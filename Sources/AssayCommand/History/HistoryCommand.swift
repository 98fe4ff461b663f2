#if SQLite
    internal import ArgumentParser
    internal import CacheCore
    internal import CacheGate
    internal import CacheHistory
    internal import CacheReports
    internal import Foundation

    /// `assay history`: results over commits.
    struct HistoryCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "history",
            abstract: "Keep results of commits, and name the commits at which figures changed.",
            discussion: """
                The figures are kept in an SQLite database, assay-history.sqlite if no other is named. An exact figure (hits, \
                evictions) changed at the first commit with another value. Bytes per entry and times vary: they changed where their \
                level moved, by a test on ranks that takes at least 10 commits. Such a change is advice on where to look and never \
                a verdict; it ends no command with a failure. Commits are in the repository's order if it has them all, else in the \
                order of their times.
                """,
            subcommands: [
                HistoryAddCommand.self, HistoryListCommand.self, HistoryChangesCommand.self, HistoryExportCommand.self,
                HistoryReportCommand.self,
            ])
    }

    /// Where the history is.
    struct HistoryOptions: ParsableArguments {
        @Option(help: ArgumentHelp("The database.", valueName: "file"), completion: .file())
        var database = "assay-history.sqlite"
    }

    /// What is looked at of a history.
    struct HistorySelection: ParsableArguments {
        @OptionGroup var options: HistoryOptions

        @Option(help: ArgumentHelp("Only figures of this name, as hits.", valueName: "name"))
        var figure: String?

        @Option(help: ArgumentHelp("Only those of this policy or other subject, as s3fifo.", valueName: "name"))
        var subject: String?

        /// The selected series with their changes.
        func history() throws(AssayError) -> FigureHistory {
            let database = try HistoryDatabase(options.database, isWritten: false)
            try require(figure, "--figure", database.names(ofSubjects: false))
            try require(subject, "--subject", database.names(ofSubjects: true))
            let figures = try database.figures(named: figure, of: subject)
            let used = Set(figures.map(\.commit))
            var seen: Set<String> = []
            let commits = try database.entries().map(\.entry.commit)
                .filter { used.contains($0.digest) && seen.insert($0.digest).inserted }
            // Without a repository the order of times is good enough, and the history says so.
            let places = try? GitRepository(at: ".").places(of: commits.map(\.digest))
            return FigureHistory(commits: commits, figures: figures, places: places ?? [:])
        }

        private func require(_ name: String?, _ option: String, _ names: [String]) throws(AssayError) {
            guard let name, !names.contains(name) else { return }
            let near = nearestName(to: name, among: names).map { " Did you mean '\($0)'?" } ?? ""
            let some = names.prefix(30).joined(separator: ", ")
            throw AssayError(
                .usage, "The history has no '\(name)'. It has \(some)\(names.count > 30 ? " and others" : "").\(near)",
                at: .init(option))
        }
    }

    /// `assay history add`: keeps results of a commit.
    struct HistoryAddCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "add", abstract: "Keep results of a commit.",
            discussion: """
                The commit is the one that is checked out in the current folder, if no tracked file differs from it. The same \
                results of the same commit are kept once.
                """)

        @Argument(help: "Files results.json of 'assay run'.", completion: .file(extensions: ["json"]))
        var results: [String]

        @OptionGroup var options: HistoryOptions

        @Option(
            help: ArgumentHelp(
                "The commit: any name of one where the repository is, else all of its digits.", valueName: "name"))
        var commit: String?

        @Option(
            help: ArgumentHelp(
                "When it was committed, as 2026-11-26T09:30:00Z, where there is no repository.", valueName: "time"))
        var time: String?

        @Option(
            help: ArgumentHelp(
                "A name for where it was measured, in the place of processor and compiler: times are compared under one name.",
                valueName: "name"))
        var machine: String?

        func run() throws {
            let commit = try measuredCommit()
            let inputs = try results.map(HistoryInput.init)
            for (path, input) in zip(results, inputs) {
                for note in input.notes { Console.error("assay: \(path): \(note)") }
            }
            let entries = inputs.map { input in
                HistoryDatabase.Entry(
                    commit: commit, machine: machine ?? input.machine, recordedAt: input.recordedAt,
                    digest: input.digest,
                    figures: input.figures)
            }
            for (path, entry) in zip(results, entries) where entry.figures.isEmpty {
                throw AssayError(
                    .badInput, "There is no figure in these results. Leave the file out, or record it again.",
                    at: .init(path))
            }
            let added = try HistoryDatabase(options.database, isWritten: true).add(entries)
            for ((path, entry), isNew) in zip(zip(results, entries), added) {
                let what = isNew ? "added \(entry.figures.count) figures of \(path)" : "\(path) is there already"
                Console.print("\(commit.shortDigest) \(commit.title): \(what)")
            }
        }

        private func measuredCommit() throws(AssayError) -> FigureHistory.Commit {
            if let commit, let time { return try outsideRepository(commit, time) }
            guard time == nil else {
                throw AssayError(.usage, "--time is the time of a commit. Name it by --commit.", at: .init("--time"))
            }
            let repository: GitRepository
            do throws(AssayError) {
                repository = try GitRepository(at: ".")
            } catch {
                throw AssayError(
                    .usage, "There is no git repository here to take the commit from. Give --commit and --time.",
                    cause: error.cause)
            }
            if commit == nil, try repository.hasUncommittedChanges() {
                throw AssayError(
                    .usage,
                    "Tracked files differ from the last commit, so the results may not be its own. Commit first, or name the "
                        + "commit that was measured by --commit.")
            }
            return try repository.commit(commit ?? "HEAD")
        }

        private func outsideRepository(_ name: String, _ time: String) throws(AssayError) -> FigureHistory.Commit {
            guard [40, 64].contains(name.count), name.allSatisfy({ $0.isASCII && $0.isHexDigit && !$0.isUppercase })
            else {
                throw AssayError(
                    .usage, "'\(name)' is not all of a commit's digits: 40 or 64 of 0-9 and a-f. Give them all.",
                    at: .init("--commit"))
            }
            guard let date = try? Date(time, strategy: .iso8601) else {
                throw AssayError(.usage, "'\(time)' is not a time such as 2026-11-26T09:30:00Z.", at: .init("--time"))
            }
            return FigureHistory.Commit(digest: name, time: Int(date.timeIntervalSince1970))
        }
    }

    /// `assay history list`: what is kept.
    struct HistoryListCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List what is kept, a line an entry.")

        @OptionGroup var options: HistoryOptions

        func run() throws {
            for (entry, figures) in try HistoryDatabase(options.database, isWritten: false).entries() {
                Console.print(
                    "\(entry.commit.shortDigest)  \(entry.recordedAt)  \(figures) figures  \(entry.machine)  \(entry.commit.title)"
                )
            }
        }
    }

    /// `assay history changes`: the commits at which figures changed.
    struct HistoryChangesCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "changes", abstract: "Name the commits at which figures changed.",
            discussion: """
                A commit that is named is the first with results that has the new value; if commits before it have no results, the \
                change may be one of theirs, and their number is told. The exit status is 0 whatever has changed: 'assay gate' \
                judges.
                """)

        @OptionGroup var selection: HistorySelection

        func run() throws {
            let text = FigureHistoryText.changes(
                try selection.history(), width: Terminal.width, isColored: Terminal.isColored)
            Console.print(text, terminator: "", isStyled: true)
        }
    }

    /// `assay history export`: every value as CSV.
    struct HistoryExportCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "export", abstract: "Write every value as CSV, with its commit and whether it is a change.")

        @OptionGroup var selection: HistorySelection

        @Option(help: ArgumentHelp("The file to write; standard output by default.", valueName: "path"))
        var csv: String?

        func run() throws {
            let text = FigureHistoryText.csv(try selection.history())
            guard let csv else { return Console.print(text.replacing("\r\n", with: "\n"), terminator: "") }
            try ReportFile.write(text, to: csv)
            Console.print("wrote \(csv)")
        }
    }

    /// `assay history report`: a page with a chart for each figure that changed.
    struct HistoryReportCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "report", abstract: "Write a page with the changes and charts of the figures over commits.")

        @OptionGroup var selection: HistorySelection

        @Option(help: ArgumentHelp("The page to write.", valueName: "path"))
        var html: String

        func run() throws {
            let report = FigureHistoryReport(
                try selection.history(), assayVersion: AssayVersion.text, commandLine: Assay.arguments)
            try ReportFile.write(HTMLReport.render(report.document()), to: html)
            Console.print("wrote \(html)")
        }
    }
#endif
