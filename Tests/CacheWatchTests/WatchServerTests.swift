#if Watch
    import CacheCore
    import CacheWatch
    import Foundation
    import Testing
    import _CacheTestSupport

    @Suite("The server of a live page")
    struct WatchServerTests {
        /// A server that ends with the test.
        private func serve(
            _ limits: WatchLimits = WatchLimits(), _ body: (WatchServer, Int) async throws -> Void
        ) async throws {
            let server = try await WatchServer.start(port: 0, limits: limits)
            do {
                try await body(server, #require(URL(string: server.address)?.port))
            } catch {
                await server.stop()
                throw error
            }
            await server.stop()
        }

        private func get(_ port: Int, _ path: String, host: String? = nil, method: String = "GET") throws -> String {
            try LocalSocket.ask(port, "\(method) \(path) HTTP/1.1\r\nHost: \(host ?? "127.0.0.1:\(port)")\r\n\r\n")
        }

        private func status(_ answer: String) -> String { String(answer.dropFirst("HTTP/1.1 ".count).prefix(3)) }

        private func body(_ answer: String) -> String {
            String(answer[(answer.range(of: "\r\n\r\n")?.upperBound ?? answer.endIndex)...])
        }

        /// Opens the events, and waits for the first.
        private func follow(_ port: Int) throws -> LocalSocket {
            let reader = try LocalSocket(port: port)
            reader.send("GET /events HTTP/1.1\r\nHost: localhost:\(port)\r\n\r\n")
            return reader
        }

        /// The states in what a reader received.
        private func states(_ text: String) -> [String] {
            text.split(whereSeparator: \.isNewline).filter { $0.hasPrefix("data: ") }.map { String($0.dropFirst(6)) }
        }

        @Test func `the page loads nothing from elsewhere and shows no markup of others`() async throws {
            try await serve { (_, port) async throws in
                let answer = try get(port, "/?theme=dark")
                #expect(status(answer) == "200")
                #expect(
                    answer.contains("Content-Security-Policy: default-src 'none';")
                        && answer.contains("frame-ancestors 'none'"))
                #expect(answer.contains("aria-live=\"polite\"") && answer.contains("</html>"))
                for word in ["innerHTML", "insertAdjacentHTML", "document.write", "http://", "https://", "eval("] {
                    #expect(!answer.contains(word))
                }
            }
        }

        @Test func `a reload and another page get the same whole state`() async throws {
            try await serve { (server, port) async throws in
                let first = #"{"command":"assay run · 1","done":1}"#
                server.show(Data(first.utf8))
                let reader = try follow(port)
                #expect(states(reader.receive(until: "\n\n")) == [first])
                #expect(try body(get(port, "/state")) == first)
                let second = #"{"command":"assay run · 1","done":2}"#
                server.show(Data(second.utf8))
                #expect(states(reader.receive(until: second)) == [first, second])
                #expect(try states(follow(port).receive(until: "\n\n")) == [second])
                #expect(try body(get(port, "/state")) == second)
            }
        }

        @Test(arguments: [
            "evil.example", "evil.example:PORT", "127.0.0.1", "127.0.0.1.evil.example:PORT", "", "[::1]:PORT",
            "localhost:1",
        ])
        func `another host is refused, whatever its address is`(_ host: String) async throws {
            try await serve { (server, port) async throws in
                server.show(Data(#"{"secret":1}"#.utf8))
                let host = host.replacing("PORT", with: "\(port)")
                for path in ["/", "/state", "/events"] {
                    let answer = try get(port, path, host: host)
                    #expect(status(answer) == "421" && !answer.contains("secret"))
                }
            }
        }

        @Test func `one host must be named, as localhost or as 127_0_0_1`() async throws {
            try await serve { (_, port) async throws in
                #expect(try status(get(port, "/state", host: "LocalHost:\(port)")) == "200")
                #expect(try status(LocalSocket.ask(port, "GET /state HTTP/1.1\r\n\r\n")) == "421")
                let two = "Host: localhost:\(port)\r\nHost: evil.example\r\n\r\n"
                #expect(try status(LocalSocket.ask(port, "GET /state HTTP/1.1\r\n\(two)")) == "421")
            }
        }

        @Test(
            arguments: [
                "/report/../state", "/report/%2e%2e/state", "/report/%2E%2E%2F%2E%2E%2Fetc%2Fpasswd",
                "/../../etc/passwd",
                "//etc/passwd", "/report//etc/passwd", "/report/", "/report", "/report/index.html/..", "/report/%ff",
                "/report/other.html", "/index.html",
            ])
        func `only what was offered is served`(_ path: String) async throws {
            try await serve { (server, port) async throws in
                server.offer(report: "index.html", Data("<p>the report</p>".utf8))
                #expect(try status(get(port, path)) == "404")
                #expect(try body(get(port, "/report/index.html?theme=dark")) == "<p>the report</p>")
            }
        }

        @Test func `a report may have any name`() async throws {
            try await serve { (server, port) async throws in
                server.offer(report: "exec:./my cache/é.html", Data("yes".utf8))
                #expect(try body(get(port, "/report/exec%3A.%2Fmy%20cache%2F%C3%A9.html")) == "yes")
            }
        }

        @Test(arguments: ["POST", "HEAD", "PUT", "DELETE", "OPTIONS", "PATCH", "CONNECT"])
        func `there is only GET`(_ method: String) async throws {
            try await serve { (_, port) async throws in
                let answer = try get(port, "/state", method: method)
                #expect(status(answer) == "405" && answer.contains("Allow: GET"))
            }
        }

        @Test(arguments: [0, 100_000])
        func `what is no request, or has no end, is refused`(_ bytes: Int) async throws {
            try await serve { (_, port) async throws in
                let head = bytes == 0 ? "GARBAGE\r\n\r\n" : "GET /state HTTP/1.1\r\nHost: "
                // An answer can be lost where more was sent than is read.
                let answer = try status(LocalSocket.ask(port, head + String(repeating: "a", count: bytes)))
                #expect(answer == "400" || answer.isEmpty && bytes > 0)
                #expect(try status(get(port, "/state")) == "200")
            }
        }

        @Test func `a slow reader leaves states out, and holds nobody`() async throws {
            try await serve { (server, port) async throws in
                let (slow, quick) = (try follow(port), try follow(port))
                _ = slow.receive(until: "\n\n")
                _ = quick.receive(until: "\n\n")
                // 60 MB, which no socket holds.
                let filler = String(repeating: "x", count: 60_000)
                for number in 1...1000 { server.show(Data(#"{"number":\#(number),"filler":"\#(filler)"}"#.utf8)) }
                server.show(Data(#"{"number":"last"}"#.utf8))
                #expect(states(quick.receive(until: #"{"number":"last"}"#)).last == #"{"number":"last"}"#)
                let seen = states(slow.receive(until: #"{"number":"last"}"#))
                #expect(seen.last == #"{"number":"last"}"# && seen.count < 500)
            }
        }

        @Test func `there are so many readers and connections, and no more`() async throws {
            var limits = WatchLimits()
            (limits.readers, limits.connections) = (2, 3)
            // A test that is held up for a while must not see the idle one cut.
            limits.requestTime = .seconds(3600)
            try await serve(limits) { (server, port) async throws in
                let readers = [try follow(port), try follow(port)]
                for reader in readers { #expect(reader.receive(until: "\n\n").contains("data: {}")) }
                let third = try get(port, "/events")
                #expect(status(third) == "503" && third.contains("Retry-After"))
                try await wait { server.connections == 2 }
                #expect(try status(get(port, "/state")) == "200")
                try await wait { server.connections == 2 }
                let idle = try LocalSocket(port: port)
                try await wait { server.connections == 3 }
                #expect(try get(port, "/state") == "")
                withExtendedLifetime((readers, idle)) {}
            }
        }

        @Test func `a client that sends no request is cut`() async throws {
            var limits = WatchLimits()
            limits.requestTime = .milliseconds(50)
            try await serve(limits) { (_, port) async throws in #expect(try LocalSocket(port: port).receive() == "") }
        }

        @Test func `a reader that accepts nothing is cut`() async throws {
            var limits = WatchLimits()
            limits.answerTime = .milliseconds(50)
            try await serve(limits) { (server, port) async throws in
                server.show(Data("{\"filler\":\"\(String(repeating: "x", count: 30_000_000))\"}".utf8))
                let slow = try follow(port)
                #expect(slow.receive(until: "data: {").contains("filler"))
                try await wait { server.connections == 0 }
            }
        }

        @Test func `a port that is taken is told`() async throws {
            try await serve { (_, port) async throws in
                await #expect(throws: AssayError.self) { try await WatchServer.start(port: port) }
            }
        }

        /// Waits for what comes soon.
        private func wait(_ isSo: () -> Bool) async throws {
            for _ in 0..<1000 where !isSo() { try await Task.sleep(for: .milliseconds(10)) }
            #expect(isSo())
        }
    }
#endif
