import CacheCore
import Testing
import _CacheTestSupport

/// Results that papers print, to the request.
@Suite("Published results", .enabled(if: OracleTests.isReady, "\(SharedFolder.skippedText)"))
struct PublishedResultTests {
    /// Megiddo and Modha, FAST 2003, table IV (OLTP): 38.93, 46.08, 55.25, 61.87 and 65.40 %, up to their rounding.
    @Test(arguments: [(1000, 356_015), (2000, 421_200), (5000, 505_080), (10000, 565_609), (15000, 597_857)])
    func `ARC on OLTP`(_ capacity: Int, _ hits: Int) throws {
        #expect(try replay("arc", capacity).hits == hits)
    }

    /// The same table: LRU 32.83 %.
    @Test func `LRU on OLTP`() throws {
        let counts = try replay("lru", 1000)
        #expect(counts.hits == 300_122)
        #expect(counts.requests == 914_145)
    }

    /// The same table: MIN 53.61 %, without bypass; with bypass 490,155.
    @Test(arguments: [("belady", 490_093), ("belady:bypass=true", 490_155)])
    func `MIN on OLTP`(_ policy: String, _ hits: Int) throws { #expect(try replay(policy, 1000).hits == hits) }

    private func replay(_ policy: String, _ capacity: Int) throws -> ReplayCounts {
        try PolicyCall(policy).simulate(OracleTraces.loadTrace("oltp"), .objects(capacity))
    }
}
