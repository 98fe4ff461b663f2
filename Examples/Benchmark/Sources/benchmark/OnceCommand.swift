import ArgumentParser
import CacheTraces

/// Counts the objects of a trace that are requested once: what room a cache gives them is lost.
struct OnceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "once", abstract: "Count the objects of a trace that are requested once.")

    @Option(help: "The trace: a file.")
    var trace: String

    @Option(help: "The format of the trace, with parameters (default: auto, by content and file name).")
    var format: String?

    func run() throws {
        let compiled = try TraceStore().open(path: trace, format: format)
        var requests = [Int](repeating: 0, count: compiled.objects)
        for id in compiled.columns.ids { requests[Int(id)] += 1 }
        print("\(requests.count { $0 == 1 }) of \(compiled.objects) objects are requested once")
    }
}
