import CacheCore
import CacheReports
import Foundation

/// What a report is drawn as.
enum ReportFormat: String, CaseIterable {
    case html, csv, markdown, terminal, latex, json, svg, png

    /// Every name, for help and messages.
    static let names = allCases.map(\.rawValue).joined(separator: ", ")

    /// The formats of a list with commas, each once.
    ///
    /// - Throws: `AssayError` with code `usage` for an unknown one.
    static func list(_ text: String) throws(AssayError) -> [ReportFormat] {
        var formats: [ReportFormat] = []
        for name in text.split(separator: ",").map({ $0.trimmingCharacters(in: .whitespaces) }) {
            guard let format = ReportFormat(rawValue: name) else {
                throw AssayError(
                    .usage, "'\(name)' is no format. Take some of \(names), with commas between.", at: .init("--format")
                )
            }
            if !formats.contains(format) { formats.append(format) }
        }
        guard !formats.isEmpty else {
            throw AssayError(.usage, "No format is named. Take some of \(names).", at: .init("--format"))
        }
        return formats
    }
}

/// Draws a document in the formats that were asked for.
struct ReportOutput {
    let formats: [ReportFormat]
    let directory: String

    /// Prints or writes a document, and returns the paths written.
    ///
    /// - Parameters:
    ///   - stem: The name of the files without its ending.
    ///   - csv: The tables of the results.
    /// - Throws: `AssayError` with code `inputOutput` if a file cannot be written, `unavailable` if PNG cannot be made here.
    func write(
        _ document: ReportDocument, named stem: String, csv: [(name: String, text: String)]
    ) throws(AssayError) -> [String] {
        var files: [(name: String, text: String)] = []
        for format in formats {
            switch format {
            case .terminal:
                Console.print(document)
            case .html: files.append(("\(stem).html", try HTMLReport.render(document)))
            case .csv: files += csv
            case .markdown: files.append(("\(stem).md", MarkdownReport.render(document)))
            case .latex: files.append(("\(stem).tex", LaTeXReport.render(document)))
            // Recorded results have the name without an addition.
            case .json: files.append(("\(stem)-document.json", try JSONDocument.render(document)))
            case .svg, .png: continue
            }
        }
        if formats.contains(.csv), csv.isEmpty { Console.error("assay: \(stem) has no CSV") }
        var paths = try files.isEmpty ? [] : ReportFile.write(files, to: directory)
        guard formats.contains(.svg) || formats.contains(.png) else { return paths }
        let charts = SVGCharts.render(document)
        guard !charts.isEmpty else {
            Console.error("assay: \(stem) has no chart, so that no picture was written")
            return paths
        }
        let folder = URL(filePath: directory).appending(path: "\(stem)-charts").path
        if formats.contains(.svg) { paths += try ReportFile.write(charts, to: folder) }
        if formats.contains(.png) { paths += try PNGCharts.write(charts, to: folder) }
        return paths
    }
}

/// Compares policies across traces.
enum AcrossReport {
    /// Prints and writes what policies save over a baseline policy, and returns the paths written.
    ///
    /// - Throws: as ``ReportOutput`` does.
    static func write(
        _ across: AcrossTracesDocument, formats: [ReportFormat]? = nil, to directory: String
    ) throws(AssayError) -> [String] {
        let output = ReportOutput(formats: formats ?? [.terminal, .html, .latex, .csv], directory: directory)
        var paths = try output.write(across.document(), named: AcrossTracesDocument.stem, csv: [across.csv()])
        if output.formats.contains(.csv) { paths.append(try across.writeReductions(to: directory)) }
        return paths
    }
}

/// Pictures of dots, which the program `rsvg-convert` draws.
enum PNGCharts {
    private static let program = "rsvg-convert"

    /// Refuses where the program is not installed.
    ///
    /// - Throws: `AssayError` with code `unavailable`.
    static func requireProgram() throws(AssayError) { _ = try found() }

    private static func found() throws(AssayError) -> String {
        try ProgramPath.find(
            program, to: "PNG is drawn", install: "Install Debian's librsvg2-bin, or take --format svg.")
    }

    /// Draws charts with two dots for each unit of the SVG, and returns the paths written.
    static func write(_ charts: [(name: String, text: String)], to folder: String) throws(AssayError) -> [String] {
        let program = try found()
        let scratch = FileManager.default.temporaryDirectory.appending(path: "assay-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: scratch) }
        let drawn = try ReportFile.write(charts, to: scratch)
        var paths: [String] = []
        for (chart, source) in zip(charts, drawn) {
            let process = Process()
            process.executableURL = URL(filePath: program)
            process.arguments = ["--zoom", "2", "--output", "\(source).png", source]
            let path = URL(filePath: folder).appending(path: chart.name.dropLast(3) + "png").path
            do {
                try process.run()
                process.waitUntilExit()
                guard process.terminationStatus == 0 else {
                    throw CocoaError(.featureUnsupported)
                }
                try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
                try Data(contentsOf: URL(filePath: "\(source).png")).write(to: URL(filePath: path), options: .atomic)
            } catch {
                throw AssayError(
                    .inputOutput,
                    "The picture cannot be drawn or written. Check that the directory is writable, or take --format svg.",
                    at: .init(path),
                    cause: "\(program) ended with status \(process.isRunning ? 0 : process.terminationStatus)")
            }
            paths.append(path)
        }
        return paths
    }
}
