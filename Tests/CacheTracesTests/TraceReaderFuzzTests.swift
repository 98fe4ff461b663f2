import CacheCore
import Foundation
import Testing
import _CacheTestSupport

@testable import CacheTraces

/// Every reader of traces under mutations of valid files.
@Suite struct TraceReaderFuzzTests {
    struct Subject: Sendable, CustomTestStringConvertible {
        let format: String
        let samples: [[UInt8]]
        var fragments: [String] = []
        var testDescription: String { format }

        init(_ format: String, _ samples: [UInt8]..., fragments: [String] = []) {
            self.format = format
            self.samples = samples
            self.fragments = fragments
        }
    }

    private static func text(_ text: String) -> [UInt8] { Array(text.utf8) }

    /// A file of `Tests/formats` as the sample.
    private static func fixture(_ format: String, _ name: String, _ fragments: [String]) -> Subject {
        let file = URL(filePath: FormatFixture.folder).appending(path: name)
        return Subject(format, (try? [UInt8](Data(contentsOf: file))) ?? [], fragments: fragments + ["\n"])
    }

    static let subjects = [
        Subject("plain", text("1\n2\nkey\n1\n"), text("\u{FEFF}a b\r\nc\r\n"), fragments: ["\n", "\r\n", "\0"]),
        Subject("lirs", text("1\n*\n2\n\n17\n"), fragments: ["*\n", "\n"]),
        Subject("arc", text("0 8 0 1\n64 16 0 2\n"), fragments: ["18446744073709551615 1 0 0\n", "0 70000 0 0\n"]),
        Subject("adapt-size", text("1 17 100\n2 18 200\n2.5 17 100\n"), fragments: ["1e9 ", "-", "."]),
        Subject(
            "address", text("l 0x10 1\ns 0xff 2\n"), text("l 0x10 1 2 3\ns 0xff 2 3 4\n"), fragments: ["0x", "l "]),
        Subject(
            "csv:key=id+size,size=size,time=time,ttl=ttl,cost=cost,op=op,header",
            text("id,size,time,ttl,cost,op\n1,5,0.5,10,1e3,get\n\"a\"\"b\",6,1,,0,SET\n"), text("id,size\n1,2\n"),
            fragments: ["\"", "\"\"", ",", "\n", " ", "delete", "1e308"]),
        Subject("csv:key=2,delimiter=space,time=1,time-unit=ns", text("1 a\n2 b\n3 a\n"), fragments: [" ", "\""]),
        Subject("tsv:key=1,size=2", text("a\t1\nb\t2\n"), fragments: ["\t", "\n"]),
        Subject(
            "oracle-general", (0..<20).flatMap { oracleRecord(time: UInt32($0), key: 1, size: 5, next: Int64($0) + 2) }),
        Subject("oracle-general:zero-sized=keep", (0..<9).flatMap { oracleRecord(time: $0, key: 1, size: 0) }),
        fixture("combined:key=host-url", "combined/apache.log", ["\"", "\\x", "\\", "[", "] \"", " 200 ", "-", "\n"]),
        fixture("combined", "combined/nginx.log", ["GET ", "HEAD ", "POST ", " 304 ", " 206 ", "+0100]"]),
        fixture("squid", "squid/access.log", ["TCP_HIT/200", "_ABORTED", " ", "?"]),
        fixture("json-lines", "json-lines/caddy.log", ["{", "}", "[", "]", "\"", "\\u", "\\", "1e400", "null", ","]),
        fixture(
            "json-lines:key=what.bucket+what.name,size=n.0,time=when,cost=price,ttl=live", "json-lines/named.ndjson",
            ["{", "}", "[[", "\"", "\\ud800", ".", "-", "9"]),
        fixture("cloudfront", "cloudfront/iis.log", ["#Fields:", "#", "\t", " ", "cs-uri-stem", "-"]),
        fixture("fastly:tenant=client", "fastly/loggly.log", ["<134>", "1 ", "[", "]", "\"", "{", ": "]),
        fixture("fastly", "fastly/json.log", ["<", ">", "{", "}", "\""]),
        fixture(
            "redis-monitor:sizes", "redis-monitor/monitor.log",
            [
                "\"", "\\x", "\\", "] \"", "[", " \"EX\" \"", "9223372036854775807", "\"MSET\"", "\"STREAMS\"",
                "\"BITOP\"",
            ]),
        fixture(
            "memcached-watch", "memcached-watch/watch.log",
            ["key=", "ttl=", "=", "%", "size=", "cfd=", "item_get", "-1"]),
        Subject("corda", bytes(Int64(1).bigEndian, Int64(-2).bigEndian, Int64.max.bigEndian)),
        Subject("cache2k", bytes(Int32(1).bigEndian, Int32(-2).bigEndian)),
        Subject("cloud-physics", bytes(UInt32(1).bigEndian, UInt32(7).bigEndian)),
    ]

    /// Through the store, so that the compiler takes what the reader gives, and the compiled trace can be read.
    @Test(arguments: subjects) func `no file traps, hangs or fills memory`(_ subject: Subject) throws {
        let folder = try TemporaryFolder()
        let store = folder.store
        let name = subject.format.filter { $0.isLetter || $0.isNumber }.prefix(40)
        try Fuzzer("trace-\(name)", samples: subject.samples, fragments: subject.fragments).run { content in
            let path = try folder.write("x.txt", content)
            for format in [subject.format, nil] {
                guard let trace = try? store.open(path: path, format: format) else { continue }
                _ = trace.largestSizes()
                for id in 0..<min(trace.objects, 3) { _ = trace.key(of: ObjectID(id)) }
                try FileManager.default.removeItem(atPath: trace.path)
            }
        }
    }

    @Test(arguments: PackedFile.all) func `no compressed file traps, hangs or fills memory`(_ file: PackedFile) throws {
        let folder = try TemporaryFolder()
        let skippable: [UInt8] = [0x50, 0x2a, 0x4d, 0x18, 4, 0, 0, 0, 1, 2, 3, 4]
        let samples = [file.bytes, file.bytes + file.bytes, file.bytes + [0, 0, 0, 0], skippable + file.bytes]
        try Fuzzer("decoder-\(file.ending)", samples: samples).run { content in
            var input = try TraceInput.open(folder.write("x", content))
            while try input.fill(atLeast: 1) > 0 { input.consume(input.buffered.count) }
        }
    }

    /// Damage that the checksums see is mended by compiling anew; here they are made right again, as whoever writes a file means to.
    @Test func `no header of a compiled trace traps`() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("x.csv", Array("1,5\nkey,6\n1,5\n".utf8))
        let trace = try folder.store.open(path: path, format: "csv:key=1,size=2")
        let sound = try [UInt8](Data(contentsOf: URL(filePath: trace.path)))
        try Fuzzer("compiled-trace", samples: [sound]).run { content in
            var content = content
            if content.count >= 4096 {
                let checksum = content[..<4088].withUnsafeBytes { Checksum64.checksum(of: $0) }
                content.replaceSubrange(4088..<4096, with: bytes(checksum.littleEndian))
            }
            _ = content.withUnsafeBytes { CompiledTraceHeader(decoding: $0) }
        }
    }
}
