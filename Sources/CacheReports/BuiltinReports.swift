public import CacheCore
internal import Foundation

/// Every report that a run leaves behind.
public enum BuiltinReports {
    /// The reports, the source of the others first.
    public static let all: [ReportEntry] = [
        ReportEntry("results.json", "The run as it was recorded; every report is rendered from it.") {
            (results) throws(AssayError) in try JSONReport.render(results)
        },
        ReportEntry("results.csv", "One row a cell, for pandas, R and spreadsheets.") { CSVReport.render($0) },
        ReportEntry("report.html", "Charts and tables in one file that opens without a network.") {
            (results) throws(AssayError) in try HTMLReport.render(results.document(ReportOptions()))
        },
    ]

    /// The names of the files.
    public static var fileNames: [String] { all.map(\.fileName) }

    /// The tables of parts of a trace, each written where a run counted such parts.
    private static let parts: [(fileName: String, render: @Sendable (RunResults) -> String?)] = [
        ("windows.csv", { CSVReport.windows($0) }), ("tenants.csv", { CSVReport.tenants($0) }),
    ]

    /// Renders every report into `directory`, which is created if it is missing, and returns the paths written.
    ///
    /// Each file appears whole or not at all: it is written under another name and then renamed. A report that cannot be rendered
    /// keeps no other from being written. A run that counted windows or tenants has `windows.csv` or `tenants.csv` too; those of
    /// an earlier run are removed otherwise.
    ///
    /// - Parameters:
    ///   - recorded: The JSON that the results were read from, to be kept to the byte; nil for new results.
    ///   - reports: What is rendered.
    /// - Throws: `AssayError` with code `inputOutput` if the directory or a file cannot be written; what a report throws, with the name
    ///   of its file.
    @discardableResult
    public static func write(
        _ results: RunResults, to directory: String, recorded: String? = nil, reports: [ReportEntry] = all
    ) throws(AssayError) -> [String] {
        var files: [(name: String, text: String)] = []
        var failure: AssayError?
        for report in reports {
            if let recorded, report.fileName == fileNames[0] {
                files.append((report.fileName, recorded))
                continue
            }
            do throws(AssayError) { files.append((report.fileName, try report.render(results))) } catch {
                let place = error.location ?? AssayError.Location(report.fileName)
                failure = failure ?? AssayError(error.code, error.message, at: place, cause: error.cause)
            }
        }
        for part in parts {
            if let text = part.render(results) {
                files.append((part.fileName, text))
            } else {
                try? FileManager.default.removeItem(at: URL(filePath: directory).appending(path: part.fileName))
            }
        }
        let paths = try ReportFile.write(files, to: directory)
        if let failure { throw failure }
        return paths
    }
}

/// Every report that `assay advise` leaves behind.
public enum AdviceReports {
    /// The names of the files: the advice as it was recorded, a row a capacity, and the page.
    public static let fileNames = ["advice.json", "advice.csv", "advice.html"]

    /// Renders every report of advice into `directory`, which is created if it is missing, and returns the paths written.
    ///
    /// - Parameter recorded: The JSON that the results were read from, to be kept to the byte; nil for new results.
    /// - Throws: `AssayError` with code `inputOutput` if the directory or a file cannot be written.
    @discardableResult
    public static func write(
        _ results: AdviceResults, to directory: String, recorded: String? = nil
    ) throws(AssayError) -> [String] {
        let texts = [try JSONReport.render(results), CSVReport.render(results), try HTMLReport.render(results)]
        return try ReportFile.write(fileNames, texts, recorded: recorded, to: directory)
    }
}

/// Every report that `assay bench` leaves behind.
public enum BenchReports {
    /// The names of the files, beside the histograms: the bench as it was recorded, a row an operation, and the page.
    public static let fileNames = ["bench.json", "bench.csv", "bench.html"]

    /// Renders every report of a bench into `directory`, which is created if it is missing, and returns the paths written.
    /// Histograms go to `histograms`, a file an operation, for the plotter of HdrHistogram; their directory is returned.
    ///
    /// - Parameter recorded: The JSON that the results were read from, to be kept to the byte; nil for new results.
    /// - Throws: `AssayError` with code `inputOutput` if the directory or a file cannot be written.
    @discardableResult
    public static func write(
        _ results: BenchResults, to directory: String, recorded: String? = nil
    ) throws(AssayError) -> [String] {
        let texts = [try JSONReport.render(results), CSVReport.render(results), try HTMLReport.render(results)]
        let paths = try ReportFile.write(fileNames, texts, recorded: recorded, to: directory)
        let histograms = HistogramFiles.files(results)
        let place = URL(filePath: directory).appending(path: HistogramFiles.directory).path
        // An earlier bench's histograms would be taken for this one's.
        let stale = Set((try? FileManager.default.contentsOfDirectory(atPath: place)) ?? []).subtracting(
            histograms.map(\.name))
        for name in stale where name.hasSuffix(".hgrm") {
            try? FileManager.default.removeItem(atPath: "\(place)/\(name)")
        }
        guard !histograms.isEmpty else { return paths }
        _ = try ReportFile.write(histograms, to: place)
        return paths + [place]
    }
}

/// Every report that `assay run --system` leaves behind.
public enum SystemReports {
    /// The names of the files: the run as it was recorded, a row an operation or figure, and the page.
    public static let fileNames = ["systems.json", "systems.csv", "systems.html"]

    /// Renders every report of a run of systems into `directory`, which is created if it is missing, and returns the paths written.
    ///
    /// - Parameter recorded: The JSON that the results were read from, to be kept to the byte; nil for new results.
    /// - Throws: `AssayError` with code `inputOutput` if the directory or a file cannot be written.
    @discardableResult
    public static func write(
        _ results: SystemResults, to directory: String, recorded: String? = nil
    ) throws(AssayError) -> [String] {
        let texts = [try JSONReport.render(results), CSVReport.render(results), try HTMLReport.render(results)]
        return try ReportFile.write(fileNames, texts, recorded: recorded, to: directory)
    }
}

/// The files that recorded results are reported in.
public enum ReportFiles {
    /// Writes the results, their tables and their page into `directory`, which is created if it is missing, and returns the paths.
    ///
    /// Each file appears whole or not at all. Tables that an earlier report left and these results lack are removed.
    ///
    /// - Parameter recorded: The JSON that the results were read from, to be kept to the byte; nil for new results.
    /// - Throws: `AssayError` with code `inputOutput` if the directory or a file cannot be written; what the document throws.
    @discardableResult
    public static func write<Results: ReportedResults>(
        _ results: Results, to directory: String, recorded: String? = nil, options: ReportOptions = ReportOptions()
    ) throws(AssayError) -> [String] {
        let kind = Results.kind
        let page = try HTMLReport.render(results.document(options))
        let tables = results.csv()
        for name in kind.csv where !tables.contains(where: { $0.name == name }) {
            try? FileManager.default.removeItem(at: URL(filePath: directory).appending(path: name))
        }
        let json = if let recorded { recorded } else { try JSONReport.encoded(results) }
        return try ReportFile.write([(kind.json, json)] + tables + [(kind.page, page)], to: directory)
    }
}

/// Writes one report file so that nobody ever reads half of it.
public enum ReportFile {
    /// Writes `text` to `path` by way of another name in the same directory, which is then renamed. A file that has that text already is
    /// left alone.
    ///
    /// - Throws: `AssayError` with code `inputOutput` if that fails; the former file, if any, is untouched then.
    public static func write(_ text: String, to path: String) throws(AssayError) {
        guard FileManager.default.contents(atPath: path) != Data(text.utf8) else { return }
        do {
            try Data(text.utf8).write(to: URL(filePath: path), options: .atomic)
        } catch {
            throw AssayError(
                .inputOutput,
                "The report cannot be written. Check that its directory exists, is writable and has room.",
                at: .init(path), cause: error.localizedDescription)
        }
    }

    /// Writes the reports of one kind, the first of which is kept as it was recorded, if it was, and returns their paths.
    static func write(
        _ names: [String], _ texts: [String], recorded: String?, to directory: String
    ) throws(AssayError) -> [String] {
        let texts = recorded.map { [$0] + texts.dropFirst() } ?? texts
        return try write(zip(names, texts).map { ($0, $1) }, to: directory)
    }

    /// Writes files into a directory, which is created if it is missing, and returns their paths.
    ///
    /// - Throws: `AssayError` with code `inputOutput` if the directory or a file cannot be written.
    package static func write(_ files: [(name: String, text: String)], to directory: String) throws(AssayError)
        -> [String]
    {
        try makeDirectory(directory)
        var paths: [String] = []
        for file in files {
            let path = URL(filePath: directory).appending(path: file.name).path
            try write(file.text, to: path)
            paths.append(path)
        }
        return paths
    }

    /// Creates a directory with its parents unless it is there.
    static func makeDirectory(_ path: String) throws(AssayError) {
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        } catch {
            throw AssayError(
                .inputOutput, "The directory for the reports cannot be created. Choose another with --out.",
                at: .init(path), cause: error.localizedDescription)
        }
    }
}
