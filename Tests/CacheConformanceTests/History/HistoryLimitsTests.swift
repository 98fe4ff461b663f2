import CacheConformance
import CacheCore
import Testing

@Suite("Limits on histories from outside")
struct HistoryLimitsTests {
    private func nested(_ depth: Int) -> String {
        let list = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        return "{:process 0, :type :invoke, :f :read, :error \(list)}\n{:process 0, :type :ok, :f :read, :value nil}"
    }

    @Test func `collections lie 100 deep in each other and no deeper, however many brackets there are`() throws {
        #expect(try HistoryFormatTests.read(nested(100)).operations.count == 1)
        for depth in [101, 10_000, 200_000] {
            let error = #expect(throws: AssayError.self) { try HistoryFormatTests.read(nested(depth)) }
            #expect(error?.code == .badInput && error?.location?.line == 1)
            #expect(error?.message.contains("more than 100 deep") == true)
        }
    }

    @Test func `times at the end of the clock make a report like others`() throws {
        let end = Int64.max
        let history = try HistoryFormatTests.read(
            """
            {"assay-history":1,"time":"nanoseconds"}
            {"client":0,"op":"put","key":"a","value":"1","call":\(end - 9),"return":\(end - 8)}
            {"client":1,"op":"get","key":"a","result":"2","call":4,"return":\(end - 6)}
            """)
        let result = try HistoryChecker().check(history).result(of: history, source: "h")
        #expect(result.verdict == .notLinearizable && result.fault?.operations.isEmpty == false)
    }
}
