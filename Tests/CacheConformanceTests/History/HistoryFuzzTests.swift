import CacheConformance
import CacheCore
import Testing
import _CacheTestSupport

@Suite("Fuzzed histories", .serialized)
struct HistoryFuzzTests {
    private static let json = """
        {"assay-history":1,"time":"nanoseconds"}
        {"client":0,"op":"put","key":"a","value":"1","call":10,"return":20}
        {"client":1,"op":"get","key":"a","result":null,"call":12,"return":25}
        {"client":2,"op":"compare-and-set","key":"a","expected":"1","value":"2","call":30}
        {"client":0,"op":"remove","key":"a","result":true,"call":31,"return":9223372036854775806}
        {"client":3,"op":"append","key":"\\u0062","value":"x","call":1,"return":2}
        """
    private static let log = """
        INFO  jepsen.core - Running
        INFO  jepsen.util - 0\t:invoke\t:cas\t[3 0]
        INFO  jepsen.util - 1  :invoke :read nil
        INFO  jepsen.util - 0\t:fail\t:cas\t:timed-out
        INFO  jepsen.util - 1  :ok :read nil
        """

    @Test(arguments: [("edn", HistoryFormatTests.edn), ("json", json), ("jepsen", log)])
    func `whatever a file holds is a history or an error, and is checked within its limits`(name: String, text: String)
        throws
    {
        let words = [
            "{", "}", "[", "]", "(", "[[[[[[[[", "}}}}", "\"", ":process", ":invoke", ":ok", ":fail", ":info", ":value",
            ":key", "nil",
            "\"client\":", "\"call\":", "\"return\":", "\"op\":\"append\"", "jepsen.util - ", "\\u", "\\ud800", ";",
            "#",
        ]
        let checker = HistoryChecker(.exact, limitSeconds: 1, configurationLimit: 20_000)
        try Fuzzer("history-\(name)", samples: [Array(text.utf8)], fragments: words).run { bytes in
            let history = try History(bytes, source: "h")
            for semantics in HistorySemantics.allCases {
                var checker = checker
                checker.semantics = semantics
                guard let report = try? checker.check(history) else { continue }
                _ = report.result(of: history, source: "h")
            }
            _ = try History(Array(history.jsonLines.utf8), source: "again")
        }
    }
}
