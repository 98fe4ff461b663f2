#if Conformance
    import ArgumentParser
    import CacheConformance
    import CacheCore
    import CacheEngineSubjects
    import CacheHarness
    import CacheKits
    import CacheReports
    import Foundation

    /// `assay conform`: holds a storage backend, a cache or a child process against the conformance suite.
    struct ConformCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "conform",
            abstract: "Hold a cache or a storage backend against the conformance suite.",
            discussion: """
                Each check opens instances in fresh temporary directories, which are removed at the end. A failed check comes \
                with the smallest program that was found to show it, and the command ends with status 2.

                Before the checks the subject is opened once. A command that cannot be started and a server that does not answer are \
                no verdict on a cache: the command ends with status 69 then.

                Checks run in a child process. A subject that ends it, or passes the deadline, has crashed or hung: that is \
                the check's result, the next check has a new process, and the command ends with status 3.

                A score counts passed checks over passed and failed ones. Read it beside the share of checks that are claimed: a subject that \
                claims little has little to fail.

                A system, such as 'method-cache', is held against the checks of its own too; with '-as-shipped' after its name it \
                is the original with its documented defects, which these checks notice.

                'cache:POLICY' is the engine's cache with that policy, such as cache:s3fifo+relaxed, and 'tiers:BACKEND' its cache of two \
                tiers, memory over a backend; tiers:file+back writes back. 'stored:BACKEND' is its cache whose values are in a backend, \
                and 'bounded:BACKEND' a backend with a limit; stored:log+s3fifo has another policy than LRU.

                'policy:NAME' is an eviction policy, with parameters after a colon, such as policy:arc:dialect=caffeine. It is held \
                against the rules that all policies keep.

                'exec:COMMAND' starts a command of the shell that speaks the subject protocol on its standard input and output, \
                as docs/subject-protocol.md specifies: a cache in any language. Example: \
                exec:'python3 scripts/adapters/python/lru-dict.py'.

                'assay conform init LANGUAGE FOLDER' writes an adapter for a cache of yours to a new folder: a kit that speaks the protocol, \
                and a skeleton over a small cache that passes. The languages are \(AdapterKit.all.map(\.language).joined(separator: ", ")).

                Several subjects are held against it one after the other, each in processes of its own, with a table each. All names \
                are looked up before the first begins; the status at the end is that of the worst. --json, --html and --csv write a \
                file a subject then, with its name before the ending.

                --replay runs one program: a JSON array of operations, as --reproducer json prints it.
                """)

        @Argument(
            help: """
                A backend, with parameters after a colon: dictionary, file:sync=full; a system; 'cache:POLICY'; 'tiers:BACKEND'; 'stored:BACKEND'; \
                'bounded:BACKEND'; 'policy:NAME'; \
                'exec:COMMAND'.
                """, completion: .subjects
        )
        var subjects: [String] = []

        @OptionGroup var plugins: PluginSelection

        @OptionGroup var limits: ConformLimits

        @Option(help: "Claims in the place of the subject's own, from this JSON file.")
        var claims: String?

        @Flag(
            help: """
                Probe exec:COMMAND, print the claims that hold, with the deviations with which they do, as JSON for --claims, say why the \
                others do not, and stop. Takes less time with --profile core.
                """
        )
        var suggestClaims = false

        @Option(help: "The seed of random programs. Equal seeds ask equal questions.")
        var seed: UInt64 = 1

        @Option(
            help: """
                Ask checks that draw at random with so many seeds, one after the other from --seed on, until one fails. A \
                check is inconclusive where it is so for half of them. For each of many seeds it does about a tenth of what \
                it does for one alone.
                """)
        var seeds = 1

        @Option(
            help: """
                How long one check may take, in seconds; 600 by default. For exec:COMMAND: how long one answer may take; \
                60 by default.
                """)
        var deadline: Double?

        @Option(
            help: """
                The clock of exec:COMMAND, which knows no other than the system's: 'faketime' stops that for it by Debian's libfaketime \
                (package faketime) and moves it, as docs/your-cache.md says.
                """)
        var clock: String?

        @Option(help: "Write the report to this file, as JSON.")
        var json: String?

        @Option(help: "Write the report to this file, as one page with every reproducer.")
        var html: String?

        @Option(help: "Write the report to this file, as CSV with a row a check.")
        var csv: String?

        @Option(help: "Write the verdicts to this file, as JUnit XML, which continuous integration shows as tests.")
        var junit: String?

        @Option(
            help: """
                Checks that are known to fail, from this JSON file: [{"check": "TTL-9", "reason": "0 means no end, as documented"}]. They \
                do not fail the run; one that passes is told.
                """)
        var expect: String?

        @Option(
            help: """
                Tell what differs from this report of --json: what the subject does otherwise, and apart from that what the suite asks \
                otherwise.
                """)
        var compare: String?

        @Option(
            help: """
                How to print reproducers: swift, json (for --replay), protocol (what exec:COMMAND is asked), timeline. By default \
                timeline for exec:COMMAND, and swift for any other.
                """)
        var reproducer: String?

        @Option(help: "Run the program in this JSON file on the subject, tell every answer, and stop.")
        var replay: String?

        @Option(help: "Say what a check does and why, and stop.")
        var explain: String?

        @Flag(help: "List the checks with their profiles and claims, and stop.")
        var list = false

        @Flag(help: "With --list: as Markdown, with everything that is said of a check (docs/checks.md).")
        var markdown = false

        @Flag(
            help:
                "Say on standard error which check runs, also where that is no terminal; without it a line every half minute is there."
        )
        var progress = false

        @Flag(help: "List the checks that are not claimed too.")
        var verbose = false

        @Flag(help: "No line on standard error about how far it is.")
        var quiet = false

        /// What it was before `assay-dev mutants`.
        @Flag(help: .hidden)
        var mutants = false

        func run() throws {
            if subjects.first == InitAdapter.word { return try InitAdapter.run(Array(Assay.arguments.dropFirst())) }
            if mutants { throw DeveloperCommands.error("--mutants, now the subcommand 'mutants',") }
            try requireOneTask()
            if let explain { return try Console.print(explanation(of: explain)) }
            try requireForm()
            try limits.check()
            if markdown, !list { throw AssayError(.usage, "--markdown says how --list prints. Name both.") }
            guard seeds > 0 else { throw AssayError(.usage, "--seeds is a number from 1 on.") }
            if let deadline, !(deadline > 0 && deadline <= 1e9) {
                throw AssayError(.usage, "--deadline is a number of seconds above 0. Leave it out for the default.")
            }
            if list { return try listChecks() }
            let made = try claims.map { (path) throws(AssayError) in try readClaims(path) }
            try requireKnown(made?.order)
            if subjects.isEmpty { throw unnamed }
            let catalogue = Plugins.current.everyCheck
            let known = try expect.map { (path) throws(AssayError) in try KnownFailures(path, in: catalogue) }
            if compare != nil, subjects.count > 1 {
                throw AssayError(.usage, "--compare takes the report of one subject. Name one.")
            }
            let old = try compare.map { (path) throws(AssayError) in try ConformanceFile.read(path) }
            for file in [json, html, csv, junit].compactMap(\.self) {
                for name in subjects { try ReportFile.check(path(file, name)) }
            }
            let end = RunEnd(afterSeconds: limits.timeLimit)
            ConformanceFolders.clearAbandoned()
            let selections = try subjects.map { (name) throws(AssayError) in
                (name, try SubjectSelection(name, claims: made, answerSeconds: deadline ?? 60, clock: clock))
            }
            if let replay {
                if selections.count > 1 {
                    throw AssayError(.usage, "--replay runs a program on one subject. Name one.")
                }
                return try ReplayTable.print(replay, on: selections[0].1.subject)
            }
            let interrupt = Interrupt(saying: "stopping; press Ctrl-C again to end at once", stop: end.interrupt)
            defer { withExtendedLifetime(interrupt) {} }
            if suggestClaims {
                if selections.count > 1 { throw AssayError(.usage, "--suggest-claims probes one subject. Name one.") }
                try ClaimSuggestion.print(
                    for: selections[0].1, within: limits, until: end, seed: seed, isQuiet: quiet)
                if end.isInterrupted { throw ExitCode(130) }
                return
            }
            // One that fails never loses the results of the others.
            var errors: [AssayError] = []
            for (name, selection) in selections where !end.isInterrupted {
                do throws(AssayError) { try conform(name, selection, made, known, old, end) } catch {
                    errors.append(error)
                }
                if selections.count > 1, name != selections.last?.0 { Console.print("") }
            }
            if end.isInterrupted {
                for error in errors { Console.error("assay: \(error.message)") }
                throw ExitCode(130)
            }
            guard let worst = errors.max(by: { Self.rank($0) < Self.rank($1) }) else { return }
            throw errors.count == 1 ? worst : AssayError(worst.code, errors.map(\.message).joined(separator: "\n"))
        }

        /// What prints something and runs no suite takes no options of a run, nor another of its kind.
        private func requireOneTask() throws(AssayError) {
            let tasks = [
                ("--explain", explain != nil), ("--list", list), ("--suggest-claims", suggestClaims),
                ("--replay", replay != nil),
            ].filter(\.1).map(\.0)
            guard let task = tasks.first else { return }
            let reports = [json, html, csv, junit, expect, compare]
            let isTimed = limits.timeLimit != nil && !suggestClaims
            guard tasks.count == 1, reports.allSatisfy({ $0 == nil }), seeds == 1, !isTimed else {
                let options = ["reports", "--expect", "--compare", "--seeds"] + (isTimed ? ["--time-limit"] : [])
                let others = tasks.dropFirst() + options
                throw AssayError(.usage, "\(task) runs no suite: leave out \(others.joined(separator: ", ")).")
            }
            if list, subjects.count > 1 {
                throw AssayError(.usage, "--list has the checks of one subject. Name one.")
            }
        }

        /// Which error's status is that of the whole: what went wrong here, then crashes, then failed checks.
        private static func rank(_ error: AssayError) -> Int {
            switch error.code {
            case .verdict: 0
            case .crashed: 1
            default: 2
            }
        }

        private var unnamed: AssayError {
            let plugins = Plugins.current
            let names = plugins.everyBackend.map(\.descriptor.name).joined(separator: ", ")
            let engines = BuiltinEngines.all(policies: plugins.policies, backends: plugins.backends).map(\.name).joined(
                separator: ", ")
            return AssayError(
                .usage,
                "Name a subject: exec:COMMAND, policy:NAME, a system, a cache of the engine such as \(engines), or a "
                    + "backend: \(names).")
        }

        /// Holds one subject against its suite, prints the table, and writes the reports.
        private func conform(
            _ name: String, _ selection: SubjectSelection, _ made: Claims?, _ known: KnownFailures?,
            _ old: ConformanceReport?, _ end: RunEnd
        ) throws(AssayError) {
            let suite = try limits.limited(selection.suite(namesSections: limits.section != nil))
            let isolated =
                selection.place == .elsewhere
                ? nil
                : IsolatedConformance(
                    subject: name, deadlineSeconds: deadline ?? 600, claims: made,
                    isFreshEach: selection.place == .childEach)
            let process = selection.subject as? ProcessSubject
            let ending = process.flatMap(end.ending)
            defer { ending?.cancel() }
            if let isolated {
                try isolated.start(until: end)
            } else {
                try requireKnown(SubjectStart.check(selection.subject)?.order)
            }
            if subjects.count > 1 { Console.print(selection.subject.name) }
            Console.print(ConformanceTable.header)
            let title = try? process?.title()
            let line = CheckProgress(
                subject: title ?? selection.subject.name, checks: suite.checks.count, tellsEach: progress,
                isQuiet: quiet)
            let stated = try? selection.subject.claims()
            let deviations = stated.map(\.statedDeviations) ?? []
            var report = suite.run(
                onSubjectNamed: selection.subject.name, seed: seed,
                progress: {
                    line.finish($0)
                    if verbose || !$0.isNotClaimed { Console.print(ConformanceTable.row($0)) }
                },
                ask: { check in
                    line.begin(check)
                    return check.answer(fromSeed: seed, count: seeds) {
                        if end.isOver {
                            // A check that was asked with one seed and not with the next was not finished.
                            return CheckAnswer(
                                check, endedWith: $0 == seed ? check.unasked(stated) : RunEnd.notFinished)
                        }
                        if let isolated {
                            return isolated.ask(
                                check, seed: $0, isOneOfMany: seeds > 1, until: end)
                        }
                        let answer = check.answer(of: selection.subject, seed: $0, isOneOfMany: seeds > 1)
                        // What a subject that was ended meanwhile answers is no verdict on it.
                        return end.isOver && answer.result.outcome != .pass
                            ? CheckAnswer(check, endedWith: RunEnd.notFinished) : answer
                    }
                })
            if clock != nil { (selection.subject as? ProcessSubject)?.endProcess() }
            known?.mark(&report)
            report.profile = try limits.chosenProfile()
            report.title = title
            let form = reproducer.flatMap(CheckFailure.Reproducer.init) ?? ConformanceTable.form(for: name)
            report.state(deviations)
            Console.print(ConformanceTable.summary(of: report, reproducer: form))
            if let remarks = known?.remarks(on: report), !remarks.isEmpty {
                Console.print((["", "Known failures:"] + remarks).joined(separator: "\n"))
            }
            if let old {
                let exists = { (id: String) in Plugins.current.everyCheck.check(id) != nil }
                Console.print(ConformanceTable.comparison(ConformanceComparison(from: old, to: report, exists: exists)))
            }
            // One that cannot be written costs the others nothing.
            var failed: AssayError?
            func write(_ text: String, to file: String) {
                do throws(AssayError) { try ReportFile.write(text, to: path(file, name)) } catch {
                    failed = failed ?? error
                }
            }
            if let json { write(try ConformanceFile.json(report), to: json) }
            let findings = try ConformanceFile.findings(report, commandLine: Assay.arguments)
            if let junit { write(findings.junit, to: junit) }
            if let csv { write(CSVReport.render(findings), to: csv) }
            let observer = ProgressObservers.current
            if html != nil || observer != nil {
                let page = try HTMLReport.render(findings.document())
                if let html { write(page, to: html) }
                let file = failed == nil ? html.map { path($0, name) } : nil
                observer?.hear(page: Data(page.utf8), named: "\(name).html", path: file)
            }
            if let failed { throw failed }
            try judge(report, unanswered: isolated?.unanswered ?? [], end)
        }

        /// Where a subject's report goes: with several subjects each one's name stands before the ending.
        private func path(_ path: String, _ subject: String) -> String {
            guard subjects.count > 1, ReportFile.isFile(path) ?? true else { return path }
            var word = String(subject.map { $0.isLetter || $0.isNumber || "-_.".contains($0) ? $0 : "-" })
            // A whole command is longer than the name of a file may be.
            if word.count > 100, let index = subjects.firstIndex(of: subject) {
                word = "\(word.prefix(80))-\(index + 1)"
            }
            let url = URL(filePath: path)
            let name = "\(url.deletingPathExtension().lastPathComponent)-\(word)"
            let ending = url.pathExtension.isEmpty ? "" : ".\(url.pathExtension)"
            return url.deletingLastPathComponent().appending(path: name + ending).relativePath
        }

        private func judge(
            _ report: ConformanceReport, unanswered: Set<String>, _ end: RunEnd
        ) throws(AssayError) {
            let wrong = report.results.filter {
                $0.known == nil && $0.blockedBy == nil && ($0.outcome.isNegative || unanswered.contains($0.id))
            }
            let late = report.results.count { [.notAsked, RunEnd.notFinished].contains($0.outcome) }
            guard !wrong.isEmpty else {
                guard late > 0 else { return }
                let why =
                    end.isInterrupted
                    ? "before the run was interrupted."
                    : "within the time limit. Give more time, or ask less by --profile, --section or --skip."
                throw AssayError(
                    .undecided,
                    "\(late) of \(report.results.count) checks of \(report.title ?? report.subject) had no answer \(why)"
                )
            }
            let hasEnded = wrong.contains {
                unanswered.contains($0.id) || ["crashed", "hung"].contains($0.outcome.name)
            }
            throw AssayError(
                hasEnded ? .crashed : .verdict,
                "\(report.title ?? report.subject) failed \(wrong.count) \(wrong.count == 1 ? "check" : "checks"): "
                    + wrong.map(\.id).joined(separator: ", ")
                    + ". Say --explain \(wrong[0].id) to see what that check is about.")
        }

        private func requireForm() throws(AssayError) {
            guard let reproducer, CheckFailure.Reproducer(rawValue: reproducer) == nil else { return }
            let names = CheckFailure.Reproducer.allCases.map(\.rawValue).joined(separator: ", ")
            throw AssayError(.usage, "There is no form '\(reproducer)' of a reproducer. There are \(names).")
        }

        private func listChecks() throws(AssayError) {
            let suite = try listedSuite()
            guard markdown else { return Console.print(ConformanceTable.catalogue(try limits.limited(suite).checks)) }
            let isWhole = limits.section == nil && limits.skip == nil && limits.profile == nil
            let text = CheckCatalogue.markdown(isWhole ? suite : try limits.limited(suite))
            Console.print(String(text.dropLast()))
        }

        /// The checks of the policy or the system that is named first, or of every cache and of every policy.
        private func listedSuite() throws(AssayError) -> ConformanceSuite {
            guard let subject = subjects.first else { return CheckCatalogue.everyBuiltin.with(Plugins.current.checks) }
            return try SubjectSelection(subject, claims: nil, answerSeconds: 1).suite(namesSections: true)
        }

        private func readClaims(_ path: String) throws(AssayError) -> Claims {
            let bytes = try InputFile.read(path, atMost: 1 << 20, "file of claims")
            let decoder = JSONDecoder()
            decoder.userInfo[.claimsTimeToLive] = clock != nil
            do {
                return try decoder.decode(Claims.self, from: Data(bytes))
            } catch {
                throw AssayError(
                    .badInput, "The file holds no claims. Write {\"storage\":{…},\"features\":[…],\"room\":{…}}.",
                    at: .init(path), cause: (error as? DecodingError)?.inWords ?? "\(error)")
            }
        }

        /// Refuses an order of eviction that no policy has: no check would compare with it.
        private func requireKnown(_ order: String?) throws(AssayError) {
            let names = Plugins.current.ruledPolicies.map(\.descriptor.name)
            guard let order, !names.contains(order) else { return }
            let near = nearestName(to: order, among: names).map { " Did you mean '\($0)'?" } ?? ""
            throw AssayError(
                .badInput,
                "The claims name the order '\(order)', which is no policy's.\(near) See 'assay list policies'.")
        }

        private func explanation(of id: String) throws(AssayError) -> String {
            let all = Plugins.current.everyCheck
            guard let check = all.check(id) else {
                let ids = all.checks.map(\.id)
                let near = nearestName(to: id, among: ids).map { " Did you mean '\($0)'?" } ?? ""
                throw AssayError(.usage, "There is no check '\(id)'. Say --list to see them all.\(near)")
            }
            return ConformanceTable.explanation(of: check)
        }
    }
#endif
