import CacheCore
import CacheSystemRuns
import CacheSystems
import Testing
import _CacheTestSupport

@Suite("CallCache under sessions of an app")
struct CallCacheRunTests {
    private static let settings = [
        "requests": "600", "objects": "40", "exponent": "0.5", "size-median": "100", "size-max": "300",
        "outage-every-seconds": "200", "outage-seconds": "80", "max-age-seconds": "1000000",
        "outage-max-age-seconds": "1000000", "error-age-seconds": "0", "change-seconds": "1000000000",
        "memory-answers": "10", "store-bytes": "100000000", "restart-every": "250", "seconds-between-requests": "1",
    ]

    /// The settings with one policy alone.
    private static func only(_ policy: FetchPolicy) -> [String: String] {
        var settings = Self.settings
        for other in FetchPolicy.allCases {
            let name = other.rawValue.reduce(into: "share-") { $0 += $1.isUppercase ? "-\($1.lowercased())" : "\($1)" }
            settings[name] = other == policy ? "1" : "0"
        }
        return settings
    }

    /// The table of six policies and four situations, over a store that forgets nothing.
    private static func table(_ policy: FetchPolicy) -> (outcomes: [SystemOutcome: Int], asked: Int) {
        var known: Set<Int> = []
        var outcomes: [SystemOutcome: Int] = [:]
        var asked = 0
        for (step, object) in drawnObjects(600, of: 40, exponent: 0.5).enumerated() {
            let isUp = (step + 1) % 200 < 120
            let isKnown = known.contains(object)
            let outcome: SystemOutcome
            switch policy {
            case .ignoreCache, .networkOnly: outcome = isUp ? .miss : .unanswered
            case .cacheOnly: outcome = isKnown ? .hit : .unanswered
            case .cacheElseNetwork: outcome = isKnown ? .hit : isUp ? .miss : .unanswered
            case .networkElseCache: outcome = isUp ? .miss : isKnown ? .fallback : .unanswered
            case .cacheThenNetwork: outcome = isKnown ? .refreshed : isUp ? .miss : .unanswered
            }
            let asks = policy != .cacheOnly && !(policy == .cacheElseNetwork && isKnown)
            if asks { asked += 1 }
            if asks, isUp, policy != .ignoreCache { known.insert(object) }
            outcomes[outcome, default: 0] += 1
        }
        return (outcomes, asked)
    }

    @Test(arguments: FetchPolicy.allCases)
    func `each policy does what the table says`(_ policy: FetchPolicy) async throws {
        let run = try await driven("call-cache", Self.only(policy))
        let table = Self.table(policy)
        #expect(run.counts.outcomes == table.outcomes)
        #expect(run.counts.originRequests == table.asked && run.counts.originRequestsWithout == 600)
        let away = (0..<600).count { ($0 + 1) % 200 >= 120 }
        #expect(run.counts.outageRequests == away)
    }

    @Test func `a mix is reproducible, and its errors are remembered`() async throws {
        var settings = Self.settings
        settings["error-age-seconds"] = "50"
        settings["change-seconds"] = "30"
        let (first, second) = (try await driven("call-cache", settings), try await driven("call-cache", settings))
        #expect(first.counts == second.counts && first.figures == second.figures)
        #expect(first.counts != (try await driven("call-cache", settings, seed: 2).counts))
        #expect(first.figure("failed calls that were not repeated") ?? 0 > 0)
        #expect(first.figure("answers that were outdated") ?? 0 > 0)
        #expect(try await driven("call-cache", Self.settings).figure("answers that were outdated") == 0)
    }

    @Test func `a mix of nothing is refused`() async throws {
        var settings = Self.only(.cacheOnly)
        settings["share-cache-only"] = "0"
        await #expect(throws: AssayError.self) { try await driven("call-cache", settings) }
    }
}
