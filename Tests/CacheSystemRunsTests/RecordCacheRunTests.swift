import CacheCore
import CacheSystemRuns
import Testing
import _CacheTestSupport

@Suite("RecordCache under upgrades")
struct RecordCacheRunTests {
    @Test func `every version migrates what it reads, and nothing is asked for again`() async throws {
        let run = try await driven(
            "record-cache",
            [
                "records": "150", "groups": "7", "refused": "0", "read-by-2": "1", "read-by-3": "1", "read-by-4": "1",
                "read-again": "1",
            ])
        #expect(run.counts.outcomes == [.write: 150, .migrated: 450, .hit: 150])
        #expect(run.counts.originRequests == 0 && run.counts.originRequestsWithout == 600 && run.entries == 150)
        #expect(run.figure("records migrated") == 450 && run.figure("records stored in their new form") == 450)
        #expect(run.figure("on disk after version 4, read again") ?? 0 > 0)
    }

    @Test func `records that cannot be migrated are lost once and asked for again`() async throws {
        let run = try await driven(
            "record-cache",
            ["records": "100", "groups": "3", "refused": "1", "read-by-2": "0", "read-by-3": "0", "read-again": "1"])
        #expect(run.counts.outcomes == [.write: 100, .miss: 100, .hit: 100])
        #expect(run.counts.originRequests == 100 && run.counts.originRequestsSaved == 0.5)
        #expect(run.figure("records lost, as they could not be migrated") == 100)
    }

    @Test func `the last version finds records of all`() async throws {
        let settings = ["records": "2000", "groups": "10", "refused": "0.05"]
        let run = try await driven("record-cache", settings)
        let again = try await driven("record-cache", settings)
        #expect(run[.write] == 2000 && run.counts == again.counts)
        // Three tenths, three tenths, all, and a fifth again.
        #expect((3400...3800).contains(run.counts.requests))
        // Every refused record is read by version 4 at the latest, and lost once.
        #expect((50...150).contains(run[.miss]) && run.counts.originRequests == run[.miss])
        #expect(run.counts.hitRatio > 0.9 && run[.migrated] > 2000 && run.entries == 2000)
    }

    @Test func `a part of the workload has a part of the records`() async throws {
        let run = try await driven("record-cache", ["records": "2000", "groups": "10", "refused": "0"], scale: 0.1)
        #expect(run[.write] == 200 && run.entries == 200)
    }
}
