public import CacheCore
internal import Foundation

/// Keeps every finished combination on disk while a run goes on, so that an interrupted run loses none and can be resumed.
///
/// `run.json` says what was asked for; `cells.jsonl` has one finished combination a line. Both are removed when the run's
/// reports are written.
public final class RunJournal {
    /// What a run was asked to do.
    public struct Order: Codable, Sendable, Hashable {
        /// The arguments after `assay`.
        public var commandLine: [String]
        /// The working directory that relative paths in the arguments refer to.
        public var workingDirectory: String
        /// When it started, as ISO 8601 in UTC.
        public var startedAt: String
        /// The digest of each trace, in order.
        public var traceDigests: [String]

        /// An order.
        public init(commandLine: [String], workingDirectory: String, startedAt: String, traceDigests: [String]) {
            self.commandLine = commandLine
            self.workingDirectory = workingDirectory
            self.startedAt = startedAt
            self.traceDigests = traceDigests
        }
    }

    private struct Line: Codable {
        var index: Int
        var cell: CellResult
    }

    private let directory: String
    private let handle: FileHandle
    /// Whether the last line may have been cut short, so that the next must not be joined to it.
    private var isTorn = false
    private let syncSeconds: Double
    private var syncedNanoseconds = MonotonicClock.nowNanoseconds()

    private static func orderPath(_ directory: String) -> String { directory + "/run.json" }
    private static func cellsPath(_ directory: String) -> String { directory + "/cells.jsonl" }

    /// Whether a directory holds an unfinished run.
    public static func exists(in directory: String) -> Bool {
        FileManager.default.fileExists(atPath: orderPath(directory))
    }

    /// Starts a journal, or goes on with the one that is there.
    ///
    /// - Parameter syncSeconds: How long a finished combination may stay in the memory of the system, where it outlives this process but
    ///   not the machine.
    /// - Throws: `AssayError` with code `inputOutput` if the directory cannot be written.
    public init(directory: String, order: Order, syncSeconds: Double = 0) throws(AssayError) {
        self.directory = directory
        self.syncSeconds = syncSeconds
        do {
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
            let path = Self.cellsPath(directory)
            // The order comes last: where it is there is a journal, whenever the process is killed.
            if !Self.exists(in: directory) {
                try Data().write(to: URL(filePath: path))
                try JSONEncoder().encode(order).write(to: URL(filePath: Self.orderPath(directory)), options: .atomic)
            } else if !FileManager.default.fileExists(atPath: path) {
                try Data().write(to: URL(filePath: path))
            }
            handle = try FileHandle(forUpdating: URL(filePath: path))
            try Self.endTornLine(handle)
        } catch {
            throw AssayError(
                .inputOutput, "cannot write here: choose another directory with --out, or free space",
                at: AssayError.Location(directory), cause: error.localizedDescription)
        }
    }

    /// Goes to the end; a last line that a crash cut short gets its end, so that the next one is not joined to it.
    private static func endTornLine(_ handle: FileHandle) throws {
        let end = try handle.seekToEnd()
        guard end > 0 else { return }
        try handle.seek(toOffset: end - 1)
        guard try handle.read(upToCount: 1) != Data("\n".utf8) else { return }
        try handle.write(contentsOf: Data("\n".utf8))
    }

    /// The order of an unfinished run and its finished combinations by index; a torn last line is left out, and so is a
    /// combination that lacked a resource of the machine: it is to be run again.
    ///
    /// - Throws: `AssayError` with code `badInput` if there is no unfinished run in the directory.
    public static func load(_ directory: String) throws(AssayError) -> (order: Order, done: [Int: CellResult]) {
        guard let data = FileManager.default.contents(atPath: orderPath(directory)),
            let order = try? JSONDecoder().decode(Order.self, from: data)
        else {
            throw AssayError(
                .badInput, "there is no unfinished run here; start one with assay run --out",
                at: AssayError.Location(directory))
        }
        var done: [Int: CellResult] = [:]
        let text = FileManager.default.contents(atPath: cellsPath(directory)) ?? Data()
        for line in text.split(separator: UInt8(ascii: "\n")) {
            guard let line = try? JSONDecoder().decode(Line.self, from: Data(line)) else { continue }
            done[line.index] = line.cell.failure?.kind == .lackedResource ? nil : line.cell
        }
        return (order, done)
    }

    /// Adds a finished combination and waits until it is on disk, unless that was done within the time that may pass between.
    ///
    /// - Throws: `AssayError` with code `inputOutput` if it cannot be written, for instance on a full disk.
    public func append(_ index: Int, _ cell: CellResult) throws(AssayError) {
        do {
            var data = try JSONEncoder().encode(Line(index: index, cell: cell))
            data.append(UInt8(ascii: "\n"))
            if isTorn { data.insert(UInt8(ascii: "\n"), at: 0) }
            isTorn = true
            try handle.write(contentsOf: data)
            isTorn = false
            let now = MonotonicClock.nowNanoseconds()
            guard Double(now - syncedNanoseconds) >= syncSeconds * 1e9 else { return }
            syncedNanoseconds = now
            try handle.synchronize()
        } catch {
            throw AssayError(
                .inputOutput, "a finished result could not be kept: free space, then --resume",
                at: AssayError.Location(Self.cellsPath(directory)), cause: error.localizedDescription)
        }
    }

    /// Ends the journal: the reports have everything now.
    public func remove() {
        try? handle.close()
        Self.remove(in: directory)
    }

    /// Drops the journal of a directory, if there is one.
    public static func remove(in directory: String) {
        // The order first: a journal without one counts as none.
        try? FileManager.default.removeItem(atPath: orderPath(directory))
        try? FileManager.default.removeItem(atPath: cellsPath(directory))
    }
}
