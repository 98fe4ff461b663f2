import ArgumentParser
import CacheCore
import CacheTraces

/// `assay inspect`: what a trace holds.
struct InspectCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Say what a trace holds: requests, objects, bytes, and the hit ratio that no cache can pass.")

    @Argument(help: "The path of a trace or the name of a workload.")
    var trace: String

    @Option(help: "The format of the trace, with parameters (default: by file name).")
    var format: String?

    @Option(
        help: ArgumentHelp("Where compiled traces are kept (default: the user's cache directory).", valueName: "dir"))
    var compiledTraces: String?

    func run() throws {
        let opened = try TraceOpener(compiledTraces: compiledTraces).open(trace, format: format)
        let description = opened.description
        let rows: [(String, String)] = [
            ("name", description.name), ("format", description.format), ("digest", description.digest),
            ("requests", "\(description.requests)"), ("objects", "\(description.objects)"),
            ("bytes requested", description.hasSizes ? "\(description.bytesRequested)" : "the trace carries no sizes"),
            ("footprint bytes", description.hasSizes ? "\(description.footprintBytes)" : "the trace carries no sizes"),
            ("hit ratio, infinite cache", Self.ratio(description.requests - description.objects, description.requests)),
            ("origin", description.origin ?? "unknown"),
        ]
        for (name, value) in rows {
            Console.print(name + String(repeating: " ", count: 28 - name.count) + value)
        }
    }

    private static func ratio(_ part: Int, _ whole: Int) -> String {
        whole == 0 ? "0" : "\((Double(part) / Double(whole) * 10_000).rounded() / 10_000)"
    }
}
