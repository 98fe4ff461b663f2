import CacheCore
import CacheSystemRuns
import Testing
import _CacheTestSupport

@Suite("HTTPCache under page loads")
struct HTTPCacheRunTests {
    private static let settings = [
        "requests": "60", "objects": "12", "assets": "20", "assets-per-page": "4", "size-median": "500",
        "size-max": "30000", "offline-visits": "0", "store-bytes": "100000000", "seconds-between-requests": "40",
        "change-seconds": "600",
    ]

    @Test func `whatever is asked is a miss, a confirmation or beside an answer`() async throws {
        let run = try await driven("http-cache", Self.settings)
        // A page, four files, data, an advertisement.
        #expect(run.counts.requests == 60 * 7 && run[.unanswered] == 0 && run[.fallback] == 0)
        #expect(run.counts.originRequests == run[.miss] + run[.confirmed] + run[.refreshed])
        for outcome in [SystemOutcome.hit, .miss, .confirmed, .refreshed] { #expect(run[outcome] > 0, "\(outcome)") }
        // What must not be stored is asked for each time.
        #expect(run[.miss] >= 60 && run.counts.originRequestsSaved > 0.2 && run.counts.bytesSaved > 0.2)
        #expect(run.counts == (try await driven("http-cache", Self.settings).counts))
    }

    @Test func `outages and visits without a connection are answered from what is kept`() async throws {
        var settings = Self.settings
        settings["outage-every-seconds"] = "800"
        settings["outage-seconds"] = "200"
        settings["offline-visits"] = "10"
        let run = try await driven("http-cache", settings)
        #expect(run.counts.outageRequests >= 70 && run[.fallback] > 0 && run[.unanswered] > 0)
        #expect(run.counts.outageAnswered == run.counts.outageRequests - run[.unanswered])
        #expect(run.figure("answered without a connection") ?? 0 > 0.3)
        #expect(run.counts == (try await driven("http-cache", settings).counts))
    }

    @Test func `a shared cache keeps no page for one person`() async throws {
        var settings = Self.settings
        settings["personal-share"] = "1"
        let personal = try await driven("http-cache", settings)
        settings["profile"] = "shared"
        let shared = try await driven("http-cache", settings)
        // Each visit asks for its page as a whole.
        #expect(shared[.miss] >= 2 * 60 && shared[.refreshed] == 0)
        #expect(shared.counts.originRequestsSaved < personal.counts.originRequestsSaved)
    }

    @Test func `a store without room displaces`() async throws {
        var settings = Self.settings
        settings["store-bytes"] = "20000"
        let run = try await driven("http-cache", settings)
        #expect(run.figure("answers displaced") ?? 0 > 0 && run.figure("bytes stored") ?? .infinity <= 20_000)
    }
}
