import CacheSystems
import CacheSystemsHTTP
import Foundation
import Synchronization
import Testing

#if os(Linux)
    /// Long bodies, up and down, stored and passed on, to clients of any speed. In a process of its own, so that its memory is its own.
    @Suite("Memory does not grow with bodies", .serialized, .timeLimit(.minutes(60)))
    struct ProxyMemoryTests {
        private static let piece = 65_536
        /// 256 MiB.
        private static let pieces = 4_096

        /// Half of what these bodies are longer than a quarter of them.
        private static let kilobytesMax = 98_304

        /// What the system says of this process's memory, in kilobytes by name; `VmHWM` is the most that it has had.
        private static func memoryKilobytes() throws -> [String: Int] {
            let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
            let lines = status.split(separator: "\n").filter { $0.hasPrefix("VmHWM:") || $0.hasPrefix("Rss") }
            return Dictionary(
                uniqueKeysWithValues: lines.map { ("\($0.prefix { $0 != ":" })", Int($0.filter(\.isNumber)) ?? 0) })
        }

        /// Closes what the other process's tests had open when they started this one: a server that they stop would go on listening here.
        private static func closeInheritedSockets() throws {
            for name in try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd") {
                let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + name)
                if target?.hasPrefix("socket:") == true, let descriptor = Int32(name) { close(descriptor) }
            }
        }

        /// An origin that sends as many pieces as the target says, and reads what it gets.
        private static func origin() async throws -> ScriptedOrigin {
            try await ScriptedOrigin(readsContent: false) { request, wire, _ in
                let count = Int(request.target.split(separator: "/").last ?? "") ?? 0
                if request.method == "PUT" {
                    var left = count * piece
                    while left > 0 {
                        let bytes = await wire.read(min(left, piece)).count
                        guard bytes > 0 else { return false }
                        left -= bytes
                    }
                    try await wire.write(answer(204))
                    return true
                }
                let fields =
                    request.target.hasPrefix("/stored")
                    ? "Cache-Control: max-age=86400\r\n" : "Cache-Control: no-store\r\n"
                try await wire.write("HTTP/1.1 200 OK\r\n\(fields)Content-Length: \(count * piece)\r\n\r\n")
                let bytes = [UInt8](repeating: 7, count: piece)
                for _ in 0..<count { try await wire.write(bytes) }
                return true
            }
        }

        private static func download(_ fixture: ProxyFixture, _ target: String, _ count: Int) async throws {
            let wire = try await fixture.connect()
            try await wire.write("GET \(target)/\(count) HTTP/1.1\r\nHost: a\r\n\r\n")
            let status = await wire.head()?.status
            try #require(status == 200)
            var left = count * piece
            while left > 0 {
                let bytes = await wire.read(min(left, piece))
                try #require(bytes.first == 7 && bytes.last == 7, "\(left) bytes of \(target) are missing")
                left -= bytes.count
            }
            await wire.close()
        }

        private static func upload(_ fixture: ProxyFixture, _ count: Int) async throws {
            let wire = try await fixture.connect()
            try await wire.write("PUT /up/\(count) HTTP/1.1\r\nHost: a\r\nContent-Length: \(count * piece)\r\n\r\n")
            let bytes = [UInt8](repeating: 7, count: piece)
            for _ in 0..<count { try await wire.write(bytes) }
            let status = await wire.answer()?.status
            try #require(status == 204)
            await wire.close()
        }

        /// What the system says of memory after bodies of a quarter of the length, and after whole ones.
        private static func memory(after pieces: Int, keepsFiles: Bool) async throws -> [[String: Int]] {
            try closeInheritedSockets()
            let seen = Mutex<[[String: Int]]>([])
            try await withProxy(try await origin()) {
                if !keepsFiles { $0.cache.bodyDirectory = nil }
                $0.proxy.contentBytesMax = pieces * piece
            } _: { fixture async throws in
                // Buffers have grown to their size with a quarter.
                for count in [pieces / 4, pieces] {
                    for _ in 0..<2 { try await download(fixture, "/stored", count) }
                    try await download(fixture, "/passed", count)
                    try await upload(fixture, count)
                    let memory = try memoryKilobytes()
                    seen.withLock { $0.append(memory) }
                }
                let asked = fixture.origin.requests.map(\.target)
                try #require(Set(asked).count == 6, "\(asked)")
            }
            return seen.withLock { $0 }
        }

        @Test func `a long body goes both ways within 96 MiB`() async throws {
            await #expect(processExitsWith: .success) {
                let memory = try await Self.memory(after: Self.pieces, keepsFiles: true)
                let peaks = try memory.map { try #require($0["VmHWM"]) }
                #expect(peaks[1] - peaks[0] < Self.kilobytesMax, "\(memory)")
            }
        }

        @Test func `a cache that holds bodies in memory is noticed by that`() async throws {
            await #expect(processExitsWith: .success) {
                let memory = try await Self.memory(after: Self.pieces, keepsFiles: false)
                let peaks = try memory.map { try #require($0["VmHWM"]) }
                #expect(peaks[1] - peaks[0] > Self.kilobytesMax, "\(memory)")
            }
        }

        @Test func `a client that takes nothing holds up its own answer and nobody else's`() async throws {
            let sent = Mutex(0)
            let origin = try await ScriptedOrigin { request, wire, _ in
                guard request.target == "/long" else {
                    try await wire.write(answer(200, body: "short"))
                    return true
                }
                try await wire.write("HTTP/1.1 200 OK\r\nCache-Control: no-store\r\nContent-Length: 1000000000\r\n\r\n")
                let bytes = [UInt8](repeating: 7, count: Self.piece)
                while true {
                    try await wire.write(bytes)
                    sent.withLock { $0 += bytes.count }
                }
            }
            try await withProxy(origin) { fixture async throws in
                let slow = try await fixture.connect(receiveBuffer: 65_536)
                try await slow.write("GET /long HTTP/1.1\r\nHost: a\r\n\r\n")
                #expect(await slow.head()?.status == 200)
                // It stands still once every buffer on the way is full.
                var last = -1
                while sent.withLock({ $0 }) != last {
                    last = sent.withLock { $0 }
                    try await Task.sleep(for: .milliseconds(500))
                }
                #expect(last < 64 << 20)
                #expect(try await fixture.ask("GET", "/short").text == "short")
                // It goes on where it was.
                #expect(await slow.read(20 << 20).count == 20 << 20)
                await slow.close()
            }
        }
    }
#endif
