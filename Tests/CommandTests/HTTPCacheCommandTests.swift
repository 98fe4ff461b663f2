import Foundation
import Testing
import _CacheTestSupport

@Suite("assay http-cache")
struct HTTPCacheCommandTests {
    /// The command while it runs.
    private struct Running {
        let process: Process
        let output: Pipe
        let port: Int

        init(_ assay: AssayProcess, _ arguments: String...) throws {
            process = assay.prepared(AssayProcess.executable, ["http-cache"] + arguments)
            output = Pipe()
            process.standardOutput = output
            process.standardInput = FileHandle.nullDevice
            try process.run()
            var line = ""
            while !line.hasSuffix("\n"), let byte = try output.fileHandleForReading.read(upToCount: 1), !byte.isEmpty {
                line += String(decoding: byte, as: UTF8.self)
            }
            let address = try #require(URL(string: line.trimmingCharacters(in: .newlines)))
            #expect(address.scheme == "http" && address.host() == "127.0.0.1")
            port = try #require(address.port)
        }

        func ask(_ method: String = "GET", _ target: String = "/") throws -> String {
            try LocalSocket.ask(port, "\(method) \(target) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        }

        /// Sends a signal; returns what was printed after the first line, and the status.
        func end(_ signal: Int32 = SIGTERM) throws -> (text: String, status: Int32) {
            kill(process.processIdentifier, signal)
            let text = try output.fileHandleForReading.readToEnd() ?? Data()
            process.waitUntilExit()
            return (String(decoding: text, as: UTF8.self), process.terminationStatus)
        }
    }

    private static func answer(_ fields: String = "Cache-Control: max-age=1000\r\n", _ text: String = "hello") -> String
    {
        "HTTP/1.1 200 OK\r\n\(fields)Content-Length: \(text.utf8.count)\r\nConnection: close\r\n\r\n\(text)"
    }

    @Test(arguments: [SIGTERM, SIGINT])
    func `it answers from its cache where it says, and ends on a signal with what has happened`(_ signal: Int32) throws
    {
        let assay = try AssayProcess()
        let origin = try LocalServer(Self.answer())
        let running = try Running(assay, "--origin", "http://127.0.0.1:\(origin.port)", "--policy", "s3fifo:small=0.05")
        let first = try running.ask()
        #expect(first.hasPrefix("HTTP/1.1 200") && first.hasSuffix("\r\n\r\nhello"))
        #expect(first.contains("Cache-Status: assay; fwd=uri-miss"))
        for _ in 0..<3 { #expect(try running.ask().contains("Cache-Status: assay; hit")) }
        #expect(try running.ask("PURGE").contains("200 OK"))
        #expect(origin.answered == 2)
        let end = try running.end(signal)
        #expect(end.status == 0)
        let lines = Set(end.text.split(separator: "\n").map(String.init))
        #expect(lines.isSuperset(of: ["connections 5", "requests 5", "hit 3", "miss 1", "purged 0"]), "\(end.text)")
    }

    @Test func `what is stored in a directory is there the next time, long bodies too, unless it was purged`() throws {
        let assay = try AssayProcess()
        let text = String(repeating: "x", count: 100_000)
        let origin = try LocalServer(Self.answer("Cache-Control: max-age=1000\r\n", text))
        let address = "http://127.0.0.1:\(origin.port)"
        for round in 0..<3 {
            let running = try Running(
                assay, "--origin", address, "--directory", "pages", "--capacity", "1MiB", "--allow-purge", "--backend",
                "log")
            #expect(try running.ask("GET", "/a").hasSuffix(text))
            if round == 1 { #expect(try running.ask("PURGE", "/a").hasPrefix("HTTP/1.1 200")) }
            #expect(try running.end().status == 0)
        }
        #expect(origin.answered == 2)
    }

    #if Encryption
        @Test func `with a key nothing that is stored can be read in the directory`() throws {
            let assay = try AssayProcess()
            try Data((0..<32).map { UInt8($0) }).write(to: assay.directory.appending(path: "key"))
            let text = String(repeating: "a secret ", count: 10_000)
            let origin = try LocalServer(Self.answer("Cache-Control: max-age=1000\r\n", text))
            for _ in 0..<2 {
                let running = try Running(
                    assay, "--origin", "http://127.0.0.1:\(origin.port)", "--directory", "pages", "--key-file", "key")
                #expect(try running.ask("GET", "/hidden").hasSuffix(text))
                #expect(try running.end().status == 0)
            }
            #expect(origin.answered == 1)
            let pages = assay.directory.appending(path: "pages")
            let files = FileManager.default.enumerator(atPath: pages.path)?.compactMap { $0 as? String } ?? []
            let contents = files.compactMap { FileManager.default.contents(atPath: pages.appending(path: $0).path) }
            #expect(contents.contains { $0.count > 90_000 })
            for word in ["secret", "hidden", "max-age"] {
                #expect(!contents.contains { $0.range(of: Data(word.utf8)) != nil })
                #expect(!files.contains { $0.contains(word) })
            }
        }
    #endif

    @Test func `a request that the origin never answers does not keep the command from ending`() throws {
        let assay = try AssayProcess()
        let origin = try LocalServer(nil)
        let running = try Running(assay, "--origin", "http://127.0.0.1:\(origin.port)", "--stop-seconds", "0.2")
        let done = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            _ = try? running.ask()
            done.signal()
        }
        // Whether it has come to the origin by then or not, it ends.
        Thread.sleep(forTimeInterval: 0.3)
        #expect(try running.end().status == 0)
        done.wait()
    }

    @Test(arguments: [
        ["http-cache"], ["http-cache", "--origin", "ftp://a"], ["http-cache", "--origin", "http://a/path"],
        ["http-cache", "--origin", "http://a", "--listen", "nowhere"],
        ["http-cache", "--origin", "http://a", "--listen", "127.0.0.1:99999"],
        ["http-cache", "--origin", "http://a", "--profile", "public"],
        ["http-cache", "--origin", "http://a", "--policy", "lru,arc"],
        ["http-cache", "--origin", "http://a", "--policy", "belady"],
        ["http-cache", "--origin", "http://a", "--backend", "floppy"],
        ["http-cache", "--origin", "http://a", "--capacity", "5%"],
        ["http-cache", "--origin", "http://a", "--capacity", "100"],
        ["http-cache", "--origin", "http://a", "--idle-seconds", "0"],
        ["http-cache", "--origin", "http://a", "--origin", "http://b"],
        ["http-cache", "--origin=http://a", "--origin", "http://a"],
        ["http-cache", "--origin", "http://a", "--backend", "log", "--storage", "file"],
        ["http-cache", "--origin", "http://a", "--connections", "0"],
        ["http-cache", "--origin", "http://a", "--content-bytes", "5%"],
        ["bench", "--seed", "1", "--seed", "2"],
    ])
    func `wrong usage is told at once`(_ arguments: [String]) throws {
        let assay = try AssayProcess()
        let result = try assay.run(AssayProcess.executable, arguments)
        #expect(result.status == 64, "\(result.output)\(result.errors)")
        #expect(result.output.isEmpty && !result.errors.isEmpty)
    }

    @Test func `a place that is taken is not available, and leaves no directory behind`() throws {
        let temporary = try TemporaryDirectory()
        let assay = try AssayProcess(environment: ["TMPDIR": temporary.path])
        let taken = try LocalServer("")
        let result = try assay.run(
            "http-cache", "--origin", "http://127.0.0.1:1", "--listen", "127.0.0.1:\(taken.port)")
        #expect(result.status == 69, "\(result.errors)")
        #expect(result.errors.contains("127.0.0.1:\(taken.port)"))
        let unknown = try assay.run("http-cache", "--origin", "http://127.0.0.1:1", "--listen", "nowhere.invalid:0")
        #expect(unknown.status == 69, "\(unknown.errors)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: temporary.path) == [])
    }

    @Test func `the folder of a process that was killed is cleared by the next, and that of a living one is not`()
        throws
    {
        let temporary = try TemporaryDirectory()
        let assay = try AssayProcess(environment: ["TMPDIR": temporary.path])
        let origin = try LocalServer(
            Self.answer("Cache-Control: max-age=1000\r\n", String(repeating: "x", count: 50_000)))
        func folders() throws -> Set<String> {
            Set(try FileManager.default.contentsOfDirectory(atPath: temporary.path).filter { !$0.hasSuffix(".lock") })
        }
        let address = "http://127.0.0.1:\(origin.port)"
        let killed = try Running(assay, "--origin", address)
        _ = try killed.ask()
        let left = try folders()
        #expect(left.count == 1)
        _ = try killed.end(SIGKILL)
        #expect(try folders() == left)
        let first = try Running(assay, "--origin", address)
        let own = try folders()
        #expect(own.count == 1 && own.isDisjoint(with: left))
        let second = try Running(assay, "--origin", address)
        #expect(try folders().count == 2 && folders().isSuperset(of: own))
        #expect(try first.end().status == 0 && second.end().status == 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: temporary.path) == [])
    }
}
