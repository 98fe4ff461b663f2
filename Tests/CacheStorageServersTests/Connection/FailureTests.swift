import CacheCore
import Foundation
import Synchronization
import Testing

@testable import CacheStorageServers

/// What networks and servers do to clients, by a server that does it on purpose.
@Suite("Failing servers")
struct FailureTests {
    private static let a = Array("a".utf8)
    private static let stored = RESPValue.bulk(StoredEnvelope.encode(StoredEntry([1, 2, 3])))

    private func open(_ server: FakeServer, deadlineMilliseconds: Int = 30 * 60_000) throws -> RedisStorage {
        try TestServers.open(
            RedisStorage.self, server.address, "prefix=p", deadlineMilliseconds: deadlineMilliseconds)
    }

    private func code(_ body: () throws -> Void) -> StoreError.Code? {
        #expect(throws: StoreError.self) { try body() }?.code
    }

    @Test func `a silent server costs the deadline and is unavailable`() throws {
        let server = try FakeServer(FakeServer.plain { command, _ in command[0] == "GET" ? .silence : .reply(.null) })
        defer { withExtendedLifetime(server) {} }
        let store = try open(server, deadlineMilliseconds: 50)
        #expect(code { _ = try store.get(Self.a) } == .unavailable)
        // The connection was given up, so that a late reply is not taken for the next one's.
        _ = try? store.contains(Self.a)
        #expect(server.connectionCount >= 2)
    }

    @Test func `nobody at the address is unavailable, with the address and what to do`() throws {
        let server = try FakeServer { _, _ in .silence }
        defer { withExtendedLifetime(server) {} }
        try server.stop()
        let error = #expect(throws: StoreError.self) { try open(server, deadlineMilliseconds: 50) }
        #expect(error?.code == .unavailable)
        #expect(error?.message.contains("\(server.address)") == true)
        #expect(error?.message.contains("start the server") == true)
    }

    @Test func `a read whose connection ends in the middle of the reply is asked again`() throws {
        let server = try FakeServer(
            FakeServer.plain { command, connection in
                guard command[0] == "GET" else { return .reply(.integer(0)) }
                return connection < 3 ? .lastBytes(RESPText.encode(Self.stored).dropLast(3)) : .reply(Self.stored)
            })
        defer { withExtendedLifetime(server) {} }
        let store = try open(server)
        #expect(try store.get(Self.a) == StoredEntry([1, 2, 3]))
        #expect(server.commands.filter { $0[0] == "GET" }.count == 3)
    }

    @Test func `a write whose reply was lost is not repeated`() throws {
        let server = try FakeServer(
            FakeServer.plain { command, _ in
                ["SET", "UNLINK"].contains(command[0]) ? .lastBytes(Array("+O".utf8)) : .reply(.integer(0))
            })
        defer { withExtendedLifetime(server) {} }
        let store = try open(server)
        #expect(code { try store.put(StoredEntry([1]), for: Self.a) } == .unavailable)
        #expect(code { _ = try store.remove(Self.a) } == .unavailable)
        #expect(server.commands.map { $0[0] } == ["SET", "UNLINK"])
    }

    @Test func `a server that comes back is found again`() throws {
        let script = FakeServer.plain { command, _ in
            command[0] == "GET" ? .reply(Self.stored) : .lastBytes([])
        }
        let first = try FakeServer(script)
        defer { withExtendedLifetime(first) {} }
        let store = try open(first)
        #expect(try store.get(Self.a) != nil)
        try first.stop()
        #expect(code { try store.put(StoredEntry([1]), for: Self.a) } == .unavailable)
        // While nobody listens, a call goes on asking.
        let port = try #require(Int("\(first.address)".split(separator: ":")[1]))
        let (started, done) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let found = Found()
        Thread.detachNewThread {
            started.signal()
            found.entry = try? store.get(Self.a)
            done.signal()
        }
        started.wait()
        Deadline(milliseconds: 10_000).pause(milliseconds: 60)
        let second = try FakeServer(port: port, script)
        defer { withExtendedLifetime(second) {} }
        #expect(done.wait(timeout: TestServers.patience.moment) == .success)
        #expect(found.entry == StoredEntry([1, 2, 3]))
        #expect(second.connectionCount >= 1)
    }

    private final class Found: @unchecked Sendable { var entry: StoredEntry? }

    @Test func `what is not the protocol ends the call and the connection`() throws {
        let server = try FakeServer(
            FakeServer.plain { command, connection in
                command[0] == "GET" && connection == 1 ? .bytes(Array("HTTP/1.1 400\r\n".utf8)) : .reply(Self.stored)
            })
        defer { withExtendedLifetime(server) {} }
        let store = try open(server)
        let error = #expect(throws: StoreError.self) { try store.get(Self.a) }
        #expect(error?.code == .inputOutput)
        #expect(error?.message.contains("right kind of server") == true)
        #expect(try store.get(Self.a) == StoredEntry([1, 2, 3]))
    }

    @Test(arguments: [
        ("OOM command not allowed when used memory > 'maxmemory'.", StoreError.Code.full),
        ("ERR Protocol error: invalid bulk length", .valueRefused), ("READONLY You can't write", .unavailable),
        ("NOAUTH Authentication required.", .unavailable), ("WRONGTYPE Operation against", .corrupt),
        ("ERR unknown", .inputOutput),
    ])
    func `errors of the server are typed`(text: String, expected: StoreError.Code) throws {
        let server = try FakeServer(FakeServer.plain { _, _ in .reply(.error(text)) })
        defer { withExtendedLifetime(server) {} }
        let store = try open(server)
        #expect(code { try store.put(StoredEntry([1]), for: Self.a) } == expected)
        #expect(code { _ = try store.get(Self.a) } == expected)
    }

    @Test func `a server that waits for a password says how to give it`() throws {
        let server = try FakeServer { _, _ in .reply(.error("NOAUTH HELLO must be called authenticated")) }
        defer { withExtendedLifetime(server) {} }
        let error = #expect(throws: StoreError.self) { try open(server) }
        #expect(error?.code == .unavailable)
        #expect(error?.message.contains("REDISCLI_AUTH") == true)
    }

    @Test func `a server older than RESP3 is spoken to in RESP2`() throws {
        let server = try FakeServer { command, _ in
            switch command[0] {
            case "HELLO": .reply(.error("ERR unknown command `HELLO`"))
            case "INFO": .reply(.bulk(Array("redis_version:5.0\r\nmaxmemory:0\r\n".utf8)))
            default: .bytes(Array("$-1\r\n".utf8))
            }
        }
        defer { withExtendedLifetime(server) {} }
        #expect(try open(server).get(Self.a) == nil)
    }

    @Test func `what the server says unasked answers nothing`() throws {
        let unasked = RESPText.encode(.push([.simple("invalidate"), .null]))
        let server = try FakeServer(
            FakeServer.plain { _, _ in .bytes(unasked + RESPText.encode(Self.stored) + unasked) })
        defer { withExtendedLifetime(server) {} }
        let store = try open(server)
        for _ in 0..<3 { #expect(try store.get(Self.a) == StoredEntry([1, 2, 3])) }
        #expect(server.connectionCount == 1)
    }

    @Test func `many threads share one connection and each gets its own answer`() throws {
        let server = try FakeServer(
            FakeServer.plain { command, _ in .reply(.bulk(StoredEnvelope.encode(StoredEntry(Array(command[1].utf8))))) }
        )
        defer { withExtendedLifetime(server) {} }
        let store = try open(server)
        let wrong = Mutex(0)
        DispatchQueue.concurrentPerform(iterations: 8) { thread in
            for round in 0..<200 {
                let key = Array("key-\(thread)-\(round)".utf8)
                if (try? store.get(key))?.value != Array("p".utf8) + key { wrong.withLock { $0 += 1 } }
            }
        }
        #expect(wrong.withLock { $0 } == 0)
        #expect(server.connectionCount == 1)
    }
}
