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

    /// Writes the files of a run and whatever else is registered, and returns their paths.
    ///
    /// A report that cannot be rendered keeps no other from being written.
    ///
    /// - Parameters:
    ///   - recorded: The JSON that the results were read from, to be kept to the byte; nil for new results.
    ///   - reports: What is registered; those whose names ``ReportFiles`` writes are left to it.
    /// - Throws: `AssayError` with code `inputOutput` if the directory or a file cannot be written; what a report throws, with the name
    ///   of its file.
    @discardableResult
    public static func write(
        _ results: RunResults, to directory: String, recorded: String? = nil, options: ReportOptions = ReportOptions(),
        reports: [ReportEntry] = all
    ) throws(AssayError) -> [String] {
        var paths = try ReportFiles.write(results, to: directory, recorded: recorded, options: options)
        var files: [(name: String, text: String)] = []
        var failure: AssayError?
        for report in reports where !RunResults.kind.fileNames.contains(report.fileName) {
            do throws(AssayError) { files.append((report.fileName, try report.render(results))) } catch {
                let place = error.location ?? AssayError.Location(report.fileName)
                failure = failure ?? AssayError(error.code, error.message, at: place, cause: error.cause)
            }
        }
        paths += try ReportFile.write(files, to: directory)
        if let failure { throw failure }
        return paths
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
        let json = if let recorded { recorded } else { try JSONReport.render(results) }
        var paths = try ReportFile.write([(kind.json, json)] + tables + [(kind.page, page)], to: directory)
        if let folder = kind.folder { paths += try write(results.files(), to: "\(directory)/\(folder)") }
        return paths
    }

    /// Writes the only files of a folder; nothing is left of those of an earlier report. Returns the folder, if there are files.
    private static func write(_ files: [(name: String, text: String)], to folder: String) throws(AssayError) -> [String]
    {
        let stale = Set((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).subtracting(
            files.map(\.name))
        for name in stale where name.hasSuffix(".hgrm") {
            try? FileManager.default.removeItem(atPath: "\(folder)/\(name)")
        }
        guard !files.isEmpty else { return [] }
        _ = try ReportFile.write(files, to: folder)
        return [folder]
    }
}

/// Writes one report file so that nobody ever reads half of it.
public enum ReportFile {
    /// Writes `text` to `path` by way of another name in the same directory, which is then renamed. A file that has that text already is
    /// left alone. What is no file of its own, as a link, a device or a pipe, stays, and is written to.
    ///
    /// - Throws: `AssayError` with code `inputOutput` if that fails; the former file, if any, is untouched then.
    public static func write(_ text: String, to path: String) throws(AssayError) {
        let data = Data(text.utf8)
        do {
            if isFile(path) ?? true {
                guard FileManager.default.contents(atPath: path) != data else { return }
                return try data.write(to: URL(filePath: path), options: .atomic)
            }
            if let descriptor = [STDOUT_FILENO, STDERR_FILENO].first(where: { leads(path, to: $0) }) {
                return try FileHandle(fileDescriptor: descriptor).write(contentsOf: data)
            }
            let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o666)
            guard descriptor >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
            let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
            try file.write(contentsOf: data)
            try file.close()
        } catch { throw cannotWrite(path, error) }
    }

    /// Refuses a path before the work whose report it is begins, where it names a directory or its own is missing or not writable.
    ///
    /// - Throws: `AssayError` with code `inputOutput`.
    public static func check(_ path: String) throws(AssayError) {
        guard isFile(path) ?? true else { return }
        let directory = URL(filePath: path).deletingLastPathComponent().path
        var isDirectory = ObjCBool(false)
        let exists = FileManager.default.fileExists(atPath: directory, isDirectory: &isDirectory)
        guard exists, isDirectory.boolValue else { throw cannotWrite(path, CocoaError(.fileNoSuchFile)) }
        guard FileManager.default.isWritableFile(atPath: directory) else {
            throw cannotWrite(path, CocoaError(.fileWriteNoPermission))
        }
        if FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory), isDirectory.boolValue {
            throw cannotWrite(path, CocoaError(.fileWriteInvalidFileName))
        }
    }

    /// Whether a path names a file or a directory, and not a link, a device or a pipe; nil if nothing is there.
    public static func isFile(_ path: String) -> Bool? {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        return [S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT)
    }

    /// Whether a path leads to what a descriptor is open for: opened again, a file would be written from its beginning.
    private static func leads(_ path: String, to descriptor: Int32) -> Bool {
        var (named, opened) = (stat(), stat())
        return stat(path, &named) == 0 && fstat(descriptor, &opened) == 0 && named.st_dev == opened.st_dev
            && named.st_ino == opened.st_ino
    }

    private static func cannotWrite(_ path: String, _ error: any Error) -> AssayError {
        AssayError(
            .inputOutput, "The report cannot be written. Check that its directory exists, is writable and has room.",
            at: .init(path), cause: error.localizedDescription)
    }

    /// Writes a file piece by piece into a directory, which is created if it is missing, and returns its path.
    ///
    /// - Throws: `AssayError` with code `inputOutput` if that fails; the former file, if any, is untouched then.
    static func write(
        _ name: String, to directory: String, _ body: ((String) throws -> Void) throws -> Void
    ) throws(AssayError) -> String {
        try makeDirectory(directory)
        let (path, part) = ("\(directory)/\(name)", "\(directory)/.\(name).part")
        do {
            try Data().write(to: URL(filePath: part))
            let file = try FileHandle(forWritingTo: URL(filePath: part))
            var piece = Data()
            try body { text in
                piece += Data(text.utf8)
                guard piece.count >= 1 << 16 else { return }
                try file.write(contentsOf: piece)
                piece.removeAll(keepingCapacity: true)
            }
            try file.write(contentsOf: piece)
            try file.close()
            guard rename(part, path) == 0 else { throw CocoaError(.fileWriteUnknown) }
        } catch {
            try? FileManager.default.removeItem(atPath: part)
            throw cannotWrite(path, error)
        }
        return path
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
