import CacheCore
import Foundation
import Testing
import _CacheTestSupport

@testable import CacheTraces

/// Odd lines of servers' logs, beyond the fixtures in `Tests/formats`.
@Suite struct OperatorLogTests {
    /// The requests of a log and what is told of it.
    private struct Reading: TraceSink {
        var list = RecordList()
        var notes: [String] = []
        var refused: [AssayError] = []
        var tenants: [String] = []

        var keys: [String] {
            list.records.map { record in
                switch record.key {
                case .integer(let number): "#\(number)"
                case .bytes(let bytes): String(decoding: bytes, as: UTF8.self)
                }
            }
        }
        var sizes: [UInt64?] { list.records.map(\.attributes.sizeBytes) }
        var operations: [TraceOperation?] { list.records.map(\.attributes.operation) }
        var times: [Int64?] { list.records.map(\.attributes.timeNanoseconds) }
        var tenantNames: [String?] { list.records.map { $0.attributes.tenant.map { tenants[Int($0)] } } }

        mutating func append(integer key: UInt64, _ attributes: RequestAttributes) {
            list.append(integer: key, attributes)
        }

        mutating func append(bytes key: UnsafeRawBufferPointer, _ attributes: RequestAttributes) {
            list.append(bytes: key, attributes)
        }

        mutating func note(_ text: String) { notes.append(text) }

        mutating func refuse(_ error: AssayError) { refused.append(error) }

        mutating func tenant(named name: UnsafeRawBufferPointer) -> UInt16 {
            let name = String(decoding: name, as: UTF8.self)
            if !tenants.contains(name) { tenants.append(name) }
            return UInt16(tenants.firstIndex(of: name) ?? 0)
        }
    }

    private func read(_ format: String, _ bytes: [UInt8]) throws -> Reading {
        let selected = try TraceFormatSelection(parsing: format)
        var input = ByteStream(name: "input", bytes: bytes)
        var sink = Reading()
        try selected.entry.makeFormat(selected.parameters).read(&input, into: &sink)
        return sink
    }

    private func read(_ format: String, _ lines: String...) throws -> Reading {
        try read(format, Array((lines.joined(separator: "\n") + "\n").utf8))
    }

    private static func web(_ request: String, _ status: Int = 200, _ bytes: String = "5") -> String {
        "192.0.2.1 - - [25/Nov/2026:22:37:41 +0000] \"\(request)\" \(status) \(bytes)"
    }

    // MARK: - Names and recognition

    /// A log that is named as a list of keys, and its format.
    static let logs: [(text: String, format: String)] = [
        (web("GET /a HTTP/1.1") + "\n" + web("GET /b HTTP/1.1") + " \"-\" \"curl/7\"\n", "combined"),
        (
            "1795646301.558      0 127.0.0.1 TCP_MISS/200 9424 GET http://127.0.0.1/f9 - HIER_DIRECT/127.0.0.1 text/plain\n",
            "squid"
        ),
        (
            "1795646250.7 [0 127.0.0.1:5523] \"GET\" \"user:2\"\n1795646250.8 [0 127.0.0.1:5523] \"GET\" \"user:3\"\n",
            "redis-monitor"
        ),
        ("OK\nts=1795706724.8898 gid=1 type=item_get key=a status=found clsid=1 cfd=24 size=5\n", "memcached-watch"),
        ("{\"key\": \"a\", \"size\": 3}\n{\"key\": \"b\", \"size\": 4}\n", "json-lines"),
        ("#Version: 1.0\n#Fields: date time cs-uri-stem\n2026-11-25\t22:37:41\t/a\n", "cloudfront"),
        ("<134>2026-11-25T22:37:41Z cache-ams21062 access[6]: \(web("GET /a HTTP/1.1"))\n", "fastly"),
    ]

    @Test(arguments: logs) func `a log is recognised whatever its name, with either end of lines and a byte order mark`(
        _ log: (text: String, format: String)
    ) throws {
        let folder = try TemporaryFolder()
        let texts = [
            log.text, log.text.replacing("\n", with: "\r\n"), "\u{FEFF}" + log.text, String(log.text.dropLast()),
            String(repeating: log.text, count: 900),
        ]
        for (index, text) in texts.enumerated() {
            for name in ["a\(index).txt", "b\(index)", "c\(index).csv", "d\(index).trace"] {
                let trace = try folder.store.open(path: folder.write(name, Array(text.utf8)))
                #expect(trace.formatDescription.prefix { $0 != ":" } == log.format)
                #expect(trace.objects <= 2 && trace.requests >= 1)
            }
        }
    }

    @Test(arguments: logs) func `a log whose copy ends in the middle of a line is read without that line`(
        _ log: (text: String, format: String)
    ) throws {
        let lines = log.text.split(separator: "\n")
        let last = try #require(lines.last)
        let cut = last.prefix(last.utf8.count / 3)
        let whole = try read(log.format, Array(log.text.utf8))
        let read = try read(log.format, Array((log.text + cut).utf8))
        #expect(read.keys == whole.keys && read.refused.isEmpty)
        #expect(read.notes.contains { $0.contains("1 (the last, which is cut off)") }, "\(read.notes)")
        let folder = try TemporaryFolder()
        let guessed = try folder.store.open(path: folder.write("x", Array((log.text + cut).utf8)))
        #expect(guessed.formatDescription.prefix { $0 != ":" } == log.format)
        let ended = try self.read(log.format, Array((log.text + cut + "\n").utf8))
        #expect(ended.refused.count == 1 && ended.refused[0].location?.line == lines.count + 1)
    }

    // MARK: - Web logs

    @Test func `what is between the quotes is cut where a status follows`() throws {
        let read = try read(
            "combined", Self.web("GET /a\"b HTTP/1.1"), Self.web("GET /a\\\" 200 5 HTTP/1.1"),
            Self.web("GET /x\\\\\\x41 HTTP/1.1"),
            Self.web("GET  HTTP/1.1"), Self.web("get /a"), Self.web("PRI * HTTP/2.0"), Self.web("GET /a b c HTTP/3"))
        #expect(read.keys == ["/a\"b", "/a\" 200 5", "/x\\A", "/a b c"])
        #expect(read.refused.isEmpty)
        #expect(
            read.notes == [
                "Lines that are no requests were passed over: 1 (no HTTP request), 1 (method get), 1 (method PRI)."
            ])
    }

    @Test func `clients, users and hosts may look odd`() throws {
        let rest = "[25/Nov/2026:22:37:41 +0000] \"GET /a HTTP/1.1\" 200 5"
        let lines = [
            "::ffff:192.0.2.1 - - \(rest)", "host.example - a b [c] \(rest)", "unix: - - \(rest)",
            "h:80 192.0.2.1 - - \(rest)",
            "192.0.2.1 ident user \(rest)",
        ]
        let text = Array((lines.joined(separator: "\n") + "\n").utf8)
        let users = try read("combined:tenant=user", text)
        #expect(users.tenantNames == ["-", "a b [c]", "-", "-", "user"])
        let clients = try read("combined:tenant=client", text)
        #expect(clients.tenantNames == ["::ffff:192.0.2.1", "host.example", "unix:", "192.0.2.1", "192.0.2.1"])
        let hosts = try read("combined:tenant=host", text)
        #expect(hosts.tenantNames == ["h:80"] && hosts.refused.count == 4)
        #expect(hosts.refused[0].message.contains("tenant=host"), "\(hosts.refused[0])")
    }

    @Test func `that several hosts share objects is told, and key=host-url tells them apart`() throws {
        let time = "- - [2026-11-25T22:37:41+00:00]"
        let lines = ["www:80", "www:80", "img:80"].map { "\($0) 192.0.2.1 \(time) \"GET /a HTTP/1.1\" 200 5" }
        let text = Array(lines.joined(separator: "\n").utf8)
        let merged = try read("combined", text)
        #expect(merged.keys == ["/a", "/a", "/a"] && merged.notes.count == 1)
        #expect(merged.notes.first?.contains("key=host-url") == true)
        let apart = try read("combined:key=host-url", text)
        #expect(apart.keys == ["www:80/a", "www:80/a", "img:80/a"] && apart.notes.isEmpty)
        #expect(apart.times[0] == 1_795_646_261_000_000_000)
        let whole = ["www", "img"].map { Self.web("GET http://\($0)/a HTTP/1.1") }.joined(separator: "\n")
        #expect(try read("combined", Array(whole.utf8)).notes.isEmpty)
        #expect(try read("combined:key=path", Array(whole.utf8)).notes.count == 1)
    }

    @Test func `statuses, writes and keys are as the parameters say`() throws {
        let lines = [
            Self.web("GET http://h/a?x HTTP/1.1"), Self.web("POST /a?x HTTP/1.1", 201),
            Self.web("GET /a?y HTTP/1.1", 404),
            Self.web("GET /a HTTP/1.1", 304, "-"),
        ].joined(separator: "\n")
        func keys(_ parameters: String) throws -> [String] {
            try read("combined:\(parameters)", Array(lines.utf8)).keys
        }
        #expect(try keys("statuses=all") == ["http://h/a?x", "/a?x", "/a?y", "/a"])
        #expect(try keys("statuses=2xx+304") == ["http://h/a?x", "/a?x", "/a"])
        #expect(try keys("key=path") == ["/a", "/a", "/a", "/a"])
        #expect(try keys("writes=skip") == ["http://h/a?x", "/a?y", "/a"])
        #expect(try read("combined:writes=write", Array(lines.utf8)).operations == [.read, .write, .read, .read])
        #expect(try read("combined", Array(lines.utf8)).operations == [.read, .remove, .read, .read])
        for wrong in ["2xy", "20", "", "2xx+", "+200", "xxx"] {
            let error = assayError { () throws(AssayError) in _ = try records("combined:statuses=\(wrong)", "") }
            #expect(error?.code == .usage)
        }
    }

    @Test func `an answer without the whole object takes the object's last size, and it is told`() throws {
        let read = try read(
            "combined", Self.web("HEAD /a HTTP/1.1", 200, "0"), Self.web("GET /a HTTP/1.1", 200, "100"),
            Self.web("HEAD /a HTTP/1.1", 200, "0"), Self.web("GET /a HTTP/1.1", 304, "0"),
            Self.web("GET /a HTTP/1.1", 502, "7"),
            Self.web("GET /a HTTP/1.1", 206, "40"), Self.web("GET /a HTTP/1.1", 206, "400"),
            Self.web("GET /b HTTP/1.1", 404, "9"),
            Self.web("GET /a HTTP/1.1", 200, "90"), Self.web("DELETE /a HTTP/1.1", 204, "0"))
        #expect(read.sizes == [0, 100, 100, 100, 100, 100, 400, 9, 90, 90])
        #expect(
            read.notes.map { $0.replacing("Lines that do not send a whole object ", with: "") } == [
                "count as 0 bytes where no earlier line told its size: 1 (HEAD).",
                "take the size that an earlier line told of it: 1 (HEAD), 1 (status 304), 1 (status 502), 2 (status 206).",
                "count as what was sent where no earlier line told its size: 1 (status 404).",
            ])
    }

    @Test func `times are those of the zone and never outside of 64 bits`() throws {
        func nanoseconds(_ text: String) -> Int64? { Array(text.utf8).withUnsafeBytes { LogTime.commonLog($0) } }
        #expect(nanoseconds("01/Jan/1970:00:00:00 +0000") == 0)
        #expect(nanoseconds("31/Dec/1969:23:59:59 +0000") == -1_000_000_000)
        #expect(nanoseconds("25/Nov/2026:22:37:41.25 -0130") == 1_795_651_661_250_000_000)
        for wrong in [
            "9999999999", "32/Nov/2026:22:37:41 +0000", "25/Nov/2026:24:37:41 +0000", "25/Nov/2026:22:37:41", "",
            "25/Nov/9999:22:37:41 +0000", "25/Nov/2026:22:37:41 +0000 ", "25/Nov/2026:22:37:41 0000",
            "25/Nov/2026:22:37:41. +0000",
            "31/Feb/2026:22:37:41 +0000", "29/Feb/2025:22:37:41 +0000", "31/Nov/2026:22:37:41 +0000",
        ] { #expect(nanoseconds(wrong) == nil, "\(wrong)") }
        var random = SeededGenerator(seed: 3)
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: -16200)
        for _ in 0..<500 {
            let seconds = Int64(random.next(below: 8_000_000_000)) - 1_000_000_000
            let date = Date(timeIntervalSince1970: Double(seconds))
            formatter.dateFormat = "dd/MMM/yyyy:HH:mm:ss Z"
            #expect(nanoseconds(formatter.string(from: date)) == seconds * 1_000_000_000)
            formatter.dateFormat = "yyyy-MM-dd'T'HH:mm:ssXXX"
            let iso = Array(formatter.string(from: date).utf8).withUnsafeBytes { LogTime.iso8601($0) }
            #expect(iso == seconds * 1_000_000_000)
        }
    }

    // MARK: - JSON

    @Test(arguments: [
        "{}", " {\"key\" : \"a\" } ", "{\"key\":\"a\",\"b\":[1,-0.5e+10,true,false,null,\"\",{\"c\":[]}]}",
        "{\"key\":\"\\u0000\\ud800\"}",
        "{\"x\":\"\\ud83d\\ude00\",\"key\":-0}",
    ]) func `an object of JSON is read`(_ line: String) throws {
        #expect(try read("json-lines:key=key", "{\"key\":1}", line).refused.isEmpty)
    }

    @Test(arguments: [
        "[]", "{", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{,}", "{\"a\":01}", "{\"a\":1.}", "{\"a\":.5}", "{\"a\":1e}",
        "{\"a\":+1}",
        "{\"a\":NaN}", "{\"a\":'x'}", "{a:1}", "{\"a\":\"\u{1}\"}", "{\"a\":\"\\x41\"}", "{\"a\":\"\\u12g4\"}",
        "{\"a\":\"\\", "{\"a\":[1 2]}",
        "{\"a\":[1,]}", "{\"a\":tru}", "{} {}", "{}x", "{\"a\":\"b}", "{\"key\":\"a\",\"key\":\"a\"}",
        "{\"a\":1 \"b\":2}", "{\"a\":-}",
        "{\"a\":" + String(repeating: "{\"a\":", count: 64), "nul", "{\"a\":[[[[[[",
    ]) func `what is no object of JSON is refused`(_ line: String) throws {
        let read = try read("json-lines:key=key", "{\"key\":1}", line, "{\"key\":2}")
        #expect(read.refused.count == 1 && read.keys == ["#1", "#2"])
        #expect(read.refused.first?.location?.line == 2)
    }

    @Test func `keys of JSON are the bytes that they stand for`() throws {
        var line = Array("{\"key\":\"".utf8)
        line +=
            [0xff, 0xfe]
            + Array("\"}\n{\"key\":\"\\n\\u00e9\\uD83D\\uDE00\\/\\\\\"}\n{\"\\u006bey\":\"17\"}\n{\"key\":1e3}\n".utf8)
        let read = try read("json-lines:key=key", line)
        #expect(
            read.list.records.map(\.key) == [
                .bytes([0xff, 0xfe]), .bytes(Array("\né😀/\\".utf8)), .integer(17), .bytes(Array("1e3".utf8)),
            ])
    }

    @Test func `names with dots are found nested, flat and by number, and nowhere else`() throws {
        let lines = [
            "{\"a\":{\"b\":{\"c\":1}}}", "{\"a.b\":{\"c\":2}}", "{\"a\":{\"b.c\":3}}", "{\"a.b.c\":4}",
            "{\"a\":{\"b\":[5]}}",
            "{\"a\":{\"b\":{\"cc\":6}},\"b\":{\"c\":6},\"x\":{\"a\":{\"b\":{\"c\":6}}}}",
        ]
        let text = Array(lines.joined(separator: "\n").utf8)
        let read = try read("json-lines:key=a.b.c", text)
        #expect(read.keys == ["#1", "#2", "#3", "#4"])
        #expect(read.notes == ["Lines that are no requests were passed over: 2 (no 'a.b.c')."])
        #expect(try self.read("json-lines:key=a.b.0", text).keys == ["#5"])
    }

    @Test func `values of JSON that are none are refused`() throws {
        func refused(_ parameters: String, _ line: String) throws -> Int {
            try read("json-lines:key=k,\(parameters)", line).refused.count
        }
        for size in ["-1", "1.5", "1e400", "9223372036854775808", "\"x\"", "1e19"] {
            #expect(try refused("size=s", "{\"k\":1,\"s\":\(size)}") == 1, "\(size)")
        }
        for size in ["0", "1.0", "1e3", "9223372036854775807", "\"12\"", "null", "\"-\""] {
            #expect(try refused("size=s", "{\"k\":1,\"s\":\(size)}") == 0, "\(size)")
        }
        for time in ["null", "\"yesterday\"", "1e300", "9300000000", "true"] {
            #expect(try refused("time=t", "{\"k\":1,\"t\":\(time)}") == 1, "\(time)")
        }
        #expect(try refused("cost=c", "{\"k\":1,\"c\":-1}") == 1)
        #expect(try refused("op=o", "{\"k\":1,\"o\":\"jump\"}") == 1)
        #expect(try refused("tenant=o", "{\"k\":1}") == 1)
        #expect(try refused("status=o", "{\"k\":1,\"o\":1000}") == 1)
        let wrong = assayError { () throws(AssayError) in _ = try records("json-lines:key=K", "{\"k\":1}\n") }
        #expect(
            wrong?.code == .badInput && wrong?.message.contains("the member 'K'") == true,
            "\(String(describing: wrong))")
        let open = assayError { () throws(AssayError) in _ = try records("json-lines:size=s", "{\"k\":1}\n") }
        #expect(open?.code == .usage)
    }

    // MARK: - Redis and memcached

    @Test func `commands of Redis are read in any case and with any client`() throws {
        let read = try read(
            "redis-monitor", "1.5 [0 127.0.0.1:1] \"get\" \"] \\\"x\\\" \\\\\"", "2 [0 unix:/a] \"b] \\\"c\"",
            "3 [11 [::1]:5] \"GeT\" \"a+b\"",
            "4 [0 ] \"DEL\" \"\"", "5 [0 x] \"ZUNIONSTORE\" \"z\" \"99\" \"a\"",
            "6 [0 x] \"SET\" \"EX\" \"EX\" \"PX\" \"9223372036854775807\"",
            "7 [0 x] \"EXPIREAT\" \"k\" \"1\"", "8 [0 x] \"GETEX\" \"k\" \"EX\" \"2\"")
        #expect(read.keys == ["] \"x\" \\", "11+a\\+b", "EX", "k", "k"])
        #expect(read.operations == [.read, .read, .write, .remove, .read])
        #expect(read.list.records.map(\.attributes.timeToLiveNanoseconds) == [nil, nil, nil, nil, 2_000_000_000])
        #expect(read.tenantNames == ["0", "11", "0", "0", "0"])
        #expect(read.refused.isEmpty, "\(read.refused)")
    }

    @Test func `sizes of Redis are those of the database's own key`() throws {
        let read = try read(
            "redis-monitor:sizes", "1 [0 x] \"SET\" \"k\" \"12345\"", "2 [7 x] \"GET\" \"k\"",
            "3 [7 x] \"SET\" \"k\" \"1\"",
            "4 [0 x] \"GET\" \"k\"", "5 [7 x] \"GET\" \"k\"")
        #expect(read.keys == ["k", "7+k", "7+k", "k", "7+k"])
        #expect(read.sizes == [5, 0, 1, 5, 1])
    }

    @Test func `lookups by which memcached begins a store are told apart by connection`() throws {
        func line(_ rest: String) -> String { "ts=1.5 gid=1 type=\(rest)" }
        let read = try read(
            "memcached-watch", line("item_get key=a status=not_found cfd=1 size=0"),
            line("item_get key=a status=not_found cfd=2 size=0"),
            line("item_get key=b status=not_found cfd=1 size=0"),
            line("item_store key=a status=stored cmd=set ttl=0 cfd=2 size=4"),
            line("item_store key=c status=stored cmd=set ttl=0 cfd=1 size=4"),
            line("item_get key=c status=found cfd=1 size=4"))
        #expect(read.keys == ["a", "b", "a", "c", "c"])
        #expect(read.operations == [.read, .read, .write, .write, .read])
        #expect(read.times == Array(repeating: 1_000_005_000, count: 5))
        let many = (0..<500).map { line("item_get key=k\($0) status=found cfd=\($0) size=1") }
        #expect(
            try self.read("memcached-watch", Array(many.joined(separator: "\n").utf8)).keys
                == (0..<500).map { "k\($0)" })
    }
}
