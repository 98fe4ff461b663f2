import CacheCore
import Foundation
import Testing

@testable import CacheTraces

/// What is no trace of the format that a name or a person says, and what is one though it looks odd.
@Suite struct ContentCheckTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func opened(
        _ name: String, _ content: [UInt8], _ format: String? = nil
    ) throws -> (trace: CompiledTrace?, error: AssayError?) {
        let path = try folder.write(name, content)
        var trace: CompiledTrace?
        let error = assayError { () throws(AssayError) in trace = try folder.store.open(path: path, format: format) }
        return (trace, error)
    }

    /// The output of another tool or a table, and a part of what is said of it.
    static let noKeys: [(text: String, message: String)] = [
        ("{\"what\": \"a\", \"n\": 3}\n{\"what\": \"b\", \"n\": 4}\n", "json-lines:key="),
        ("<!DOCTYPE html>\n<html><body>Not found</body></html>\n", "answer of a server"),
        ("version https://git-lfs.github.com/spec/v1\noid sha256:12\nsize 5\n", "git lfs pull"),
        ("1,17,4096\n2,18,4096\n3,17,4096\n", "delimiter=comma"),
        ("time;object\n1;a\n2;b\n3;a\n", "delimiter=semicolon"),
        ("a\tb\nc\td\n", "delimiter=tab"),
        ("17 4096\n18 512\n17 4096\n", "delimiter=space"),
        ("GET user:1\nSET user:2\nGET user:1\n", "delimiter=space"),
        ("   3 /index.html\n  12 /a.css\n", "delimiter=space"),
        ("1 2 3 4 5 6", "delimiter=space"),
        ("2024-01-01T00:00:00Z a\n2024-01-01T00:00:01Z b\n", "delimiter=space"),
        ("[{\"key\": 1}, {\"key\": 2}]\n", "jq -c '.[]'"), ("{\n\"key\": 1\n}\n", "jq -c ."),
        ("key\nuser:1\nuser:2\nuser:1\n", "header"),
        ("obj_id\n1\n2\n1\n", "header"),
        ("sector\n17\n18\n19\n17\n", "header"),
    ]

    @Test(arguments: noKeys) func `other tools' output, tables and headers are no keys unless somebody says so`(
        _ content: (text: String, message: String)
    ) throws {
        let guessed = try opened("x.txt", Array(content.text.utf8))
        #expect(guessed.error?.code == .badInput)
        #expect(guessed.error?.message.contains(content.message) == true, "\(String(describing: guessed.error))")
        #expect(guessed.error?.location?.line == 1)
        let lines = content.text.split(separator: "\n").count
        #expect(try opened("x.txt", Array(content.text.utf8), "plain").trace?.requests == lines)
    }

    @Test(arguments: [
        (Array("PK\u{3}\u{4}abc".utf8), "a zip archive"), ([0x1f, 0x9d, 0x90, 1, 2], "data of compress"),
        (wide("1700000000.5 [0 127.0.0.1:5] \"GET\" \"a\"\n", isBigEndian: false, mark: true), "iconv"),
        (Array("[{\"key\": 1}, {\"key\": 2}]\n".utf8), "jq -c '.[]'"),
        (Array("k1\t5\nk2\t6\nk1\t5\n".utf8), "delimiter=tab"),
    ]) func `what no format recognises is told by its content where that says something`(
        content: [UInt8], message: String
    ) throws {
        let error = try opened("x.log", content).error
        #expect(error?.code == .usage)
        #expect(error?.message.contains(message) == true, "\(String(describing: error))")
    }

    @Test func `what is wrong with an object is not that it is one`() throws {
        let error = try opened("x.jsonl", Array("{\"key\":\"a\",\"size\":-5}\n".utf8)).error
        #expect(error?.message.contains("a size") == true)
        #expect(error?.message.contains("usual name") == false)
    }

    /// Both took time by the square: a bracket that may begin a time looked for its end in the whole line, and a quote without an end
    /// in the rest of the file, of which one line was passed over.
    @Test func `long lines of brackets and many open quotes end soon`() throws {
        let line = "1.2.3.4 - - [25/Nov/2026:22:37:41 +0000] \"GET /a HTTP/1.1\" 200 10\n"
        let brackets = line + String(repeating: "[11/", count: 1 << 18) + "\n"
        #expect(try opened("x.log", Array(brackets.utf8), "combined").error?.code == .badInput)
        let quotes = "key,size\n" + String(repeating: "\"a\\\",1\n", count: 30_000)
        let path = try folder.write("x.csv", Array(quotes.utf8))
        var store = folder.store
        store.badRows = BadRows(skippedMax: 1_000_000)
        let error = assayError { () throws(AssayError) in
            _ = try store.open(path: path, format: "csv:key=key,size=size,header,escape=backslash")
        }
        #expect(error?.message.contains("do quotes mean anything") == true, "\(String(describing: error))")
    }

    /// Honest lists of keys.
    static let keys = [
        "1\n2\n3\n1\n", "user:1\nuser:2\nuser:1\n", "/a/b.html\n/index.html?x=1,2\n/a/b.html\n", "k\n", "1\n",
        "new york weather\nhow to cook rice\nweather\nnew york weather\n", "IMG 1.jpg\nholiday photo.png\nIMG 2.jpg\n",
        "0x1f\n0x2a\n0x1f\n", "550e8400-e29b-41d4-a716-446655440000\n6ba7b810-9dad-11d1-80b4-00c04fd430c8\n",
        "10.0.0.1:80\n10.0.0.2:443\n", "SELECT name FROM t WHERE a = 'x'\nSELECT b FROM u\n", "ключ\nキー\nclé\nключ\n",
        "homepage\n1\n2\nhomepage\n", "a,b\nc\nd,e,f\n", "12:30\n12:31\n12:30\n", "  17\n 117\n  17\n", "a|b\nc|d\n",
        "-1\n-2\n", "1.5\n2.5\n", "{1}\nx\n{2}\n",
    ]

    @Test(arguments: keys) func `a list of keys of any kind is read`(_ text: String) throws {
        let lines = text.split(separator: "\n")
        for content in [
            text, text.replacing("\n", with: "\r\n"), "\u{FEFF}" + text, String(repeating: text, count: 9000),
        ] {
            let read = try opened("x.txt", Array(content.utf8))
            #expect(read.error == nil)
            #expect(read.trace?.objects == Set(lines).count)
        }
    }

    @Test func `keys in another encoding than UTF-8 are read`() throws {
        let latin = Array("caf".utf8) + [0xe9, 0x0a] + Array("na".utf8) + [0xef] + Array("ve\n".utf8)
        #expect(try opened("x.txt", latin).trace?.requests == 2)
    }

    private static func wide(_ text: String, isBigEndian: Bool, mark: Bool) -> [UInt8] {
        let marked: String = mark ? "\u{FEFF}" + text : text
        var wide: [UInt8] = []
        for unit in marked.utf16 { wide += bytes(isBigEndian ? unit.bigEndian : unit.littleEndian) }
        return wide
    }

    @Test(arguments: ["plain", "csv:key=1", "tsv:key=1", "lirs", "arc", "address", "adapt-size", nil], [true, false])
    func `UTF-16 is named and nothing is read of it`(format: String?, isBigEndian: Bool) throws {
        for mark in [true, false] {
            let content = Self.wide("17,18\r\n18,19\r\n17,18\r\n", isBigEndian: isBigEndian, mark: mark)
            let read = try opened("x.txt", content, format)
            #expect(read.error?.code == .badInput)
            #expect(read.error?.message.contains("UTF-16") == true, "\(String(describing: read.error))")
            #expect(read.error?.message.contains("iconv") == true)
        }
    }

    @Test(arguments: ["plain", "csv:key=1", "lirs"]) func `lines that end in carriage returns alone are named`(
        format: String
    ) throws {
        let read = try opened("x", Array("1\r2\r3\r".utf8), format)
        #expect(read.error?.message.contains("carriage returns") == true, "\(String(describing: read.error))")
    }

    /// Records as libCacheSim writes them.
    private static let oracle: [UInt8] = {
        var records: [UInt8] = []
        for index in 0..<100 {
            let next: Int64 = index < 90 ? Int64(index + 11) : -1
            records += oracleRecord(time: UInt32(index / 3), key: UInt64(index % 10), size: 4096, next: next)
        }
        return records
    }()

    @Test(arguments: ["plain", "csv:key=1", "lirs", "arc", "corda", "cache2k", "cloud-physics"])
    func `binary records of another format are named`(format: String) throws {
        let read = try opened("x.bin", Self.oracle, format)
        #expect(read.error?.code == .badInput)
        #expect(read.error?.message.contains("oracle-general") == true, "\(String(describing: read.error))")
        #expect(try opened("x.bin", Self.oracle, "oracle-general").trace?.requests == 100)
    }

    @Test(arguments: ["oracle-general", "corda", "cache2k", "cloud-physics"])
    func `text is not read as binary records`(format: String) throws {
        let csv = Array((0..<220).map { "\($0),obj\($0 % 9),4096\n" }.joined().utf8)
        let whole = csv.prefix(csv.count / 24 * 24)
        let read = try opened("x.csv", Array(whole), format)
        #expect(read.error?.code == .badInput)
        #expect(
            read.error?.message.contains("are text, which begins '0,obj0,4096'") == true,
            "\(String(describing: read.error))")
    }

    @Test func `records whose times go back or whose sizes are none are not oracleGeneral`() throws {
        var random = SeededGenerator(seed: 1)
        let noise = (0..<2400).map { _ in UInt8(random.next(below: 256)) }
        #expect(try opened("x.bin", noise, "oracle-general").error?.message.contains("goes back") == true)
        let large = (0..<100).flatMap { oracleRecord(time: 0, key: UInt64($0), size: 1 << 31) }
        #expect(try opened("x.bin", large, "oracle-general").error?.message.contains("larger than 1 GiB") == true)
        let wild = (0..<100).flatMap { oracleRecord(time: 0, key: UInt64($0), size: 1, next: -5_000_000_000) }
        #expect(try opened("x.bin", wild, "oracle-general").error?.message.contains("next access") == true)
        // A clock that was set back once is honest.
        let once = (Array(1000..<1050) + Array(50..<100)).flatMap { oracleRecord(time: $0, key: 1, size: 1) }
        #expect(try opened("x.bin", once, "oracle-general").trace?.requests == 100)
    }

    @Test func `binary records that are not oracleGeneral's are read by their own formats`() throws {
        let blocks = (0..<3000).flatMap { bytes(UInt32($0 % 700).bigEndian) }
        #expect(try opened("x.bin", blocks, "cloud-physics").trace?.objects == 700)
        #expect(try opened("x.bin", [UInt8](repeating: 0, count: 2400), "cloud-physics").trace?.objects == 1)
    }

    @Test(
        arguments: [
            ([0x50, 0x4b, 0x03, 0x04, 0x14, 0, 0, 0, 8, 0], "a zip archive"),
            ([0x04, 0x22, 0x4d, 0x18, 0x64, 0x40], "LZ4"),
            (Array("SQLite format 3\0".utf8), "SQLite"),
        ] as [([UInt8], String)]) func `files that hold others are named`(start: [UInt8], name: String) throws
    {
        for format in ["plain", "oracle-general", nil] {
            let read = try opened("x.txt", start + [UInt8](repeating: 0, count: 480 - start.count), format)
            #expect(read.error?.message.contains(name) == true, "\(String(describing: read.error))")
        }
    }

    @Test func `a file that was compressed twice is named`() throws {
        let folder = try TemporaryFolder()
        let once = try folder.write("x", PackedFile.all[0].bytes)
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/gzip")
        process.arguments = [once]
        guard (try? process.run()) != nil else { return }
        process.waitUntilExit()
        let twice = try [UInt8](Data(contentsOf: URL(filePath: once + ".gz")))
        #expect(try opened("x.txt.gz", twice).error?.message.contains("compressed twice") == true)
    }

    /// Formats, what they are given, and what is said; nil where it is read.
    static let headers: [(format: String, text: String, message: String?)] = [
        ("csv:key=2", "time,object,size\n1,a,5\n2,b,6\n", "Add 'header'"),
        ("csv:key=object", "time,object\n1,a\n", "header"),
        ("csv", "time,object\n1,a\n2,b\n", "which column is the key"),
        ("csv:key=1,op=2", "a,get\nb,1\n", "an operation"),
        ("tsv:key=2", "time\tobject\n1\ta\n2\tb\n", "Add 'header'"),
        ("csv:key=1", "id\n17\n18\n", "Add 'header'"),
        ("csv:key=2,header=false", "time,object,size\n1,a,5\n2,b,6\n", nil),
        ("csv:key=1", "home,page\nabout,page\n", nil), ("csv:key=2", "1,a\n2,b\n", nil), ("csv:key=1", "a\n", nil),
        ("csv:key=1", "a,b\n1,x\ny,2\n", nil),
        ("csv:key=1,header", "1,2\n3,4\n5,6\n", "Leave 'header' out"), ("csv:key=1,header", "id,size\n3,4\n5,6\n", nil),
    ]

    @Test(arguments: headers) func `a header that is not declared, and a record declared as one, are refused`(
        _ content: (format: String, text: String, message: String?)
    ) throws {
        let read = try opened("x.csv", Array(content.text.utf8), content.format)
        #expect((read.error == nil) == (content.message == nil), "\(String(describing: read.error))")
        if let message = content.message { #expect(read.error?.message.contains(message) == true) }
    }

    /// libCacheSim's own sample of Twitter's traces is written so.
    @Test func `blanks around the fields of CSV are no part of them`() throws {
        let text = "time, object, size\n0, 17, 100\n1,  18\t, 200\n2 ,17,100 \n3,\" 17\", 5\n4, \"a, b\" ,6\n"
        let read = try records("csv:key=object,size=size,time=time,header", text)
        #expect(
            read == [
                number(17, size: 100, time: 0), number(18, size: 200, time: 1_000_000_000),
                number(17, size: 100, time: 2_000_000_000), word(" 17", size: 5, time: 3_000_000_000),
                word("a, b", size: 6, time: 4_000_000_000),
            ])
        #expect(try records("csv:key=1,delimiter=space", "a b\n") == [word("a")])
        #expect(try records("csv:key=1,delimiter=tab", " a\tb\n") == [word("a")])
        #expect(try records("tsv:key=1", " a\tb\n") == [word(" a")])
    }

    @Test func `a wrong guess says what the content is`() throws {
        let text = "version https://git-lfs.github.com/spec/v1\noid sha256:12\nsize 5\n"
        let read = try opened("x.trace", Array(text.utf8))
        #expect(read.error?.message.contains("git lfs pull") == true, "\(String(describing: read.error))")
    }

    @Test(
        arguments: [([0x07, 0x74, 0x61, 0x65], "blkparse -i"), (Array("PERFILE2".utf8), "perf trace -i")]
            as [([UInt8], String)])
    func `recordings that other tools make text of name the tool`(start: [UInt8], tool: String) throws {
        for format in ["plain", "blkparse", "perf-trace", "cache2k"] {
            let read = try opened("x.bin", start + [UInt8](repeating: 0, count: 480 - start.count), format)
            #expect(read.error?.message.contains(tool) == true, "\(String(describing: read.error))")
        }
    }
}
