#if Conformance
    import CacheConformance
    import CacheCore
    import CacheReports
    import Foundation

    /// A report of `assay conform` as a file and as a page.
    enum ConformanceFile {
        /// The report as JSON, which `assay report` reads again: a line for each result, so that a change of one is a change of a line.
        static func json(_ report: ConformanceReport) throws(AssayError) -> String {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            func text(_ value: some Encodable) throws -> String {
                String(decoding: try encoder.encode(value), as: UTF8.self)
            }
            var head = report
            head.results = []
            do {
                let results = try report.results.map { try text($0) }.joined(separator: ",\n")
                return try text(head).replacing("\"results\":[]", with: "\"results\":[\n\(results)\n]") + "\n"
            } catch {
                throw AssayError(.internalError, "The report cannot be written as JSON.", cause: "\(error)")
            }
        }

        /// The report in a file.
        ///
        /// - Throws: `AssayError` with code `badInput` for a report of a later version or a damaged one.
        static func read(_ path: String) throws(AssayError) -> ConformanceReport {
            let data = Data(try InputFile.read(path, atMost: JSONReport.bytesMax, "report"))
            if let head = try? JSONDecoder().decode(ConformanceHead.self, from: data),
                head.version > ConformanceReport.currentVersion
            {
                throw AssayError(
                    .badInput,
                    "The report is of version \(head.version), and this Assay reads up to "
                        + "\(ConformanceReport.currentVersion). Use the Assay that wrote it.", at: .init(path))
            }
            do {
                return try JSONDecoder().decode(ConformanceReport.self, from: data)
            } catch {
                throw AssayError(
                    .badInput, "The conformance report is damaged. Write it again with assay conform --json.",
                    at: .init(path), cause: (error as? DecodingError)?.inWords ?? "\(error)")
            }
        }

        /// The report as one page.
        static func page(_ report: ConformanceReport, commandLine: [String]) throws(AssayError) -> String {
            try HTMLReport.render(findings(report, commandLine: commandLine).document())
        }

        /// What the report says, for every way to draw it.
        static func findings(
            _ report: ConformanceReport, commandLine: [String]
        ) throws(AssayError) -> ConformanceFindings {
            var findings = try ConformanceFindings(
                subject: report.subject, title: report.calledName, suite: report.suite,
                profile: report.profile?.rawValue, seed: report.seed, assayVersion: AssayVersion.text,
                commandLine: commandLine, rows: report.results.map(row),
                failures: report.failures.compactMap { failure($0, ConformanceTable.form(for: report.subject)) },
                causes: report.likelyCauses.map { .init(title: $0.title, checks: $0.checks, blocked: $0.blocked) },
                unclaimedButPresent: report.unclaimedButPresent,
                sectionTitles: CheckCatalogue.sectionTitles, json: json(report))
            findings.deviations = (report.deviations ?? []).map { deviation in
                let isUnseen = report.deviationsNotSeen.contains(deviation.name)
                return .init(
                    name: deviation.name, sentence: deviation.sentence + (isUnseen ? " No answer showed it." : ""))
            }
            return findings
        }

        private static func row(_ result: CheckResult) -> ConformanceFindings.Row {
            ConformanceFindings.Row(
                id: result.id, kind: result.kind.rawValue, assertion: result.assertion, outcome: result.outcome.name,
                detail: result.outcome.detail, revision: result.revision, known: result.known)
        }

        private static func failure(
            _ result: CheckResult, _ first: CheckFailure.Reproducer
        ) -> ConformanceFindings.Failure? {
            guard let failure = result.failure else { return nil }
            var titles: [(CheckFailure.Reproducer, String)] = [
                (.swift, "Reproducer in Swift"), (.json, "Reproducer for assay conform --replay"),
                (.protocol, "Reproducer as the subject protocol has it"), (.timeline, "Timeline"),
            ]
            titles.swapAt(0, titles.firstIndex { $0.0 == first } ?? 0)
            let steps = ConformanceFindings.Reproducer(title: "Steps", text: failure.steps.joined(separator: "\n"))
            let forms = failure.program.map { program in
                titles.map { form, title in ConformanceFindings.Reproducer(title: title, text: program.text(form)) }
            }
            return ConformanceFindings.Failure(
                id: result.id, name: result.title, observed: failure.observed, permitted: failure.permitted,
                dueTo: failure.dueTo, reproducers: forms ?? [steps], history: failure.history,
                // A program's steps are its own; what stands beside it is said of it, such as that it may be smaller.
                remarks: failure.program == nil ? [] : failure.steps)
        }
    }
#endif
