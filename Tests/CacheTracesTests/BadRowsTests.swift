import CacheCore
import Testing

@testable import CacheTraces

@Suite struct BadRowsTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func opened(
        _ name: String, _ content: some Collection<UInt8>, _ format: String, _ badRows: BadRows
    ) throws -> (trace: CompiledTrace?, error: AssayError?) {
        let path = try folder.write(name, content)
        var store = folder.store
        store.badRows = badRows
        var trace: CompiledTrace?
        let error = assayError { () throws(AssayError) in trace = try store.open(path: path, format: format) }
        return (trace, error)
    }

    private static let table = "a,1\nb,x\nc,3\nd\ne,4,5\nf,y\n\"g\"h,1\ni,2\n"

    @Test func `bad rows are skipped and counted by reason with the first place of each`() throws {
        let read = try opened("x.csv", Self.table.utf8, "csv:key=1,size=2", BadRows(skippedMax: 5))
        #expect(read.trace?.requests == 3)
        #expect(
            read.trace?.notes == [
                "5 bad rows were skipped: 2 (first at x.csv:2: Column 2 is 'x'; expected a whole number of bytes below 2^63), "
                    + "2 (first at x.csv:4: The record has 1 columns; the first record has 2), "
                    + "1 (first at x.csv:7: Text follows a closing quote)."
            ])
    }

    @Test func `one bad row too many stops with the counts`() throws {
        let read = try opened("x.csv", Self.table.utf8, "csv:key=1,size=2", BadRows(skippedMax: 4))
        #expect(read.error?.code == .badInput)
        #expect(read.error?.location?.line == 7)
        #expect(read.error?.message.hasPrefix("More than 4 rows are bad: 2 (first at x.csv:2: Column 2") == true)
        let stopped = try opened("x.csv", Self.table.utf8, "csv:key=1,size=2", .stop)
        #expect(stopped.error?.location?.line == 2)
    }

    @Test func `traces that skip other numbers of bad rows are compiled apart`() throws {
        let one = try opened("x.txt", "1\n2\n".utf8, "plain", BadRows(skippedMax: 1)).trace
        let two = try opened("x.txt", "1\n2\n".utf8, "plain", BadRows(skippedMax: 2)).trace
        let none = try opened("x.txt", "1\n2\n".utf8, "plain", .stop).trace
        #expect(Set([one?.digest, two?.digest, none?.digest]).count == 3)
        #expect(one?.contentDigest == none?.contentDigest)
    }

    /// A format, its lines, and the line of the bad one among them.
    static let lines: [(format: String, text: String)] = [
        ("plain", "1\n\n2\n"), ("lirs", "1\nx\n2\n"), ("arc", "1 1 0 0\n1 0 0 1\n2 1 0 2\n"),
        ("address", "l 0x1 1\nl 1 1\ns 0x2 1\n"), ("address", "l 0x1 1\nl 0x1 1 1 1\ns 0x2 1\n"),
        ("adapt-size", "1 1 1\n2 2\n3 3 3\n"), ("csv:key=1", "a\n\"b\nc\n"), ("tsv:key=1,size=2", "a\t1\nb\t-\nc\t2\n"),
        ("csv:key=1,size=2,block=10", "0,5\nx,5\n20,1\n"), ("csv:key=1,size=2", "a,1\n,2\nb,3\n"),
    ]

    @Test(arguments: lines) func `every reader of lines skips a bad row`(_ content: (format: String, text: String))
        throws
    {
        let read = try opened("x", content.text.utf8, content.format, BadRows(skippedMax: 1))
        #expect(read.trace?.requests == 2, "\(String(describing: read.error))")
        #expect(read.trace?.notes.count == 1)
        #expect(read.trace?.notes.first?.hasPrefix("1 bad row was skipped: 1 (first at x:2: ") == true)
    }

    @Test(arguments: [("corda", 8), ("cache2k", 4), ("cloud-physics", 4), ("oracle-general:zero-sized=keep", 24)])
    func `a last record that is cut short is a bad row`(format: String, width: Int) throws {
        let content = [UInt8](repeating: 0, count: 2 * width + 1)
        let read = try opened("x", content, format, BadRows(skippedMax: 1))
        #expect(read.trace?.requests == 2)
        #expect(read.trace?.notes.first?.contains("first at x at byte \(2 * width): The last record has 1 of") == true)
        #expect(try opened("x", content, format, .stop).error?.code == .badInput)
    }

    @Test func `reasons leave out what varies from row to row`() {
        let kind = RefusedRecords.kind
        #expect(kind("Column 2 is 'it's 5'; expected 'a'.") == kind("Column 2 is '7'; expected 'a'."))
        #expect(kind("Column 2 is '7'; expected 'a'.") != kind("Column 3 is '7'; expected 'a'."))
        #expect(
            kind("The record has 3 columns; the first has 2.") == kind("The record has 41 columns; the first has 2."))
    }

    @Test(arguments: ["", "skip", "skip:0", "skip:-1", "skip:x", "go"]) func `other words are misuse`(_ text: String) {
        let error = assayError { () throws(AssayError) in _ = try BadRows(parsing: text) }
        #expect(error?.code == .usage)
    }

    @Test func `what is written of the choice reads back`() throws {
        #expect(try BadRows(parsing: BadRows(skippedMax: 3).description) == BadRows(skippedMax: 3))
        #expect(try BadRows(parsing: "stop") == .stop)
    }
}
