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
        /// 2 GiB where everything is tested, 64 MiB otherwise.
        private static let pieces =
            ProcessInfo.processInfo.environment["ASSAY_ALL_CELLS"] == nil ? 1024 : 32_768

        /// The most memory that this process has had, in kilobytes.
        private static func peakKilobytes() throws -> Int {
            let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
            let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
            return line.flatMap { Int($0.filter(\.isNumber)) } ?? 0
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

        /// How much the most memory grows with long bodies, against shorter ones, in kilobytes.
        private static func growthKilobytes(from few: Int, to pieces: Int, keepsFiles: Bool) async throws -> Int {
            // Else the allocator takes megabytes more for each thread that a busy machine lets wait.
            typealias Setting = @convention(c) (_ parameter: CInt, _ value: CInt) -> CInt
            let mallopt = unsafeBitCast(try #require(dlsym(nil, "mallopt")), to: Setting.self)
            let arenasMax: CInt = -8  // M_ARENA_MAX, which Glibc's module lacks
            #expect(mallopt(arenasMax, 1) == 1)
            let grown = Mutex(0)
            try await withProxy(try await origin()) {
                if !keepsFiles { $0.cache.bodyDirectory = nil }
                $0.proxy.contentBytesMax = pieces * piece
            } _: { fixture async throws in
                var peaks: [Int] = []
                for count in [few, pieces] {
                    for _ in 0..<2 { try await download(fixture, "/stored", count) }
                    try await download(fixture, "/passed", count)
                    try await upload(fixture, count)
                    peaks.append(try peakKilobytes())
                }
                let asked = fixture.origin.requests.map(\.target)
                try #require(peaks[0] > 0 && Set(asked).count == 6, "\(asked)")
                grown.withLock { [peaks] in $0 = peaks[1] - peaks[0] }
            }
            return grown.withLock { $0 }
        }

        @Test func `a long body goes both ways within 32 MB`() async throws {
            await #expect(processExitsWith: .success) { [pieces = Self.pieces as Int] in
                // Buffers have grown to their size with a quarter.
                let grown = try await Self.growthKilobytes(from: pieces / 4, to: pieces, keepsFiles: true)
                #expect(grown < 32_768, "it grew by \(grown) kB")
            }
        }

        @Test func `a cache that holds bodies in memory is noticed by that`() async throws {
            await #expect(processExitsWith: .success) {
                let grown = try await Self.growthKilobytes(from: 64, to: 640, keepsFiles: false)
                #expect(grown > 32_768, "it grew by \(grown) kB")
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
