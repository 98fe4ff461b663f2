import CacheSystems
import Foundation
import NIOCore
import NIOHTTP1
import Testing
import _CacheTestSupport

@testable import CacheSystemsHTTP

@Suite("Whatever bytes clients and servers send, the proxy goes on", .timeLimit(.minutes(60)))
struct ProxyFuzzTests {
    private static let words = [
        "\r\n", "\r\n\r\n", "Content-Length: ", "Transfer-Encoding: chunked\r\n", "Connection: close\r\n",
        "Host: a\r\n",
        "Expect: 100-continue\r\n", "Max-Forwards: ", "HTTP/1.0", "HTTP/1.1", "GET", "OPTIONS *", "http://a/",
        "0\r\n\r\n", "3\r\nabc\r\n",
        "099", "000", "101", "103", "204", "304", "416", "Cache-Control: max-age=9\r\n", "Date: ", "Expires: ",
        "Fri, 31 Dec 9999 23:59:59 GMT", "Mon, 01 Jan 0001 00:00:00 GMT", "Vary: *\r\n", "Range: bytes=0-1\r\n",
        "Upgrade: h2c\r\n",
    ]

    @Test func `the headers of requests`() throws {
        let samples = [
            "GET /a?b HTTP/1.1\nHost: a\nAccept: */*",
            "POST http://u@b:1/x HTTP/1.0\nContent-Length: 3\nExpect: 100-continue",
            "OPTIONS * HTTP/1.1\nHost: a\nMax-Forwards: 3", "TRACE / HTTP/1.1\nHost: [::1]:80\nMax-Forwards: 0",
            "PUT /%7e/../x HTTP/1.1\nHost: a\nTransfer-Encoding: chunked\nX-Forwarded-Host: b",
        ]
        try Fuzzer("proxy-requests", samples: samples.map { Array($0.utf8) }, fragments: Self.words).run { bytes in
            let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
            let parts = (lines.first ?? "").split(separator: " ", maxSplits: 2).map(String.init)
            guard parts.count == 3 else { return }
            var head = HTTPRequestHead(
                version: parts[2] == "HTTP/1.0" ? .http1_0 : .http1_1, method: HTTPMethod(rawValue: parts[0]),
                uri: parts[1])
            for line in lines.dropFirst() {
                let pair = line.split(separator: ":", maxSplits: 1).map(String.init)
                // The parser lets no others through.
                guard pair[0].utf8.allSatisfy({ $0 < 128 }) else { continue }
                head.headers.add(
                    name: pair[0], value: pair.count > 1 ? pair[1].trimmingCharacters(in: .whitespaces) : "")
            }
            for keeps in [true, false] {
                var options = HTTPProxyOptions(origin: HTTPURL("http://127.0.0.1:1")!)
                options.keepsHost = keeps
                let request = try ProxyRequest(head, options, client: "::1")
                precondition(request.length ?? 0 >= 0)
                precondition(
                    !request.fields.contains("Forwarded") && request.fields.values(of: "X-Forwarded-Proto") == ["http"])
            }
        }
    }

    /// Runs a fuzzer whose reader waits for answers, on a thread that may.
    private func run(_ fuzzer: Fuzzer, _ read: @escaping @Sendable ([UInt8]) async throws -> Void) async throws {
        let result: Result<Void, any Error> = await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                let result = Result {
                    try fuzzer.run { bytes in
                        let done = DispatchSemaphore(value: 0)
                        Task {
                            try? await read(bytes)
                            done.signal()
                        }
                        done.wait()
                    }
                }
                continuation.resume(returning: result)
            }
        }
        try result.get()
    }

    @Test func `the answers of servers`() async throws {
        let samples = [
            "HTTP/1.1 200 OK\r\nCache-Control: max-age=9\r\nContent-Length: 3\r\n\r\nabc",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X\r\n\r\n3\r\nabc\r\n0\r\nX: 1\r\n\r\n",
            "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 204 No\r\nExpires: Fri, 31 Dec 9999 23:59:59 GMT\r\n\r\n",
            "HTTP/1.0 304 No\r\nETag: \"a\"\r\n\r\n",
            "HTTP/1.1 206 Part\r\nContent-Range: bytes 0-1/9\r\nContent-Length: 2\r\n\r\nab",
        ]
        let fuzzer = Fuzzer("origin-answers", samples: samples.map { Array($0.utf8) }, fragments: Self.words)
        let said = SaidBytes()
        let origin = try await ScriptedOrigin { request, wire, _ in
            guard request.target != "/fine" else {
                try await wire.write(answer(200, body: "fine"))
                return true
            }
            try await wire.write(said.bytes)
            return false
        }
        try await withProxy(origin) {
            $0.network.idleLimit = .seconds(5)
        } _: { fixture async throws in
            try await run(fuzzer) { bytes in
                said.bytes = bytes
                for (method, field) in [("GET", "X: 1"), ("GET", "Range: bytes=1-2"), ("HEAD", "X: 1")] {
                    _ = try? await fixture.ask(method, "/\(said.next())", field)
                }
            }
            #expect(try await fixture.ask("GET", "/fine").text == "fine")
        }
    }

    @Test func `the bytes of clients`() async throws {
        let samples = [
            "GET / HTTP/1.1\r\nHost: a\r\n\r\nPUT /x HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc",
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n3\r\nabc\r\n0\r\nX: 1\r\n\r\n",
            "HEAD http://a/b?c HTTP/1.0\r\nRange: bytes=0-1\r\nIf-None-Match: *\r\n\r\n",
        ]
        let fuzzer = Fuzzer("client-bytes", samples: samples.map { Array($0.utf8) }, fragments: Self.words)
        try await withProxy(ScriptedOrigin(answer(200, "Cache-Control: max-age=9", body: "fine"))) {
            $0.proxy.contentBytesMax = 1 << 20
        } _: { fixture async throws in
            try await run(fuzzer) { bytes in
                let wire = try await fixture.connect()
                try? await wire.write(bytes)
                try? await wire.channel.close(mode: .output).get()
                await wire.close()
            }
            #expect(try await fixture.ask().text == "fine")
        }
    }
}

/// What an origin says at the moment.
private final class SaidBytes: @unchecked Sendable {
    private let lock = NSLock()
    private var now: [UInt8] = []
    private var last = 0

    var bytes: [UInt8] {
        get { lock.withLock { now } }
        set { lock.withLock { now = newValue } }
    }

    func next() -> Int {
        lock.withLock {
            last += 1
            return last
        }
    }
}
