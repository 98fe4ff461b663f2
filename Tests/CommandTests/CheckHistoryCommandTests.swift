import Foundation
import Testing

@Suite("assay check-history")
struct CheckHistoryCommandTests {
    static let good = """
        {:process 0, :type :invoke, :f :write, :key "k", :value "1"}
        {:process 0, :type :ok, :f :write, :key "k", :value "1"}
        {:process 1, :type :invoke, :f :read, :key "k"}
        {:process 1, :type :ok, :f :read, :key "k", :value "1"}

        """
    static let stale =
        good + good.replacing("\"1\"", with: "\"2\"")
            + """
            {:process 1, :type :invoke, :f :read, :key "k"}
            {:process 1, :type :ok, :f :read, :key "k", :value "1"}

            """
    static let missing =
        good + """
            {:process 2, :type :invoke, :f :read, :key "k"}
            {:process 2, :type :ok, :f :read, :key "k", :value nil}

            """

    @Test func `verdicts, the witness, the page and the exit status`() throws {
        let assay = try AssayProcess()
        try assay.write("good.edn", Self.good)
        try assay.write("stale.edn", Self.stale)
        let fine = try assay.run("check-history", "good.edn")
        #expect(fine.status == 0 && fine.output.contains("good.edn: linearizable"), "\(fine.errors)")
        let bad = try assay.run("check-history", "good.edn", "stale.edn", "--html", "h.html")
        #expect(bad.status == 2)
        #expect(bad.output.contains("stale.edn: not linearizable") && bad.output.contains("get: 1"))
        #expect(try assay.read("h.html").contains("Timeline of key k"))
    }

    @Test func `a miss is a fault unless the cache may evict`() throws {
        let assay = try AssayProcess()
        try assay.write("h.edn", Self.missing)
        #expect(try assay.run("check-history", "h.edn").status == 2)
        #expect(try assay.run("check-history", "h.edn", "--semantics", "evicting").status == 0)
        let wrong = try assay.run("check-history", "h.edn", "--semantics", "evictin")
        #expect(wrong.status == 64 && wrong.errors.contains("evicting"))
    }

    @Test func `a bad file is told with its line, and does not lose the others`() throws {
        let assay = try AssayProcess()
        try assay.write("good.edn", Self.good)
        try assay.write("bad.edn", Self.good + "{:process 0, :type :begin, :f :read}\n")
        let result = try assay.run("check-history", "bad.edn", "good.edn", "--json")
        #expect(result.status == 65 && result.errors.contains("bad.edn:5"))
        #expect(result.output.contains("\"unread\"") && result.output.contains("\"linearizable\""))
        #expect(try assay.run("check-history", "none.edn").status == 74)
        #expect(try assay.run("check-history", "good.edn", "--limit", "0").status == 64)
    }

    @Test func `what a limit leaves undecided fails with strict alone`() throws {
        let assay = try AssayProcess()
        var text = #"{"assay-history":1,"time":"events"}"# + "\n"
        for client in 0..<40 {
            text +=
                #"{"client":\#(client),"op":"cas","key":"k","expected":\#(client % 20),"value":\#(client % 20 + 1),"#
            text += #""result":\#(client % 2 == 0),"call":0,"return":9}"# + "\n"
        }
        text += #"{"client":99,"op":"get","key":"k","result":"nowhere","call":10,"return":11}"# + "\n"
        for client in 0..<20 {
            text += #"{"client":\#(100 + client),"op":"put","key":"k","value":\#(client),"call":0,"return":9}"# + "\n"
        }
        try assay.write("hard.json", text)
        let lenient = try assay.run("check-history", "hard.json", "--limit", "0.05")
        #expect(lenient.status == 0 && lenient.output.contains("unknown"), "\(lenient.output)\(lenient.errors)")
        #expect(try assay.run("check-history", "hard.json", "--limit", "0.05", "--strict").status == 6)
    }
}
