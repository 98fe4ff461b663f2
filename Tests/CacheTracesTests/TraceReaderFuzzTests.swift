import CacheCore
import Foundation
import Testing
import _CacheTestSupport

@testable import CacheTraces

/// Every reader of traces under mutations of its fixtures, so that a format with a fixture is a format that is fuzzed.
@Suite struct TraceReaderFuzzTests {
    struct Subject: Sendable, CustomTestStringConvertible {
        let format: String
        let fixtures: [FormatFixture]
        var testDescription: String { format }

        /// How the inputs are read: as each fixture is, by the format's name alone, and as the content tells.
        func readings(_ store: TraceStore) -> [String?] {
            let read = fixtures.compactMap { fixture in
                fixture.named ?? (try? store.open(path: fixture.path))?.formatDescription
            }
            return Set(read + [format]).sorted() + [nil]
        }
    }

    static let subjects = Dictionary(grouping: FormatFixture.all, by: \.format).sorted { $0.key < $1.key }.map {
        Subject(format: $0.key, fixtures: $0.value)
    }

    /// Words of many formats, which mutations insert.
    private static let fragments = [
        "\n", "\r\n", "\0", "*\n", "\"", "\"\"", "\\\"", "\\", ",", "\t", " ", ";", "|", "+", "{", "}", "[", "]", ":",
        "=", "-", ".",
        "0x", "l ", "1e9 ", "1e308", "get", "delete", "GET /", "HTTP/1.1\"", "18446744073709551615 1 0 0\n",
        "0 70000 0 0\n",
        "] \"", "\\x", "\\ud800", " 304 ", "HEAD ", "_ABORTED", "#Fields:", "<134>", "%", "null", "[[",
        "9223372036854775807",
        " \"EX\" \"", "\"MSET\"", "key=", "ttl=", "size=",
        "18446744073709551615", "2038-01-19T03:14:08Z", "[10/Oct/2000:13:55:36 -0700]",
    ]

    /// Through the store, so that the compiler takes what the reader gives, and the compiled trace can be read.
    @Test(arguments: subjects) func `no file traps, hangs, fills memory or is empty without a word`(_ subject: Subject)
        throws
    {
        let folder = try TemporaryFolder()
        var store = folder.store
        let readings = subject.readings(store)
        let samples = try subject.fixtures.map { try [UInt8](Data(contentsOf: URL(filePath: $0.path))) }
        var number = 0
        // A minute for all formats together.
        let seconds = 60 / Double(Self.subjects.count)
        let fuzzer = Fuzzer("trace-\(subject.format)", samples: samples, fragments: Self.fragments)
        try fuzzer.run(seconds: seconds, inputsMin: 50) { content in
            let path = try folder.write("x.txt", content)
            number += 1
            store.badRows = number % 2 == 0 ? .stop : BadRows(skippedMax: 3)
            for format in readings { try Self.open(path, format, content, store) }
        }
    }

    private static func open(_ path: String, _ format: String?, _ content: [UInt8], _ store: TraceStore) throws {
        guard let trace = try? store.open(path: path, format: format) else { return }
        if trace.requests == 0, !content.isEmpty, trace.notes.isEmpty {
            Issue.record("\(format ?? "auto") reads nothing and says nothing: \(content.prefix(200))")
        }
        _ = trace.largestSizes()
        for id in 0..<min(trace.objects, 3) { _ = trace.key(of: ObjectID(id)) }
        try FileManager.default.removeItem(atPath: trace.path)
    }

    @Test func `no archive traps, hangs, fills memory or is empty without a word`() throws {
        let folder = try TemporaryFolder()
        let store = folder.store
        var tar = TarBuilder()
        tar.add("a.csv", "key,size\na,1\n")
        tar.add("././@LongLink", String(repeating: "n", count: 150) + "\0", kind: "L")
        tar.add("b.csv", "key,size\nb,1\n")
        tar.add("PaxHeaders/x", "14 path=x.csv\n", kind: "x")
        tar.add("c.csv.gz", PackedFile.all[0].bytes)
        tar.add("link", "", kind: "2")
        try Fuzzer(
            "trace-tar", samples: [tar.finished], fragments: ["ustar\0", "path=", "size=99999999999\n", "\u{80}"]
        ).run { content in
            let path = try folder.write("x.tar", content)
            for format in [nil, "csv:key=1"] { try Self.open(path, format, content, store) }
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
