import CacheCore
import CacheReports
import Foundation
import Testing

@Suite("What a trace holds is rendered")
struct TracePageTests {
    static var profile: TraceProfile {
        var trace = TraceDescription(
            name: "t<script>", argument: "t.csv", format: "csv:key=1", digest: "xxh128:0", requests: 1000, objects: 100,
            bytesRequested: 5000, footprintBytes: 900, hasSizes: true)
        trace.origin = "made & kept"
        var profile = TraceProfile(
            assayVersion: "9.9.9", commandLine: ["trace", "info", "t.csv"], trace: trace,
            infiniteCache: .init(hits: 900, requests: 1000),
            popularity: .init(
                requestedOnce: 20, requestsForTopHundredth: 300, requestsForTopTenth: 700,
                ranks: [.init(rank: 1, requests: 300), .init(rank: 10, requests: 30), .init(rank: 100, requests: 1)],
                zipf: .init(exponent: 0.876, requestsOfFirst: 290, rSquared: 0.9912, lastRank: 40)),
            reuse: .init(
                firstRequests: 100, distances: [.init(atMost: 1, count: 300), .init(atMost: 2, count: 600)], median: 2),
            workingSet: [
                .init(startNanoseconds: 0, footprintBytes: 7),
                .init(startNanoseconds: 5_000_000_000, footprintBytes: 8),
            ],
            operations: .init(isStated: true, reads: 700, writes: 200, deletes: 100))
        profile.sizes = .init(
            smallest: 1, largest: 64, meanOfRequests: 5, objectPercentiles: [4, 8, 64],
            requests: [.init(atMost: 64, count: 1000)], objects: [.init(atMost: 64, count: 100)])
        profile.timesToLive = .init(
            endless: 400, seconds: [.init(atMost: 60, count: 600), .init(atMost: nil, count: 0)])
        profile.tenants = [.init(name: "web & mail")]
        profile.times = .init(firstNanoseconds: 0, lastNanoseconds: 90_000_000_000, backwards: 3)
        return profile
    }

    @Test func `the page has a chart for each attribute, states the fit, and loads nothing`() throws {
        let page = try HTMLReport.render(Self.profile.document(.init()))
        for title in [
            "Popularity", "Reuse distance", "Working set", "Requests by size", "Objects by size", "Operations",
            "Times to live", "Tenants",
        ] { #expect(page.contains("<h3>\(title)</h3>"), "\(title) is missing") }
        for text in [
            "0.88", "R² 0.991, ranks 1 to 40", "3 requests", "at most 1 min", "web &amp; mail", "made &amp; kept",
            "hits 900 of 1,000 requests", "within 2 distinct objects",
        ] {
            #expect(page.contains(text), "\(text) is missing")
        }
        #expect(!page.contains("t<script>") && !page.contains("src=") && !MarkupCheck.markup(of: page).contains("NaN"))
        #expect(!page.contains("<h2>Environment</h2>") && !page.contains("<h2>Traces</h2>"))
        for chart in page.matches(of: /(?s)<svg class="chart.*?<\/svg>/) {
            #expect(MarkupCheck(String(chart.output)).problem == nil)
        }
    }

    @Test func `the last label of an axis ends within its chart, and the others stand in the middle of their places`()
        throws
    {
        let page = try HTMLReport.render(Self.profile.document(.init()))
        let charts = MarkupCheck.parts(of: page, from: "<svg class=\"chart lines", to: "</svg>").map { MarkupCheck($0) }
        let chart = try #require(charts.last)
        let labels = chart.named("text").filter { $0.attributes["y"] == "290" }
        #expect(labels.last?.attributes["text-anchor"] == "end" && labels.last?.attributes["x"] == "588")
        #expect(labels.count > 2 && labels.dropLast().allSatisfy { $0.attributes["text-anchor"] == "middle" })
    }

    @Test func `a trace that states little has a page without those charts`() throws {
        var profile = Self.profile
        (profile.sizes, profile.timesToLive, profile.times, profile.tenants) = (nil, nil, nil, [])
        profile.operations.isStated = false
        profile.popularity.zipf = nil
        profile.trace.hasSizes = false
        profile.workingSet = [.init(startNanoseconds: nil, footprintBytes: nil)]
        let page = try HTMLReport.render(profile.document(.init()))
        for title in ["Requests by size", "Operations", "Times to live", "Tenants"] {
            #expect(!page.contains("<h3>\(title)</h3>"))
        }
        #expect(page.contains("<h3>Popularity</h3>") && !page.contains("Zipf exponent</h2>"))
    }

    @Test func `the figures are read from their JSON as they were`() throws {
        let text = try JSONReport.render(Self.profile)
        #expect(try JSONDecoder().decode(TraceProfile.self, from: Data(text.utf8)) == Self.profile)
    }
}
