import CacheCore
import CacheHarness
import CacheSystemRuns
import Testing
import _CacheTestSupport

@Suite("MethodCache under hot methods")
struct MethodCacheRunTests {
    private static let settings = [
        "requests": "3000", "objects": "200", "exponent": "0.8", "capacity": "40", "work": "3", "functions": "3",
    ]

    /// The misses of a list that forgets what was used longest ago.
    private func misses(_ objects: [Int], capacity: Int) -> Int {
        var recent: [Int] = []
        var misses = 0
        for object in objects {
            if let place = recent.firstIndex(of: object) { recent.remove(at: place) } else { misses += 1 }
            recent.append(object)
            if recent.count > capacity { recent.removeFirst() }
        }
        return misses
    }

    @Test(arguments: [UInt64(1), 2, 77])
    func `functions are called as often as a naive LRU misses`(_ seed: UInt64) async throws {
        let run = try await driven("method-cache", Self.settings, seed: seed)
        let expected = misses(drawnObjects(3000, of: 200, exponent: 0.8, seed: seed), capacity: 40)
        #expect(run.counts.originRequests == expected && run[.miss] == expected)
        #expect(run[.hit] == 3000 - expected && run.counts.originRequestsWithout == 3000)
        #expect(run.entries == 40 && run.figure("results evicted") == Double(expected - 40))
        #expect(run.counts.bytesAnswered == 3000 * 64 && run.counts.bytesFromOrigin == expected * 64)
    }

    @Test func `results expire in virtual time`() async throws {
        var settings = Self.settings
        settings["capacity"] = "1000"
        settings["lifetime-seconds"] = "0.5"
        settings["requests-per-second"] = "1000"
        // Of six half seconds each begins with nothing.
        let run = try await driven("method-cache", settings)
        let first = try await driven("method-cache", settings.merging(["lifetime-seconds": "0"]) { $1 })
        #expect(run[.miss] > 2 * first[.miss] && run.figure("results expired") ?? 0 > 0)
        #expect(first.figure("results expired") == 0)
    }

    @Test func `other ways give the same results and do not change the counts`() async throws {
        let directory = try TemporaryDirectory()
        let (entry, setup) = try setup("method-cache", Self.settings, in: directory.path)
        let run = SystemRun(keepsFiles: false, seed: 1) { _ in try entry.make(setup) }
        let timing = try run.timing(directory: directory.path)
        #expect(timing.counts == (try await driven("method-cache", Self.settings).counts))
        #expect(timing.alternatives.map(\.name) == ["a plain call", "a cache switched off", "a cache with a monitor"])
        #expect(timing.alternatives.allSatisfy { $0.callsPerSecond > 0 })
        #expect(Set(timing.latency.map(\.operation)) == ["hit", "miss"])
    }
}
