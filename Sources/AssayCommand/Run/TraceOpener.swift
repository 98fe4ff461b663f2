package import CacheCore
package import CacheTraces
import CacheWorkloads
import Foundation
import Synchronization

/// How many records have been read, told by one thread and asked by another.
private final class RecordCount: Sendable {
    private let value = Atomic(0)

    var count: Int { value.load(ordering: .relaxed) }
    func set(_ count: Int) { value.store(count, ordering: .relaxed) }
}

/// Opens whatever a person names as a trace, and describes it for the reports.
package struct TraceOpener {
    /// A trace with its description.
    package struct Opened {
        package let compiled: CompiledTrace
        let description: TraceDescription
        /// What it may be called, the shortest name first.
        let names: [String]
    }

    /// The workloads that can be named.
    let catalog = WorkloadCatalog(directories: TraceOpener.workloadDirectories())
    private let store: TraceStore
    private let isQuiet: Bool
    private static let hasWarnedOfFolder = Atomic<Bool>(false)

    /// An opener that keeps compiled traces in a directory; nil for the user's cache.
    package init(compiledTraces: String?, badRows: BadRows = .stop, isQuiet: Bool = false) {
        self.isQuiet = isQuiet
        var store = TraceStore(directory: compiledTraces, formats: Plugins.current.formats)
        store.badRows = badRows
        self.store = store
    }

    /// Opens a workload by name, or a trace by path.
    package func open(_ argument: String, format: String?) throws(AssayError) -> Opened {
        try open(parts: [argument], format: format)
    }

    /// Opens several files as one trace, or one workload or file.
    package func open(parts: [String], format: String?) throws(AssayError) -> Opened {
        let argument = parts.joined(separator: " ")
        let records = RecordCount()
        let display = ProgressDisplay(isEnabled: !isQuiet) { "reading \(argument): \(records.count) requests" }
        defer { display.end() }
        var store = store
        store.onRecognised = { [isQuiet] file, selected in
            guard !isQuiet else { return }
            let remark = selected.remark.map { "; \($0)" } ?? ""
            Console.error("\(file): read as '\(selected.description)', recognised by its content\(remark)")
        }
        let located = try TraceLocator(catalog: catalog).open(parts: parts, format: format, store: store) {
            records.set($0)
        }
        let trace = located.trace
        display.end()
        warn(argument, trace)
        guard trace.requests > 0 else {
            throw AssayError(.badInput, "the trace has no requests; check its format", at: .init(argument))
        }
        let origin = located.workload.map { "\($0.origin) Licence: \($0.licence)." }
        let names = Self.names(parts, located.workload)
        var description = TraceDescription(
            name: names[0], argument: argument,
            format: trace.formatDescription, digest: trace.sourceDigest, requests: trace.requests,
            objects: trace.objects, bytesRequested: trace.bytesRequested, footprintBytes: trace.footprintBytes,
            hasSizes: trace.hasSizes, origin: origin, contentDigest: trace.contentDigest)
        description.note(trace.columns)
        description.notes = trace.notes.isEmpty ? nil : trace.notes
        return Opened(compiled: trace, description: description, names: names)
    }

    /// What is known of a workload or a trace without reading it through, and what it may be called, the shortest name first.
    func forecast(
        _ argument: String, format: String?
    ) throws(AssayError) -> (forecast: TraceForecast, names: [String]) {
        let (forecast, workload) = try TraceLocator(catalog: catalog).forecast(argument, format: format, store: store)
        return (forecast, Self.names([argument], workload))
    }

    /// What a trace may be called: as its workload, or as its first file, and how many more there are.
    private static func names(_ parts: [String], _ workload: Workload?) -> [String] {
        if let workload { return [workload.name] }
        let first =
            parts[0] == "-" ? ["stdin"] : TraceNames.candidates(forFile: parts[0], formats: Plugins.current.formats)
        return parts.count == 1 ? first : first.map { "\($0)+\(parts.count - 1)" }
    }

    private func warn(_ argument: String, _ trace: CompiledTrace) {
        if let reason = store.fallbackReason, !Self.hasWarnedOfFolder.exchange(true, ordering: .relaxed) {
            Console.error(
                "warning: \(reason), so compiled traces are kept in \(store.directory). "
                    + "Name a folder with --compiled-traces to keep them elsewhere.")
        }
        // Reports have them; a run that is to be quiet says what is wrong and nothing else.
        for note in isQuiet ? [] : trace.notes { Console.error("warning: \(argument): \(note)") }
    }

    /// Where workload files are: what the environment says, here, above this program, where a checkout has them, and in the sources
    /// that this was built from, which is where a package that depends on Assay has them.
    private static func workloadDirectories() -> [String] {
        var directories: [String] = []
        if let given = ProcessInfo.processInfo.environment["ASSAY_WORKLOADS"] { directories.append(given) }
        directories.append("Workloads")
        var folder = URL(filePath: Bundle.main.executablePath ?? ".").resolvingSymlinksInPath()
        while folder.path != "/" {
            folder.deleteLastPathComponent()
            let candidate = folder.appending(path: "Workloads").path
            if FileManager.default.fileExists(atPath: candidate + "/suites") { directories.append(candidate) }
        }
        let package = (0..<4).reduce(URL(filePath: #filePath)) { path, _ in path.deletingLastPathComponent() }
        let sources = package.appending(path: "Workloads").path
        if !directories.contains(sources) { directories.append(sources) }
        return directories
    }
}
