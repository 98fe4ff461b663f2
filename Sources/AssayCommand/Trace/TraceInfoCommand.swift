import ArgumentParser
import CacheCore
import CacheHarness
import CacheReports
import CacheTraces
import Foundation

/// `assay trace info`: what a trace holds.
struct TraceInfoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "info",
        abstract:
            "Say what a trace holds: requests, objects, bytes, popularity, reuse, sizes, and the hit ratio that no cache can pass."
    )

    @OptionGroup var trace: TraceArgument

    @Flag(help: "Print the figures as JSON instead of text.")
    var json = false

    @Option(
        help: ArgumentHelp("Also write a page with charts.", valueName: "path"), completion: .file(extensions: ["html"])
    )
    var html: String?

    @Option(
        help: ArgumentHelp("Also write the figures behind the charts as CSV.", valueName: "path"),
        completion: .file(extensions: ["csv"]))
    var csv: String?

    func run() throws {
        let opened = try trace.open()
        let profile = try Self.profile(opened)
        if json {
            Console.print(try JSONReport.render(profile), terminator: "")
        } else {
            for (name, value) in TraceInfoText.rows(profile) {
                Console.print(name + String(repeating: " ", count: max(1, 28 - name.count)) + value)
            }
        }
        if let csv { try ReportFile.write(CSVReport.render(profile), to: csv) }
        if let html { try ReportFile.write(HTMLReport.render(profile.document()), to: html) }
    }

    private static func profile(_ opened: TraceOpener.Opened) throws(AssayError) -> TraceProfile {
        let trace = opened.compiled
        let columns = trace.columns
        let profiler = TraceProfiler(columns)
        var profile = TraceProfile(
            assayVersion: AssayVersion.text, commandLine: Assay.arguments,
            trace: opened.description, infiniteCache: try unlimited(columns), popularity: profiler.popularity(),
            reuse: profiler.reuse(), workingSet: profiler.workingSet(hasSizes: trace.hasSizes),
            operations: profiler.operations(), tenants: profiler.tenants(named: trace.tenantNames))
        if trace.hasSizes { profile.sizes = profiler.sizes(largestOfObjects: trace.largestSizes()) }
        profile.times = profiler.times()
        profile.timesToLive = profiler.timesToLive()
        profile.costTotal = profiler.costTotal()
        return profile
    }

    /// What a cache that keeps everything hits; of reads alone where the trace states operations.
    private static func unlimited(_ columns: RequestColumns) throws(AssayError) -> TraceProfile.Infinite {
        let requests = columns.ids.count
        guard columns.operations != nil else {
            return .init(hits: requests - columns.objects.count, requests: requests)
        }
        let infinite = try Selection.policies(["infinite"])[0]
        let counts = try infinite.entry.simulate(
            columns,
            PolicyConfiguration(
                capacity: .objects(columns.objects.count), objects: columns.objects, parameters: infinite.parameters))
        return .init(hits: counts?.hits ?? 0, requests: counts?.requests ?? 0)
    }
}

/// The text of `assay trace info`: a line a figure.
private enum TraceInfoText {
    static func rows(_ profile: TraceProfile) -> [(String, String)] {
        let trace = profile.trace
        let noSizes = "the trace carries no sizes"
        let infinite = profile.infiniteCache
        var rows = [
            ("name", trace.name), ("format", trace.format), ("digest", trace.digest),
            ("requests", "\(trace.requests)"), ("objects", "\(trace.objects)"),
            ("bytes requested", trace.hasSizes ? "\(trace.bytesRequested)" : noSizes),
            ("footprint bytes", trace.hasSizes ? "\(trace.footprintBytes)" : noSizes),
            ("writes", "\(profile.operations.writes)"), ("deletes", "\(profile.operations.deletes)"),
            ("changed sizes", "\(trace.sizeChanges ?? 0)"),
            ("times to live", timesToLive(profile)),
            ("costs", profile.costTotal.map { "stated, \($0) in all" } ?? "not stated"),
            (
                "hit ratio, infinite cache",
                ratio(infinite.hits, infinite.requests)
                    + (profile.operations.isStated ? " of \(infinite.requests) reads" : "")
            ),
        ]
        rows += popularity(profile)
        rows.append(("reuse distance", reuse(profile.reuse)))
        if let sizes = profile.sizes {
            let percentiles = sizes.objectPercentiles.map(String.init).joined(separator: ", ")
            rows.append(
                ("sizes", "\(sizes.smallest) to \(sizes.largest), mean \(fixed(sizes.meanOfRequests, 1)) a request"))
            rows.append(("object sizes p50, p90, p99", percentiles))
        }
        rows.append(("times", times(profile.times)))
        rows.append(("working set", workingSet(profile.workingSet)))
        rows.append(("tenants", tenants(profile.tenants)))
        rows.append(("origin", trace.origin ?? "unknown"))
        return rows
    }

    private static func popularity(_ profile: TraceProfile) -> [(String, String)] {
        let (popularity, requests) = (profile.popularity, profile.trace.requests)
        let zipf = popularity.zipf.map { zipf in
            "\(fixed(zipf.exponent, 3)), R² \(fixed(zipf.rSquared, 3)) over ranks 1 to \(zipf.lastRank)"
        }
        return [
            ("requested once", "\(popularity.requestedOnce) objects"),
            (
                "share of top 1 %, 10 %",
                "\(ratio(popularity.requestsForTopHundredth, requests)), \(ratio(popularity.requestsForTopTenth, requests))"
            ),
            ("Zipf exponent", zipf ?? "not fitted: fewer than 10 objects have 10 requests"),
        ]
    }

    private static func reuse(_ reuse: TraceProfile.Reuse) -> String {
        guard let median = reuse.median else { return "no object is requested twice" }
        return "median \(median) objects; first requests \(reuse.firstRequests)"
    }

    private static func timesToLive(_ profile: TraceProfile) -> String {
        guard let lives = profile.timesToLive else { return "not stated" }
        return "stated, \(lives.endless) without end"
    }

    private static func times(_ times: TraceProfile.Times?) -> String {
        guard let times else { return "not stated, or all equal" }
        let seconds = (Double(times.lastNanoseconds) - Double(times.firstNanoseconds)) / 1e9
        let backwards = times.backwards == 0 ? "" : ", \(times.backwards) go back"
        return "\(fixed(seconds, 3)) s\(backwards)"
    }

    private static func workingSet(_ windows: [TraceProfile.Window]) -> String {
        let objects = windows.map(\.objects)
        return "\(objects.min() ?? 0) to \(objects.max() ?? 0) objects in each of \(windows.count) parts"
    }

    private static func tenants(_ tenants: [TraceProfile.Tenant]) -> String {
        guard !tenants.isEmpty else { return "not stated" }
        let shown = tenants.prefix(5).map { "\($0.name) \($0.requests)" }.joined(separator: ", ")
        return "\(tenants.count): \(shown)\(tenants.count > 5 ? ", …" : "")"
    }

    private static func ratio(_ part: Int, _ whole: Int) -> String {
        whole == 0 ? "0" : "\((Double(part) / Double(whole) * 10_000).rounded() / 10_000)"
    }

    private static func fixed(_ value: Double, _ digits: Int) -> String {
        String(format: "%.\(digits)f", value)
    }
}
