import CacheCore
import CacheSystemRuns
import Testing
import _CacheTestSupport

@Suite("ExpiringDiskCache under an image feed")
struct ExpiringDiskCacheRunTests {
    private static let settings = [
        "requests": "800", "objects": "60", "size-median": "300", "size-max": "2000", "lifetime-seconds": "1000000",
        "memory-objects": "5", "sweep-every": "300",
    ]

    @Test func `with room and time each image is loaded once`() async throws {
        let run = try await driven("expiring-disk-cache", Self.settings)
        let distinct = Set(drawnObjects(800, of: 60, exponent: 0.8)).count
        #expect(run.counts.originRequests == distinct && run[.miss] == distinct && run[.hit] == 800 - distinct)
        #expect(run.entries == distinct && run.counts.requests == 800)
        let (memory, disk) = (run.figure("hits from memory") ?? 0, run.figure("hits from disk") ?? 0)
        #expect(memory > 0 && disk > 0 && abs(memory + disk - 1) < 1e-9)
        // 80 ms for each answer, and nothing for its length.
        #expect(
            abs(run.counts.originSecondsWithout - 80) < 1e-6
                || run.counts.originSeconds < run.counts.originSecondsWithout)
    }

    @Test func `images expire, and sweeps remove those that have`() async throws {
        var settings = Self.settings
        settings["lifetime-seconds"] = "20"
        let run = try await driven("expiring-disk-cache", settings)
        #expect(run[.miss] > 120 && run.figure("sweeps") == 2)
        #expect(run.figure("objects that sweeps removed") ?? 0 > 0)
    }

    @Test func `a disk that is too small keeps less`() async throws {
        var settings = Self.settings
        settings["disk-bytes"] = "5000"
        let (small, large) = (
            try await driven("expiring-disk-cache", settings), try await driven("expiring-disk-cache", Self.settings)
        )
        #expect(small.counts.originRequests > large.counts.originRequests && small.entries < large.entries)
    }

    @Test func `a store that changes a byte is noticed`() async throws {
        let error = await #expect(throws: AssayError.self) {
            try await driven("expiring-disk-cache", Self.settings, backend: BackendEntry(LyingStorage.self))
        }
        #expect(error?.code == .verdict && error?.message.contains("wrong answer") == true)
    }
}
