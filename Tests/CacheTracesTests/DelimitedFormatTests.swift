import CacheCore
import CacheTraces
import Testing

@Suite struct DelimitedFormatTests {
    @Test func columnsByNumber() throws {
        let read = try records("csv:key=2,size=3,time=1", "0.5,10,100\n1,ten,200\n\n2,10,100\r\n")
        #expect(
            read == [
                number(10, size: 100, time: 500_000_000), word("ten", size: 200, time: 1_000_000_000),
                number(10, size: 100, time: 2_000_000_000),
            ])
    }

    @Test func columnsByName() throws {
        let text = "\u{FEFF}time,id,bytes\n7,a,1\n8,b,2\n"
        #expect(
            try records("csv:key=id,size=bytes,time=time,time-unit=ms,header", text)
                == [word("a", size: 1, time: 7_000_000), word("b", size: 2, time: 8_000_000)])
        #expect(try records("csv:key=2,header=true", text) == [word("a"), word("b")])
        #expect(try records("csv:key=2,header=false", text) == [word("id"), word("a"), word("b")])
    }

    @Test func timesToLiveAndCosts() throws {
        let read = try records("csv:key=1,ttl=2,cost=3,ttl-unit=ms", "1,5,0.25\n2,0,1e3\n3,,7\n4,0.5,0\n5,-1,0\n")
        let expected: [(Int64?, Double)] = [(5_000_000, 0.25), (nil, 1000), (nil, 7), (500_000, 0), (nil, 0)]
        #expect(
            read
                == expected.enumerated().map { index, pair in
                    TraceRecord(
                        .integer(UInt64(index + 1)), RequestAttributes(timeToLiveNanoseconds: pair.0, cost: pair.1))
                })
    }

    @Test func quotedFieldsFollowTheRFC() throws {
        let text = "\"a,b\",1\n\"say \"\"x\"\"\",2\n\"two\nlines\",3\n\"\"\"\",4\nplain,\"5\"\n"
        #expect(
            try records("csv:key=1,size=2", text) == [
                word("a,b", size: 1), word("say \"x\"", size: 2), word("two\nlines", size: 3), word("\"", size: 4),
                word("plain", size: 5),
            ])
    }

    private static let escaped = #"""
        "a \"b\" c",1
        "a ""b"" c",2
        "d\\",3
        "e\f",4
        "g \" h",5
        """#

    @Test func `a backslash escapes quotes where the content says so, or a parameter`() throws {
        let expected = [
            word(#"a "b" c"#, size: 1), word(#"a "b" c"#, size: 2), word(#"d\"#, size: 3), word(#"e\f"#, size: 4),
            word(#"g " h"#, size: 5),
        ]
        #expect(try records("csv:key=1,size=2", Self.escaped) == expected)
        #expect(try records("csv:key=1,size=2,escape=backslash", Self.escaped) == expected)
        // RFC 4180 knows no escape: here the backslash ends a field.
        #expect(try records("csv:key=1,size=2", "\"C:\\\",1\nb,2\n") == [word("C:\\", size: 1), word("b", size: 2)])
        let error = assayError { () throws(AssayError) in
            _ = try records("csv:key=1,size=2,escape=double", Self.escaped)
        }
        #expect(error?.location?.line == 1)
        #expect(error?.message.contains("escape=backslash") == true)
    }

    @Test func `an escape that the content shows is told`() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("x.csv", Self.escaped.utf8)
        #expect(try folder.store.open(path: path, format: "csv:key=1,size=2").notes.count == 1)
        #expect(try folder.store.open(path: path, format: "csv:key=1,size=2,escape=backslash").notes.isEmpty)
    }

    @Test func `ranges become blocks of a volume`() throws {
        let read = try records("csv:key=1+2,size=3,block=10", "hm+,15,10\nhm+,0,0\n")
        #expect(read == [word("hm\\++1", size: 10), word("hm\\++2", size: 10), word("hm\\++0", size: 10)])
        #expect(try records("csv:key=1,size=2,block=10", "15,10\n") == [number(1, size: 10), number(2, size: 10)])
    }

    @Test func `tenants are kept by their names`() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("x.csv", "1,b\n2,a\n3,b\n4,\n".utf8)
        let trace = try folder.store.open(path: path, format: "csv:key=1,tenant=2")
        #expect(trace.tenantNames == ["b", "a", ""])
        #expect(trace.columns.tenants.map(Array.init) == [0, 1, 0, 2])
    }

    @Test func `keys are any bytes`() throws {
        let folder = try TemporaryFolder()
        let long = [UInt8](repeating: 0x61, count: 1 << 16)
        let keys: [[UInt8]] = [
            [0], [0, 0], [0x61, 0, 0x62], [0xff], [0xc0, 0x80], long, long + [0x62], [0x20, 0x78],
        ]
        var content: [UInt8] = []
        for key in keys {
            content.append(0x22)
            content += key
            content += "\",1\n".utf8
        }
        let trace = try folder.store.open(path: folder.write("x.csv", content), format: "csv:key=1,size=2")
        #expect(trace.requests == keys.count)
        #expect((0..<trace.objects).map { trace.key(of: ObjectID($0)) } == keys)
    }

    @Test func quotedRecordAcrossBuffersIsWhole() throws {
        let long = String(repeating: "x\n", count: 100_000)
        #expect(try records("csv:key=1", "\"\(long)\",1\nb,2\n") == [word(long), word("b")])
    }

    @Test func tabsHaveNoQuotes() throws {
        #expect(try records("tsv:key=1,size=2", "\"a\t1\nb\t2\n") == [word("\"a", size: 1), word("b", size: 2)])
    }

    @Test(arguments: [("semicolon", ";"), ("pipe", "|"), ("space", " "), ("tab", "\t"), (";", ";"), ("x", "x")])
    func delimiters(name: String, character: String) throws {
        #expect(try records("csv:key=2,delimiter=\(name)", "1\(character)2\n") == [number(2)])
    }

    @Test func joinedKeysNeverCollide() throws {
        let read = try records("csv:key=1+2", "a+b,c\na,b+c\na\\,+c\n1,2\n")
        #expect(read == [word("a\\+b+c"), word("a+b\\+c"), word("a\\\\+\\+c"), word("1+2")])
        #expect(Set(read.map(\.key)).count == 4)
    }

    /// Format, input, line, part of the message.
    static let malformed: [(String, String, Int, String)] = [
        ("csv:key=1,size=2", "a,1\nb,x\n", 2, "Column 2 is 'x'"),
        ("csv:key=1,size=2", "a,1\nb,-1\n", 2, "whole number of bytes"),
        ("csv:key=1,size=2", "a,\n", 1, "Column 2 is ''"),
        ("csv:key=1,time=2", "a,1\nb,1.2.3\n", 2, "expected a number"),
        ("csv:key=1,ttl=2", "a,1\nb,-2\n", 2, "a time to live: a number from 0"),
        ("csv:key=1,ttl=2", "a,1\nb,-1.5\n", 2, "a time to live: a number from 0"),
        ("csv:key=1,size=2,block=4096", "0,1\n1.5,1\n", 2, "the offset of a range"),
        ("csv:key=1,size=2,block=4096", "0,1\n18446744073709551615,2\n", 2, "a range that ends below 2^64"),
        ("csv:key=1,size=2,block=1", "0,1\n0,1048577\n", 2, "at most 2^20 blocks"),
        ("csv:key=1,time=2", "a,1\nb,1700000000000\n", 2, "time-unit=ms"),
        ("csv:key=1,ttl=2", "a,1\nb,1700000000000\n", 2, "ttl-unit=ms"),
        ("csv:key=1,size=2", "id,size\na,1\n", 1, "Add 'header'"),
        ("csv:key=1,size=2", "a,1\nb,18446744073709551615\n", 2, "below 2^63"),
        ("csv:key=1,cost=2", "a,1\nb,-1\n", 2, "a cost: a number from 0"),
        ("csv:key=1,cost=2", "a,1\nb,inf\n", 2, "Column 2 is 'inf'"),
        ("csv:key=1,op=2", "a,get\nb,got\n", 2, "an operation: get, set, delete"),
        ("csv:key=1,op=2", "a,get\nb,\n", 2, "an operation"),
        ("csv:key=1,op=2", "a,get\nb,1\n", 2, "an operation"),
        ("csv:key=1", "a,1\n,2\n", 2, "at least one byte"),
        ("csv:key=1", "a,1\nb\n", 2, "has 1 columns; the first record has 2"),
        ("csv:key=1", "a,1\nb,2,3\n", 2, "has 3 columns"),
        ("csv:key=3", "a,1\n", 1, "column 3 was asked for"),
        ("csv:key=0", "a,1\n", 1, "column 0 was asked for"),
        ("csv:key=idd,header", "id,size\n1,2\n", 1, "Did you mean 'id'?"),
        ("csv:key=id,header", "id,id\n1,2\n", 1, "Several columns are named 'id'"),
        ("csv:key=1", "a,1\nb,\"c\n", 2, "does not end before the file does"),
        ("csv:key=1", "a,1\nb\"c,2\n", 2, "quote stands inside"),
        ("csv:key=1", "a,1\n\"b\"c,2\n", 2, "closing quote"),
        ("csv:key=1,size=2", "\"a\nb\",1\nc,x\n", 3, "Column 2"),
    ]

    @Test(arguments: malformed)
    func malformedRecordIsNamed(format: String, text: String, line: Int, message: String) {
        let error = assayError { () throws(AssayError) in _ = try records(format, text) }
        #expect(error?.code == .badInput)
        #expect(error?.location == AssayError.Location("input", line: line))
        #expect(error?.message.contains(message) == true, "\(String(describing: error))")
    }

    /// A quote that nothing closes is named where it stands, and does not take the rest of a large file into memory.
    @Test func endlessQuoteIsNamedAtItsLine() {
        let text = "a,1\nb,\"c\n" + String(repeating: String(repeating: "x", count: 6000) + "\n", count: 3000)
        let error = assayError { () throws(AssayError) in _ = try records("csv:key=1", text) }
        #expect(error?.location == AssayError.Location("input", line: 2))
        #expect(error?.message.contains("quoted field does not end within") == true, "\(String(describing: error))")
    }

    /// A format that does not go together, and a part of the message.
    static let misused: [(String, String)] = [
        ("csv:key=id", "header"), ("csv:key=1,delimiter=ab", "delimiter"), ("csv:key=1,delimiter=\"", "delimiter"),
        ("csv:ke=1", "Did you mean 'key'?"), ("csv:key", "name=value"), ("csv:key=1,header=maybe", "true or false"),
        ("csv:key=1,time-unit=h", "one of"), ("csv:key=1,block=4096", "size="), ("csv:block=4096,size=1", "key="),
        ("tsv:key=1,escape=backslash", "escape"),
    ]

    @Test(arguments: misused)
    func misuseIsAUsageError(format: String, message: String) {
        let error = assayError { () throws(AssayError) in _ = try records(format, "1,2\n") }
        #expect(error?.code == .usage)
        #expect(error?.message.contains(message) == true, "\(String(describing: error))")
    }

    @Test func missingKeyShowsTheColumns() {
        let error = assayError { () throws(AssayError) in _ = try records("csv", "time,lbn\n1,2\n") }
        #expect(error?.code == .usage)
        #expect(error?.message.contains("1 is 'time', 2 is 'lbn'") == true)
    }
}
