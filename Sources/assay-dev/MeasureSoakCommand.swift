import ArgumentParser
import AssayCommand
import CacheCore
import CacheHarness
import CacheTraces
import Foundation

/// `assay-dev measure-soak`: whether a cache that churns for long takes up more at the end, for `scripts/soak`.
struct MeasureSoakCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "measure-soak",
        abstract: "Fill, churn and clear a cache for a while; compare bytes, files and descriptors with those before.")

    @OptionGroup var load: LoadSelection

    @Option(help: ArgumentHelp("The trace: a path or the name of a workload.", valueName: "path|name"))
    var trace = "zipf-1.0"

    @Option(help: ArgumentHelp("The policy, with parameters.", valueName: "policy"))
    var policy = "lru"

    @Option(help: ArgumentHelp("The backend, with parameters.", valueName: "backend"))
    var backend = "dictionary"

    @Option(help: ArgumentHelp("The capacity in objects.", valueName: "number"))
    var capacity = 4096

    @Option(help: ArgumentHelp("The size of values for traces without sizes.", valueName: "bytes"))
    var valueBytes = 256

    @Option(help: ArgumentHelp("How long the cache churns before it is looked at.", valueName: "seconds"))
    var before = 10.0

    @Option(help: ArgumentHelp("How long it churns after that.", valueName: "seconds"))
    var seconds = 600.0

    @Option(
        help: ArgumentHelp("Where compiled traces are kept (default: the user's cache directory).", valueName: "dir"))
    var compiledTraces: String?

    func validate() throws {
        guard capacity > 0, valueBytes >= 0, before >= 0, seconds > 0 else {
            throw ValidationError("Give a capacity and seconds above 0, and a value size of at least 0.")
        }
    }

    func run() throws {
        let policy = try Selection.policies([policy])[0]
        let backend = try Selection.backends([backend])[0]
        let compiled = try TraceOpener(compiledTraces: compiledTraces, isQuiet: true).open(trace, format: nil).compiled
        let columns = compiled.columns
        let subject = LiveRun.Subject(
            policy: policy.entry,
            configuration: PolicyConfiguration(
                capacity: .objects(capacity), objects: columns.objects, parameters: policy.parameters,
                keys: columns.keys),
            backend: backend.entry, backendParameters: backend.parameters)
        let keys = (0..<compiled.objects).map { compiled.key(of: ObjectID($0)) }
        let run = LiveRun(
            subject, columns: columns, keys: keys, valueBytes: compiled.hasSizes ? nil : valueBytes, load: load.load)
        let directory = FileManager.default.temporaryDirectory.appending(path: "assay-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let soak = try run.soak(directory: directory, warmUpSeconds: before, seconds: seconds)
        Console.print(
            "\(policy.entry.descriptor.name) · \(backend.entry.descriptor.name): \(soak.requests) requests in "
                + "\(Int(soak.seconds)) s\n" + Self.lines(soak).joined(separator: "\n"))
        guard !soak.isStable else { return }
        throw AssayError(.verdict, "\(backend.entry.descriptor.name) takes up more after the soak than before")
    }

    private static func lines(_ soak: LiveRun.Soak) -> [String] {
        func line(_ name: String, _ figure: (LiveRun.Footprint) -> Int?) -> String {
            func text(_ figure: Int?) -> String { figure.map { "\($0)" } ?? "not available" }
            return "  \(name): \(text(figure(soak.before))) before, \(text(figure(soak.after))) after"
        }
        return [
            line("bytes allocated when full", \.fullBytes), line("bytes allocated when cleared", \.clearedBytes),
            line("file descriptors", \.descriptors), line("files", \.files), line("bytes on disk", \.diskBytes),
        ]
    }
}
