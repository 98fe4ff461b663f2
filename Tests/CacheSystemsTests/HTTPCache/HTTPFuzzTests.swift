import CacheCore
import CacheEngine
import Foundation
import Testing
import _CacheTestSupport

@testable import CacheSystems

@Suite("Whatever bytes a message or a store has, reading them ends", .timeLimit(.minutes(60)))
struct HTTPFuzzTests {
    private static let words = [
        "Date: ", "Expires: ", "Last-Modified: ", "Age: ", "Vary: *", "Cache-Control: ", "CDN-Cache-Control: ",
        "max-age=",
        "s-maxage=", "no-cache=\"", "private=\"Set-Cookie\"", "stale-while-revalidate=", "min-fresh=", "max-stale",
        "only-if-cached",
        "\r\n", ", ", ";", "=?1", "(", ")", ":YQ==:", "@1", "%\"%c3\"", "W/\"", "bytes=", "-", "If-Range: ",
        "Set-Cookie: a",
        "Fri, 31 Dec 9999 23:59:59 GMT", "Mon, 01 Jan 0001 00:00:00 GMT", "Sunday, 06-Nov-94 08:49:37 GMT",
        "Sun Nov  6 08:49:37 1994", "Content-Length: ", "must-understand",
    ]

    private static func fields(_ bytes: [UInt8]) -> HTTPFields {
        var fields = HTTPFields()
        for line in bytes.split(whereSeparator: { $0 == 10 || $0 == 13 }) {
            let parts = line.split(separator: 58, maxSplits: 1, omittingEmptySubsequences: false)
            fields.add(
                String(decoding: parts[0], as: UTF8.self),
                String(decoding: parts.count > 1 ? parts[1] : [], as: UTF8.self))
        }
        return fields
    }

    /// Everything that a cache concludes from a header, as that of a request and as that of an answer.
    private static func conclude(_ fields: HTTPFields, _ answer: StoredAnswer, _ request: HTTPRequest) {
        for profile in HTTPProfile.allCases {
            for stores in [true, false] {
                let semantics = HTTPSemantics(
                    profile: profile, heuristicFraction: 0.1, heuristicSecondsMax: 86_400, storesCookies: stores)
                _ = semantics.mayStore(HTTPResponse(answer.status, fields: fields), to: request)
                _ = semantics.updatingFields(semantics.sharedFields(fields))
                precondition((0...HTTPText.secondsMax).contains(semantics.lifetime(answer)))
                for now in [0, 1_800_000_000_000_000_000, answer.responseNanoseconds] {
                    precondition(semantics.age(answer, at: now) >= 0)
                    _ = semantics.reuse(answer, for: request, at: now)
                    _ = semantics.mayServeOnError(
                        answer, for: request, at: now, isUnreachable: false, servesUnreachable: true)
                }
            }
        }
        for length in [0, 10, Int.max] {
            if case .part(let part) = HTTPRange.of(request, fields, length: length, now: 0) {
                precondition(!part.isEmpty && part.upperBound <= length)
            }
        }
        _ = HTTPVary.values(of: HTTPVary.names(fields) ?? [], in: fields)
        _ = HTTPValidation.clientHas(request, fields, dateSeconds: answer.dateSeconds, now: 0)
        _ = HTTPValidation.request(request, confirming: [answer])
        _ = HTTPValidation.confirmed(by: HTTPResponse(304, fields: fields), of: [answer])
        _ = HTTPValidation.describes(fields, answer)
        _ = HTTPValidation.merged(fields, with: fields)
        _ = HTTPResponse(answer.status, fields: fields).contentLength
        _ = fields.withoutConnectionFields()
        for line in fields.lines {
            if let seconds = HTTPDate.seconds(of: line.value, now: 1_800_000_000) { _ = HTTPDate.text(of: seconds) }
        }
    }

    private static func answer(_ fields: HTTPFields) -> StoredAnswer {
        StoredAnswer(
            number: 1, status: 200, fields: fields, varyNames: [], varyValues: [], requestNanoseconds: 0,
            responseNanoseconds: 1_800_000_000_000_000_000, body: .bytes([1]))
    }

    @Test func `header fields, dates, directives, ranges and validators`() throws {
        let samples = [
            "Date: Sun, 06 Nov 1994 08:49:37 GMT\nCache-Control: max-age=100, private=\"X-A\"\nVary: Accept\nETag: \"a\"",
            "CDN-Cache-Control: max-age=100;a=(1 \"b\");c, no-store=?0, x=:YQ==:\nExpires: Fri, 31 Dec 9999 23:59:59 GMT",
            "Range: bytes=2-3\nIf-Range: \"a\"\nIf-None-Match: W/\"a\", \"b\"\nIf-Modified-Since: Sun Nov  6 08:49:37 1994",
            "Age: 4\nLast-Modified: Sunday, 06-Nov-94 08:49:37 GMT\nAccept: text/*;q=0.5, */*\nConnection: close, X",
        ]
        try Fuzzer("http-fields", samples: samples.map { Array($0.utf8) }, fragments: Self.words).run { bytes in
            let fields = Self.fields(bytes)
            Self.conclude(fields, Self.answer(fields), get("/a", fields))
        }
    }

    @Test func `addresses`() throws {
        let samples = [
            "http://user@Example.org:80/a/../b/%7e?q=%2f#f", "https://[::1]:443/", "http://a//b/./c/..", "../x?y",
            "//h/p",
        ]
        let base = try #require(HTTPURL("http://a.example/b/c?d"))
        let fuzzer = Fuzzer(
            "http-addresses", samples: samples.map { Array($0.utf8) },
            fragments: [
                "http://", "https://", ":", "@", "[", "]", "..", "/", "?", "#", "%", "%2", "%zz", "%00", "\u{0}",
            ])
        try fuzzer.run { bytes in
            let text = String(decoding: bytes, as: UTF8.self)
            for url in [HTTPURL(text), base.resolving(text)].compactMap(\.self) {
                // The spelling is that of an address, and stays.
                precondition(HTTPURL(url.description) == url, "\(url)")
                precondition(url.target.utf8.allSatisfy { $0 > 32 && $0 < 127 })
            }
        }
    }

    @Test func `stored records`() throws {
        var answers = [Self.answer(["ETag": "\"a\"", "Set-Cookie": "x"]), Self.answer(lasting)]
        answers[1].number = 2
        answers[1].body = .file(length: 100_000)
        answers[1].varyNames = ["accept"]
        answers[1].varyValues = [nil]
        answers[1].groups = ["g"]
        answers[1].userData = [1, 2]
        let samples = try [
            StoredResource(answers: answers).encoded(),
            StoredResource(answers: [answers[0]]).encoded(),
        ]
        let fuzzer = Fuzzer(
            "http-records", samples: samples, fragments: ["\"status\":", "\"number\":", "[", "{", "null"])
        try fuzzer.run { bytes in
            let resource = try StoredResource(decoding: bytes)
            precondition(resource.weight >= 0 && resource.memory >= 0)
            _ = (resource.files, resource.groups)
            for answer in resource.answers {
                _ = HTTPVary.select(resource.answers, for: answer.fields)
                Self.conclude(answer.fields, answer, get("/a", answer.fields))
            }
        }
    }

    @Test func `the files of long bodies`() throws {
        let directory = try TemporaryDirectory()
        let path = FileSystem.characters(directory.path + "/body")
        var samples: [[UInt8]] = []
        for length in [0, 1, BodyFile.segmentBytes, BodyFile.segmentBytes + 10] {
            let file = try BodyFile(creating: 7, path, ChecksummedBodies())
            try file.append([UInt8](repeating: 3, count: length))
            try file.finish()
            samples.append(Array(try Data(contentsOf: URL(filePath: directory.path + "/body"))))
            _ = try FileSystem.delete(path)
        }
        try Fuzzer("http-bodies", samples: samples).run { bytes in
            try Data(bytes).write(to: URL(filePath: directory.path + "/body"))
            for length in [0, 1, BodyFile.segmentBytes, bytes.count, bytes.count - 8, bytes.count - 16, 1 << 48] {
                guard
                    let file = try? BodyFile(
                        opening: 7, path, ChecksummedBodies(), length: max(0, length), onDamage: {})
                else { continue }
                var read = 0
                while read < length { read += try file.read(at: read, count: length - read).count }
            }
        }
    }
}
