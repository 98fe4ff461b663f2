public import CacheCore
public import CacheTraces
internal import Foundation

/// Opens whatever a person names: a workload, a workload file, or a trace file.
public struct TraceLocator: Sendable {
    /// A trace with the name that reports give it.
    public struct LocatedTrace: Sendable {
        /// The workload's name, or the path as it was written.
        public let name: String
        /// The trace.
        public let trace: CompiledTrace
        /// The workload, nil for a plain trace file.
        public let workload: Workload?
    }

    private let catalog: WorkloadCatalog

    /// A locator that looks names up in a catalog.
    public init(catalog: WorkloadCatalog) { self.catalog = catalog }

    /// Opens a workload or a trace file.
    ///
    /// A text with a `/` is a path, and `-` is standard input. Any other is a workload's name if there is one, else a file in the current folder.
    /// A path that ends in `.yaml` is a workload file. A recorded workload's checksum is verified.
    ///
    /// - Parameter format: The trace format of a file; workloads say their own.
    /// - Throws: `AssayError` with code `usage` for a name that is nothing, or a format for a workload; `badInput` for a
    ///   malformed trace or workload, or a checksum that differs; `inputOutput` if reading or writing failed.
    public func open(
        _ nameOrPath: String, format: String? = nil, store: TraceStore, onProgress: ((Int) -> Void)? = nil
    ) throws(AssayError) -> LocatedTrace {
        guard let workload = try workload(nameOrPath) else {
            guard nameOrPath == "-" || nameOrPath.contains("/") || FileManager.default.fileExists(atPath: nameOrPath)
            else {
                throw catalog.unknown(nameOrPath)
            }
            let trace = try store.open(path: nameOrPath, format: format, onProgress: onProgress)
            return LocatedTrace(name: nameOrPath, trace: trace, workload: nil)
        }
        if let format, format != "auto" {
            throw AssayError(
                .usage, "'\(workload.name)' is a workload and says its own format. Leave '\(format)' out.",
                at: AssayError.Location("--format"))
        }
        let trace = try open(workload, store: store, onProgress: onProgress)
        return LocatedTrace(name: workload.name, trace: trace, workload: workload)
    }

    /// Opens several files as one trace, in their order; one as the other does.
    ///
    /// - Throws: as for one, and `AssayError` with code `usage` for a workload among several.
    public func open(
        parts: [String], format: String? = nil, store: TraceStore, onProgress: ((Int) -> Void)? = nil
    ) throws(AssayError) -> LocatedTrace {
        guard parts.count != 1 else {
            return try open(parts[0], format: format, store: store, onProgress: onProgress)
        }
        for part in parts {
            guard let workload = try workload(part) else { continue }
            throw AssayError(
                .usage,
                "'\(workload.name)' is a workload, and only files are joined. Leave it out, or leave --join out.",
                at: AssayError.Location("--join"))
        }
        let trace = try store.open(paths: parts, format: format, onProgress: onProgress)
        return LocatedTrace(name: parts.joined(separator: " "), trace: trace, workload: nil)
    }

    /// Opens a workload.
    ///
    /// - Throws: as for names.
    public func open(
        _ workload: Workload, store: TraceStore, onProgress: ((Int) -> Void)? = nil
    ) throws(AssayError) -> CompiledTrace {
        switch workload.source {
        case .generated(let specification):
            return try store.open(generated: specification, onProgress: onProgress)
        case .system(let system):
            throw AssayError(
                .usage,
                "'\(workload.name)' is no trace: it drives the system \(system.system). "
                    + "Run it with 'assay run --system \(workload.name)'.", at: AssayError.Location(workload.path))
        case .recorded(let recording):
            let digest = try store.sha256(of: recording.path)
            guard digest == recording.sha256 else {
                throw AssayError(
                    .badInput,
                    "The file's SHA-256 is \(digest), but \(workload.path) says \(recording.sha256). "
                        + "Restore the file, or write its digest there if the change was meant.",
                    at: AssayError.Location(recording.path))
            }
            do throws(AssayError) {
                return try store.open(path: recording.path, format: recording.format, onProgress: onProgress)
            } catch {
                // The format is the workload's: nothing on the command line would mend it.
                var error = error
                if error.location?.source == "--format" { error.location = AssayError.Location(workload.path) }
                throw error
            }
        }
    }

    /// What is known of a workload or a trace file without reading it through, and the workload if it is one.
    ///
    /// - Throws: as ``open(_:format:store:onProgress:)``, but for what only reading tells.
    public func forecast(
        _ nameOrPath: String, format: String?, store: TraceStore
    ) throws(AssayError) -> (forecast: TraceForecast, workload: Workload?) {
        guard let workload = try workload(nameOrPath) else {
            guard nameOrPath == "-" || nameOrPath.contains("/") || FileManager.default.fileExists(atPath: nameOrPath)
            else { throw catalog.unknown(nameOrPath) }
            return (try store.forecast(path: nameOrPath, format: format), nil)
        }
        switch workload.source {
        case .generated(let specification): return (try store.forecast(generated: specification), workload)
        case .recorded(let recording):
            return (try store.forecast(path: recording.path, format: recording.format), workload)
        // Opening says why this is no trace.
        case .system: return (try store.forecast(path: try open(workload, store: store).path), workload)
        }
    }

    private func workload(_ text: String) throws(AssayError) -> Workload? {
        if text.contains("/") || FileManager.default.fileExists(atPath: text), WorkloadCatalog.isWorkloadFile(text) {
            return try WorkloadFile.read(text)
        }
        guard !text.contains("/"), catalog.contains(text) else { return nil }
        return try catalog.workload(named: text)
    }
}
