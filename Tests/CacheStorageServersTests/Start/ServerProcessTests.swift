import CacheCore
import Foundation
import Testing

@testable import CacheStorageServers

/// Servers that are started for a process: found, ready, stopped whatever happens.
@Suite("Started servers")
struct ServerProcessTests {
    /// A program that stands for a server: the shell with a script.
    private func shell(_ script: String) -> ServerProgram {
        ServerProgram(name: "sh", package: "dash", portCount: 1) { _, _ in ["-c", script] }
    }

    private func waitUntil(_ condition: () -> Bool) {
        let deadline = TestServers.patience
        while !condition(), !deadline.isOver { deadline.pause(milliseconds: 10) }
        #expect(condition())
    }

    @Test func `a program that is not installed says how to install it`() {
        let program = ServerProgram(name: "no-such-server", package: "the-package", portCount: 1) { _, _ in [] }
        let error = #expect(throws: StoreError.self) {
            try ServerProcess(program, deadline: TestServers.patience) { _, _ in true }
        }
        #expect(error?.code == .unavailable)
        #expect(error?.message.contains("apt-get install the-package") == true)
    }

    @Test func `a program that ends at once is reported with its log`() {
        let error = #expect(throws: StoreError.self) {
            try ServerProcess(shell("echo the reason; exit 3"), deadline: TestServers.patience) { _, _ in false }
        }
        #expect(error?.code == .unavailable)
        #expect(error?.message.contains("ended at once") == true)
        #expect(error?.message.contains("the reason") == true)
    }

    @Test func `a program that never answers is stopped at the deadline`() {
        let error = #expect(throws: StoreError.self) {
            try ServerProcess(shell("echo starting; exec sleep 1000"), deadline: Deadline(milliseconds: 300)) { _, _ in
                false
            }
        }
        #expect(error?.message.contains("within the deadline") == true)
    }

    @Test func `stopping ends the program and removes its directory`() throws {
        // Again and again, because a program that is stopped as soon as it is started was once left without a watchdog.
        for _ in 0..<20 {
            let server = try ServerProcess(shell("exec sleep 1000"), deadline: TestServers.patience) { _, _ in true }
            #expect(FileManager.default.fileExists(atPath: server.directory))
            #expect(!server.hasEnded)
            server.stop()
            server.stop()
            #expect(server.hasEnded)
            waitUntil { !FileManager.default.fileExists(atPath: server.directory) }
        }
    }

    @Test func `the program ends with the process that started it, even by a signal that cannot be caught`() async {
        // The child tells by its standard output where the server's directory and number are.
        let result = await #expect(processExitsWith: .signal(SIGKILL), observing: [\.standardOutputContent]) {
            let program = ServerProgram(name: "sh", package: "dash", portCount: 1) { _, directory in
                ["-c", "echo $$ > \(directory)/pid; exec sleep 1000"]
            }
            let server = try ServerProcess(program, deadline: TestServers.patience) { _, _ in true }
            let file = server.directory + "/pid"
            while (try? String(contentsOfFile: file, encoding: .utf8))?.hasSuffix("\n") != true { usleep(10_000) }
            let pid = try String(contentsOfFile: file, encoding: .utf8)
            FileHandle.standardOutput.write(Data("server \(pid.dropLast()) \(server.directory) end\n".utf8))
            kill(getpid(), SIGKILL)
        }
        let text = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self)
        guard let words = text.split(separator: "\n").map({ $0.split(separator: " ") }).first(where: { $0.count == 4 }),
            let pid = pid_t(words[1])
        else {
            Issue.record("the child said '\(text)'")
            return
        }
        waitUntil { !FileManager.default.fileExists(atPath: String(words[2])) }
        waitUntil { Self.isGone(pid) }
    }

    /// Whether a process runs no more; one that nobody waited for counts as gone.
    private static func isGone(_ pid: pid_t) -> Bool {
        guard kill(pid, 0) == 0 else { return true }
        let status = (try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)) ?? ""
        return status.isEmpty || status.contains(") Z ")
    }

    @Test func `addresses are read, and what is none says how to write one`() throws {
        #expect(try ServerAddress(parsing: "localhost:1").description == "localhost:1")
        #expect(try ServerAddress(parsing: "[::1]:65535") == ServerAddress(host: "::1", port: 65_535))
        #expect(try ServerAddress(parsing: "/run/a.sock").description == "/run/a.sock")
        for text in ["", "host", "host:", ":1", "host:0", "host:65536", "host:x"] {
            let error = #expect(throws: StoreError.self) { try ServerAddress(parsing: text) }
            #expect(error?.message.contains("host:port") == true)
        }
    }

    @Test func `start and address exclude each other`() throws {
        let values = try ParameterValues(
            parsing: "start,address=a:1", for: RedisStorage.descriptor.parameters, of: "redis")
        #expect(throws: StoreError.self) {
            try RedisStorage(BackendConfiguration(directory: nil, parameters: values))
        }
    }

    @Test(.enabled(if: TestServers.redis != nil && TestServers.memcached != nil, "needs redis-server and memcached"))
    func `stores that ask for a start share a server and keep apart`() throws {
        for entry in [BackendEntry(RedisStorage.self), BackendEntry(MemcachedStorage.self)] {
            let values = try ParameterValues(
                parsing: "start,deadline-ms=1800000", for: entry.descriptor.parameters, of: entry.descriptor.name)
            let stores = try (0..<3).map { _ in try entry.open(directory: nil, parameters: values) }
            for (index, store) in stores.enumerated() { try store.put(StoredEntry([UInt8(index)]), for: [1]) }
            for (index, store) in stores.enumerated() { #expect(try store.get([1]) == StoredEntry([UInt8(index)])) }
            for store in stores { try store.close() }
        }
    }
}
