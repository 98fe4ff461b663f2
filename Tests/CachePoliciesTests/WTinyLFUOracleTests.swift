import CacheCore
import Testing
import _CacheTestSupport

/// W-TinyLFU against Caffeine's, whose hash of the original keys and whose random numbers dense ids cannot reproduce.
@Suite("W-TinyLFU near Caffeine's counts", .enabled(if: OracleTests.isReady, "\(SharedFolder.skippedText)"))
struct WTinyLFUOracleTests {
    /// How far a cell's hit ratio may be from Caffeine's: a little above the largest distance that was measured.
    static let largestDistance = 0.01

    @Test func `stays within the bound`() throws {
        let call = try PolicyCall("w-tinylfu:dialect=caffeine")
        var largest = 0.0
        var sum = 0.0
        var count = 0
        for row in OracleTable.rows("caffeine.tsv", separator: "\t") where row["policy"] == "sketch.WindowTinyLfu (1%)"
        {
            let trace = try #require(row["trace"])
            let capacity = try #require(Int(row["capacity"] ?? ""))
            let hits = try #require(Int(row["hits"] ?? ""))
            guard OracleTests.runsAllCells || !["w106", "oltp", "gcc", "loop"].contains(trace) else { continue }
            let counts = try call.simulate(OracleTraces.loadTrace(trace), .objects(capacity))
            let distance = counts.hitRatio - Double(hits) / Double(counts.requests)
            #expect(abs(distance) <= Self.largestDistance, "\(trace) @ \(capacity): \(counts.hits) instead of \(hits)")
            if OracleTests.runsAllCells { print("w-tinylfu \(trace) @ \(capacity): \(counts.hits) near \(hits)") }
            largest = max(largest, abs(distance))
            sum += distance
            count += 1
        }
        #expect(count > 25)
        print("w-tinylfu: \(count) cells, largest distance \(largest), mean \(sum / Double(count))")
    }

    /// The same in bytes, where Caffeine sizes its sketch as the cache fills.
    @Test func `stays near in bytes`() throws {
        let call = try PolicyCall("w-tinylfu:dialect=caffeine")
        let rows = OracleTable.rows("caffeine-weighted-adaptsize.tsv", separator: "\t")
            .filter { $0["policy"] == "sketch.WindowTinyLfu (1%)" }
        #expect(rows.count == 2)
        for row in rows {
            let capacity = try #require(Int(row["capacity_bytes"] ?? ""))
            let hits = try #require(Int(row["hits"] ?? ""))
            let counts = try call.simulate(OracleTraces.loadTrace("adaptsize"), .bytes(capacity))
            let distance = abs(counts.hitRatio - Double(hits) / Double(counts.requests))
            #expect(distance <= 0.012, "\(capacity) bytes: \(counts.hits) instead of \(hits)")
            print("w-tinylfu adaptsize @ \(capacity) bytes: \(counts.hits) near \(hits)")
        }
    }
}
