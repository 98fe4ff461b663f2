import ArgumentParser
import CacheCore
import CacheHarness
import CacheTraces

/// `assay inspect`: what a trace holds.
struct InspectCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Say what a trace holds: requests, objects, bytes, and the hit ratio that no cache can pass.")

    @OptionGroup var trace: TraceArgument

    func run() throws {
        let opened = try trace.open()
        let description = opened.description
        let columns = opened.compiled.columns
        let unlimited = try Self.unlimited(columns)
        let rows: [(String, String)] = [
            ("name", description.name), ("format", description.format), ("digest", description.digest),
            ("requests", "\(description.requests)"), ("objects", "\(description.objects)"),
            ("bytes requested", description.hasSizes ? "\(description.bytesRequested)" : "the trace carries no sizes"),
            ("footprint bytes", description.hasSizes ? "\(description.footprintBytes)" : "the trace carries no sizes"),
            ("writes", "\(description.writes ?? 0)"), ("deletes", "\(description.deletes ?? 0)"),
            ("changed sizes", "\(description.sizeChanges ?? 0)"),
            ("times to live", columns.timesToLive == nil ? "not stated" : "stated"),
            ("costs", columns.costs == nil ? "not stated" : "stated"),
            (
                "hit ratio, infinite cache",
                Self.ratio(unlimited.hits, unlimited.requests)
                    + (columns.operations == nil ? "" : " of \(unlimited.requests) reads")
            ),
            ("origin", description.origin ?? "unknown"),
        ]
        for (name, value) in rows {
            Console.print(name + String(repeating: " ", count: 28 - name.count) + value)
        }
    }

    /// What a cache that keeps everything hits; of reads alone where the trace states operations.
    private static func unlimited(_ columns: RequestColumns) throws(AssayError) -> (hits: Int, requests: Int) {
        let requests = columns.ids.count
        guard columns.operations != nil else { return (requests - columns.objects.count, requests) }
        let infinite = try Selection.policies(["infinite"])[0]
        let counts = try infinite.entry.simulate(
            columns,
            PolicyConfiguration(
                capacity: .objects(columns.objects.count), objects: columns.objects, parameters: infinite.parameters))
        return (counts?.hits ?? 0, counts?.requests ?? 0)
    }

    private static func ratio(_ part: Int, _ whole: Int) -> String {
        whole == 0 ? "0" : "\((Double(part) / Double(whole) * 10_000).rounded() / 10_000)"
    }
}
