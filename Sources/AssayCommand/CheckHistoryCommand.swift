#if Conformance
    internal import ArgumentParser
    internal import CacheConformance
    internal import CacheCore
    internal import CacheReports
    internal import Foundation

    /// `assay check-history`: says whether recorded histories are linearizable.
    struct CheckHistoryCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "check-history",
            abstract:
                "Say whether what several clients saw of a cache can be explained by one operation after the other.",
            discussion: """
                Reads EDN maps of Jepsen and porcupine (read, write, cas, append, delete), Jepsen's console logs of a register, \
                and Assay's own JSON lines; they are told apart by their content. Each key is judged alone. Where no order of \
                the operations explains the answers, the few that contradict each other are printed.

                --semantics says what the cache may do: exact, nothing but what it is asked; evicting, drop a value at any \
                moment, after which it must not be seen again; lossy, also fail to find what it has.

                Exit status: 0 when no history is at fault, 2 when one is not linearizable, 6 with --strict when a limit left one \
                undecided, 65 when a file cannot be understood, 74 when it cannot be read.
                """)

        @Argument(help: "Files with one history each.", completion: .file())
        var files: [String]

        @Option(help: "What the cache may do beside what it is asked: exact, evicting or lossy.")
        var semantics = "exact"

        @Option(help: ArgumentHelp("How long one history may take.", valueName: "seconds"))
        var limit = 60.0

        @Option(
            help: ArgumentHelp("Also write a page with the verdicts and a timeline of each fault.", valueName: "path"))
        var html: String?

        @Flag(help: "Print the verdicts as JSON instead of text.")
        var json = false

        @Flag(help: "No line on standard error about how far it is.")
        var quiet = false

        @Flag(help: "Fail on a history that a limit left undecided.")
        var strict = false

        func run() throws {
            guard let semantics = HistorySemantics(rawValue: semantics) else {
                let names = HistorySemantics.allCases.map(\.rawValue)
                let near = nearestName(to: self.semantics, among: names).map { " Did you mean '\($0)'?" } ?? ""
                throw AssayError(
                    .usage,
                    "There are no semantics '\(self.semantics)'. There are \(names.joined(separator: ", ")).\(near)"
                )
            }
            guard limit > 0, limit <= 1e9 else {
                throw AssayError(.usage, "--limit is a number of seconds above 0. Leave it out for 60 s.")
            }
            let checker = HistoryChecker(semantics, limitSeconds: limit)
            var results = HistoryResults(
                assayVersion: AssayVersion.text, commandLine: Assay.arguments,
                semantics: semantics.rawValue, histories: [])
            var failure: AssayError?
            for file in files {
                do throws(AssayError) {
                    results.histories.append(try check(file, checker))
                } catch {
                    failure = failure ?? error
                    results.histories.append(HistoryResult(source: file, verdict: .unread, reason: error.description))
                }
                if !json, let last = results.histories.last { Console.print(HistoryText.row(last)) }
            }
            if json { Console.print(try JSONReport.render(results), terminator: "") }
            if let html { try ReportFile.write(HTMLReport.render(results.document()), to: html) }
            try judge(results, failure)
        }

        private func check(_ file: String, _ checker: HistoryChecker) throws(AssayError) -> HistoryResult {
            let (start, limit) = (Date(), limit)
            let display = ProgressDisplay(isEnabled: !quiet) {
                "checking \(file): \(ProgressState.duration(Date().timeIntervalSince(start))) of at most "
                    + "\(ProgressState.duration(limit)), and as long again for the witness of a fault"
            }
            defer { display.end() }
            let history = try History(InputFile.read(file, atMost: History.bytesMax, "history"), source: file)
            do throws(AssayError) {
                return try checker.check(history).result(of: history, source: file)
            } catch {
                throw error.located(at: .init(file))
            }
        }

        private func judge(_ results: HistoryResults, _ failure: AssayError?) throws(AssayError) {
            let count = results.count(.notLinearizable)
            if count > 0 {
                throw AssayError(
                    .verdict,
                    "\(count) of \(results.histories.count) \(results.histories.count == 1 ? "history" : "histories") "
                        + "not linearizable." + (html == nil ? " Add --html FILE for a timeline." : ""))
            }
            if let failure { throw failure }
            let unknown = results.count(.unknown)
            if strict, unknown > 0 {
                throw AssayError(
                    .undecided,
                    "\(unknown) of \(results.histories.count) histories undecided. Give more time with --limit."
                )
            }
        }
    }

    /// The text that `assay check-history` prints.
    private enum HistoryText {
        /// A history's verdict, and below it the witness of a fault.
        static func row(_ result: HistoryResult) -> String {
            let reason = result.reason.map { "\n  \($0)" } ?? ""
            guard result.verdict != .unread else { return "\(result.source): unread\(reason)" }
            let head =
                "\(result.source): \(result.verdict.rawValue) (operations \(result.operations), keys \(result.keys), "
                + "by zones \(result.keysByZones), configurations \(result.configurations))"
            guard let fault = result.fault else { return head + reason }
            let key = fault.key.isEmpty ? "the register" : "key \(fault.key)"
            let more = fault.keysAtFault > 1 ? ", one of \(fault.keysAtFault) keys at fault" : ""
            let unit = fault.timeUnit == "nanoseconds" ? "ns" : "event"
            let witness = fault.operations.filter(\.isWitness).map { line in
                let end = line.returnTime.map { "\($0)" } ?? "…"
                return "    client \(line.client)  \(unit) \(line.callTime)–\(end)  \(line.text)"
            }
            return ([head, "  \(key)\(more): \(result.reason ?? "")"] + witness).joined(separator: "\n")
        }
    }
#endif
