#if Watch
    import Foundation
    import Testing
    import _CacheTestSupport

    @Suite("assay watch")
    struct WatchCommandTests {
        /// A watched command, which is ended with this object.
        private final class Watched {
            let assay: AssayProcess
            let process: Process
            let port: Int

            /// Starts it and waits until its page is served.
            init(_ assay: AssayProcess, _ arguments: [String]) throws {
                self.assay = assay
                process = assay.prepared(AssayProcess.executable, ["watch"] + arguments)
                process.standardInput = FileHandle.nullDevice
                process.standardOutput = try Self.file(assay.path("output"))
                process.standardError = try Self.file(assay.path("errors"))
                try process.run()
                port = try Self.soon {
                    try assay.read("errors").firstMatch(of: /watch it at http:\/\/127\.0\.0\.1:(\d+)\//).flatMap {
                        Int($0.output.1)
                    }
                }
            }

            deinit {
                if process.isRunning { process.terminate() }
                process.waitUntilExit()
            }

            private static func file(_ path: String) throws -> FileHandle {
                _ = FileManager.default.createFile(atPath: path, contents: nil)
                return try #require(FileHandle(forWritingAtPath: path))
            }

            private static func soon<Value>(_ find: () throws -> Value?) throws -> Value {
                for _ in 0..<3000 {
                    if let value = try find() { return value }
                    Thread.sleep(forTimeInterval: 0.01)
                }
                return try #require(nil as Value?)
            }

            func get(_ path: String) throws -> String {
                let answer = try LocalSocket.ask(port, "GET \(path) HTTP/1.1\r\nHost: localhost:\(port)\r\n\r\n")
                return String(answer[(answer.range(of: "\r\n\r\n")?.upperBound ?? answer.endIndex)...])
            }

            /// The state once the command has ended.
            func lastState() throws -> [String: Any] {
                try Self.soon {
                    let state = try JSONSerialization.jsonObject(with: Data(get("/state").utf8)) as? [String: Any]
                    return state?["status"] == nil ? nil : state
                }
            }

            /// Ends it as Ctrl-C does; its exit status.
            func end() -> Int32 {
                process.interrupt()
                process.waitUntilExit()
                return process.terminationStatus
            }
        }

        private func assay() throws -> AssayProcess {
            let assay = try AssayProcess()
            try assay.write("<b>t.txt", (0..<500).map { "k\($0 % 17)\n" }.joined())
            return assay
        }

        private static let run = [
            "run", "--trace", "<b>t.txt", "--policy", "lru,fifo,belady", "--capacity", "4,8", "--simulate", "--out",
        ]

        @Test func `a run is the same, and its page has the figures and ends with the report`() throws {
            let assay = try assay()
            let watched = try Watched(assay, ["--linger", "60"] + Self.run + ["out"])
            let state = try watched.lastState()
            #expect(
                state["status"] as? Int == 0 && (state["command"] as? String)?.contains("run --trace <b>t.txt") == true)
            let progress = try #require(state["progress"] as? [String: Any])
            #expect(progress["done"] as? Int == 6 && progress["total"] as? Int == 6 && progress["failed"] as? Int == 0)
            #expect(progress["running"] as? [String] == [])
            let latest = try #require(progress["latest"] as? [[String: Any]])
            #expect(latest.count == 6 && latest.allSatisfy { ($0["place"] as? String)?.hasPrefix("<b>t, ") == true })
            // The bound is no choice.
            let best = try #require(progress["best"] as? [[String: Any]])
            #expect(best.count == 2 && best.allSatisfy { $0["name"] as? String != "belady" })
            let reports = try #require(state["reports"] as? [[String: Any]])
            #expect(reports.map { $0["name"] as? String } == ["report.html"])
            #expect(try watched.get("/report/report.html") == assay.read("out/report.html"))
            #expect(watched.end() == 0)

            let plain = try assay.run(AssayProcess.executable, Self.run + ["plain"])
            let counts = { (file: String) in try self.cells(assay, file).map { $0["counts"] as? NSDictionary } }
            #expect(try counts("out/results.json") == counts("plain/results.json"))
            #expect(try assay.json("out/results.json")["commandLine"] as? [String] == Self.run + ["out"])
            let paths = { (text: String) in
                text.split(separator: "\n").filter { $0.hasSuffix(".html") }.map(String.init)
            }
            #expect(try paths(assay.read("output")).map { $0.replacing("out/", with: "plain/") } == paths(plain.output))
        }

        private func cells(_ assay: AssayProcess, _ file: String) throws -> [[String: Any]] {
            try #require(try assay.json(file)["cells"] as? [[String: Any]])
        }

        @Test func `a command that fails says so on the page, and with its status`() throws {
            let watched = try Watched(
                try assay(), ["--linger", "60", "run", "--trace", "missing.txt", "--policy", "lru"])
            let state = try watched.lastState()
            #expect(state["status"] as? Int == 65 || state["status"] as? Int == 64)
            #expect((state["error"] as? String)?.contains("missing.txt") == true)
            #expect(watched.end() == Int32(state["status"] as? Int ?? 0))
        }

        #if Conformance
            @Test func `a conformance run has its verdicts, and a report that nobody asked for`() throws {
                let assay = try assay()
                let watched = try Watched(
                    assay, ["--linger", "60", "conform", "dictionary", "slab", "--section", "BAS-1,BAS-2"])
                let state = try watched.lastState()
                let earlier = try #require(state["earlier"] as? [[String: Any]])
                #expect(earlier.map { $0["unit"] as? String } == ["checks of dictionary"])
                let progress = try #require(state["progress"] as? [String: Any])
                #expect(progress["verdicts"] as? [String: Int] == ["pass": 2])
                for report in try #require(state["reports"] as? [[String: Any]]) {
                    #expect(report["path"] == nil)
                    #expect(try watched.get("/report/\(#require(report["name"] as? String))").contains("BAS-2"))
                }
                #expect(
                    try FileManager.default.contentsOfDirectory(atPath: assay.directory.path).allSatisfy {
                        !$0.hasSuffix(".html")
                    })
                #expect(watched.end() == 0)
            }
        #endif

        @Test func `without a watcher it ends by itself, and at once if told`() throws {
            let result = try assay().run(
                AssayProcess.executable, ["watch", "--linger", "0"] + Self.run + ["out", "--quiet"])
            #expect(result.status == 0 && result.output.hasSuffix("out/report.html\n"), "\(result.output)")
            #expect(result.errors.contains("watch it at http://127.0.0.1:"))
        }

        @Test(arguments: [["watch", "--help"], ["help", "watch"], ["watch", "-h"]])
        func `the help is about watch before the command, and about the command behind it`(_ words: [String]) throws {
            let result = try AssayProcess().run(AssayProcess.executable, words)
            #expect(result.status == 0 && result.output.contains("--linger"), "\(result.errors)")
            let inner = try AssayProcess().run(AssayProcess.executable, ["watch", "run", "--help"])
            #expect(inner.status == 0 && inner.output.contains("--policy") && !inner.output.contains("--linger"))
        }

        @Test(
            arguments: [
                ([], "No command to watch is named"), (["list"], "'list' cannot be watched"),
                (["watch", "run"], "'watch' cannot be watched"), (["run", "--polcy", "lru"], "--policy"),
                (["--port", "70000", "run"], "--port must be"), (["--linger", "-1", "run"], "--linger"),
            ])
        func `what cannot be watched is refused before a page is served`(_ arguments: [String], _ word: String) throws {
            let result = try AssayProcess().run(AssayProcess.executable, ["watch"] + arguments)
            #expect(result.status == 64 && result.errors.contains(word), "\(result.errors)")
            #expect(!result.errors.contains("watch it at"))
        }
    }
#endif
