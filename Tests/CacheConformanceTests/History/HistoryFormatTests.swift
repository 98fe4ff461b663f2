import CacheConformance
import CacheCore
import Testing

@Suite("Histories are read from files")
struct HistoryFormatTests {
    static func read(_ text: String) throws(AssayError) -> History { try History(Array(text.utf8), source: "h") }

    static let edn = """
        [{:process 0, :type :invoke, :f :write, :value [x 1], :time 5, :index 0}
         {:process :nemesis, :type :info, :f :start, :value {:a "b"}}
         {:process 1, :type :invoke, :f :read, :value [x nil]} ; a remark
         #jepsen.history.Op{:process 0, :type :ok, :f :write, :value [x 1]}
         {:process 1, :type :ok, :f :read, :value [x 1]}
         {:process 1, :type :invoke, :f :cas, :value [y [1 2]]}
         {:process 1, :type :fail, :f :cas, :value [y [1 2]]}
         {:process 2, :type :invoke, :f :cas, :value [y [1 3]]}
         {:process 2, :type :fail, :f :cas, :value [y [1 3]], :error :timed-out}
         {:process 0, :type :invoke, :f :write, :value [y 3]}
         {:process 0, :type :info, :f :write, :value [y 3]}]
        """

    @Test func `independent keys, comments, tags and the nemesis of Jepsen`() throws {
        let history = try Self.read(Self.edn)
        #expect(
            history.operations.map(history.text(of:)) == [
                "put x 1: done", "get x: 1", "compare-and-set y 1 → 2: no", "put y 3: no answer",
            ])
        #expect(history.operations.map(\.callTime) == [1, 2, 5, 9])
        #expect(try HistoryChecker().check(history).verdict == .linearizable)
    }

    @Test func `one register, an empty text, and a read that failed`() throws {
        let history = try Self.read(
            """
            {:process 0, :type :invoke, :f :read}
            {:process 0, :type :fail, :f :read, :error "timeout"}
            {:process 0, :type :invoke, :f :get, :key "k", :value nil}
            {:process 0, :type :ok, :f :get, :key "k", :value ""}
            """)
        #expect(history.operations.map(history.text(of:)) == ["get k: absent"])
    }

    @Test func `a log of Jepsen, between other lines`() throws {
        let history = try Self.read(
            """
            INFO  jepsen.core - Running
            INFO  jepsen.util - 0\t:invoke\t:cas\t[3 0]
            INFO  jepsen.util - :nemesis\t:info\t:start\tnil
            INFO  jepsen.util - 1  :invoke :read nil
            INFO  jepsen.util - 0\t:fail\t:cas\t:timed-out
            INFO  jepsen.util - 1  :ok :read nil
            """)
        #expect(history.operations.map(history.text(of:)) == ["get: absent"])
    }

    @Test func `every kind survives Assay's own form`() throws {
        var sampler = HistorySampler()
        sampler.kinds = HistoryOperation.Kind.allCases.filter { $0 != .append }
        sampler.keys = 3
        sampler.pendingPerThousand = 100
        let history = sampler.history(operations: 300, seed: 4)
        let copy = try Self.read(history.jsonLines)
        #expect(copy.jsonLines == history.jsonLines)
        #expect(copy.timeUnit == .nanoseconds)
    }

    @Test func `texts keep quotes, control characters and every plane of Unicode`() throws {
        let text =
            #"{"assay-history":1,"time":"events"}"# + "\n"
            + #"{"client":0,"op":"put","key":"a\"\\\u00e9\ud83d\ude00\n","value":7,"call":1,"return":2,"note":"x"}"#
        let history = try Self.read(text)
        #expect(history.keyNames.text(of: 0) == "a\"\\é😀\n")
        #expect(try Self.read(history.jsonLines).jsonLines == history.jsonLines)
    }

    /// A text that cannot be understood, the line at which it fails and a word of the remedy.
    struct Malformed: Sendable, CustomTestStringConvertible {
        var (text, line, word): (String, Int, String)
        var testDescription: String { word }

        init(_ text: String, line: Int, _ word: String) { (self.text, self.line, self.word) = (text, line, word) }
    }

    static let header = #"{"assay-history":1,"time":"nanoseconds"}"# + "\n"
    static let malformed = [
        Malformed("", line: 1, "Known are"),
        Malformed("key,value\n1,2\n", line: 1, "Known are"),
        Malformed("{:process 0, :type :invoke, :f :read, :value nil}\n{:process 0\n", line: 2, "Close it with '}'"),
        Malformed("{:process 0, :type :ok, :f :read, :value 1}", line: 1, "did not call"),
        Malformed("{:process a, :type :ok, :f :read}", line: 1, "whole number"),
        Malformed("\n{:process 0, :type :done, :f :read}", line: 2, "Types are"),
        Malformed("{:process 0, :type :invoke, :f :txn, :value [[:r 1 nil]]}", line: 1, "Operations are"),
        Malformed("{:type :invoke, :f :read}", line: 1, ":process is missing"),
        Malformed("{:process 0, :type :invoke, :f :cas, :value 3}", line: 1, "[expected new]"),
        Malformed("{:process 0, :type :invoke, :f :write, :key \"a, :value 3}", line: 1, "double quote"),
        Malformed(
            "{:process 0, :type :invoke, :f :read}\n{:process 0, :type :invoke, :f :read}", line: 2,
            "one operation at a time"),
        Malformed(
            "{:process 0, :type :invoke, :f :read}\n{:process 0, :type :ok, :f :write}", line: 2, "returns from put"),
        Malformed("{:process 0, :type :invoke, :f :read} x", line: 1, "A map in braces"),
        Malformed("INFO  jepsen.util - 0\t:invoke\t:read", line: 1, "cut short"),
        Malformed("x\nINFO  jepsen.util - 0\t:begin\t:read\tnil", line: 2, "Types are"),
        Malformed("INFO  jepsen.util - 0\t:invoke\t:append\t1", line: 1, "Operations are"),
        Malformed("INFO  jepsen.util - 0\t:invoke\t:cas\t[1]", line: 1, "two values"),
        Malformed("{\"client\":0}", line: 1, "header"),
        Malformed("{\"assay-history\":9,\"time\":\"events\"}", line: 1, "version 9"),
        Malformed("{\"assay-history\":1}", line: 1, "\"time\""),
        Malformed(header + "{\"client\":0,\"op\":\"get\",\"key\":\"a\"}", line: 2, "client, op, key and call"),
        Malformed(header + "{\"client\":0,\"op\":\"jump\"}", line: 2, "Operations are"),
        Malformed(header + "{\"client\":-1}", line: 2, "from 0 on"),
        Malformed(header + "{\"client\":0,\"op\":\"put\",\"key\":\"a\",\"call\":1}", line: 2, "needs the value"),
        Malformed(
            header + "{\"client\":0,\"op\":\"remove\",\"key\":\"a\",\"call\":1,\"result\":3}", line: 2, "true or false"),
        Malformed(header + "{\"client\":0,\"key\":tru}", line: 2, "true, false or null"),
        Malformed(header + "\n[1]", line: 3, "in braces"),
        Malformed(header + "{\"key\":\"\\q\"}", line: 2, "no escape"),
        Malformed(header + "{\"key\":\"\\ud800x\"}", line: 2, "surrogate"),
    ]

    @Test(arguments: malformed)
    func `what is wrong is said with its line and the remedy`(_ malformed: Malformed) throws {
        do {
            _ = try Self.read(malformed.text)
            Issue.record("no error for \(malformed.text)")
        } catch {
            #expect(error.code == .badInput)
            #expect(error.location == .init("h", line: malformed.line), "\(error)")
            #expect(error.message.contains(malformed.word), "\(error)")
        }
    }

    /// No prefix of a file may end in anything but a history or an error.
    @Test(arguments: [edn, header + #"{"client":0,"op":"put","key":"a\n","value":"é","call":1,"return":2}"#])
    func `cut files are refused or read, never fatal`(_ text: String) {
        for length in text.utf8.indices { _ = try? History(Array(text.utf8[..<length]), source: "h") }
    }
}
