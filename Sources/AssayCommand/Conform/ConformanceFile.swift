#if Conformance
    import CacheConformance
    import CacheCore
    import CacheReports
    import Foundation

    /// A report of `assay conform` as a file and as a page.
    enum ConformanceFile {
        /// The report as JSON, which `assay report` reads again.
        static func json(_ report: ConformanceReport) throws(AssayError) -> String {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            guard let data = try? encoder.encode(report) else {
                throw AssayError(.internalError, "The report cannot be written as JSON.")
            }
            return String(decoding: data, as: UTF8.self) + "\n"
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
            try ConformanceFindings(
                subject: report.subject, suite: report.suite, seed: report.seed, assayVersion: AssayVersion.text,
                commandLine: commandLine, rows: report.results.map(row),
                failures: report.results.compactMap(failure), unclaimedButPresent: report.unclaimedButPresent,
                sectionTitles: sectionTitles, json: json(report))
        }

        /// What each section of the built-in suites is about.
        static let sectionTitles = [
            "BAS": "Reading, writing and removing one key at a time",
            "KEY": "Keys of any bytes, up to the stated length",
            "VAL": "Values of any bytes, up to the stated length", "CLR": "Removing everything at once",
            "ITR": "Listing and counting keys", "PER": "What a store knows after it was closed and opened again",
            "LIF": "Opening and closing", "CON": "Conditional writes, and operations on several keys",
            "TTL": "Entries that expire", "CAP": "How much a cache holds", "POL": "Which entry is evicted",
            "LDR": "Reads that load what is missing", "WRT": "Writes that go through to the store behind the cache",
            "EVT": "Events for values that leave", "STA": "Statistics", "GRP": "Name spaces in one cache, and tags",
            "MIG": "Stores that another version wrote", "TIR": "A memory over a lower tier",
            "FLT": "Killed processes and damaged files", "LIN": "Several clients at once",
            "PLC": "Rules for every eviction policy", "REC": "Caches of records in groups", "CAL": "Caches of calls",
            "MTH": "Caches of methods", "EXP": "Caches of expiring objects on disk", "HTC": "Caches of web resources",
        ]

        private static func row(_ result: CheckResult) -> ConformanceFindings.Row {
            ConformanceFindings.Row(
                id: result.id, kind: result.kind.rawValue, assertion: result.assertion, outcome: result.outcome.name,
                detail: result.outcome.detail)
        }

        private static func failure(_ result: CheckResult) -> ConformanceFindings.Failure? {
            guard let failure = result.failure else { return nil }
            let titles: [(CheckFailure.Reproducer, String)] = [
                (.swift, "Reproducer in Swift"), (.json, "Reproducer for assay conform --replay"),
                (.protocol, "Reproducer as the subject protocol has it"), (.timeline, "Timeline"),
            ]
            let steps = ConformanceFindings.Reproducer(title: "Steps", text: failure.steps.joined(separator: "\n"))
            let forms = failure.program.map { program in
                titles.map { form, title in ConformanceFindings.Reproducer(title: title, text: program.text(form)) }
            }
            return ConformanceFindings.Failure(
                id: result.id, observed: failure.observed, permitted: failure.permitted, dueTo: failure.dueTo,
                reproducers: forms ?? [steps], history: failure.history)
        }
    }
#endif
