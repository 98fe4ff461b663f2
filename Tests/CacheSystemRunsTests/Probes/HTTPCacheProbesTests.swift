import CacheCore
import CacheSystemRuns
import Testing
import _CacheTestSupport

@Suite("Probes of HTTPCache")
struct HTTPCacheProbesTests {
    @Test(arguments: ["private", "shared"])
    func `figures are those of their construction`(_ profile: String) async throws {
        let figures = try await probed("http-cache", ["profile": profile])
        // Sixteen clients ask for each address at once.
        #expect(figures["requests by one of the origin"] == 16 && figures["requests in flight, of 4 allowed"] == 4)
        #expect(figures["a long body"] == 4_194_304 && figures["storing a long body"] ?? 0 > 0)
        #expect(figures["reading a long body"] ?? 0 > 0 && figures["memory grown by storing it"] != nil)
        #if Packages
            #expect(figures["first requests that hit, warm"] == 1 && figures["first requests that hit, cold"] == 0)
            #expect(figures["files packed a second"] ?? 0 > 0 && figures["entries imported a second"] ?? 0 > 0)
            #expect((0.05..<1).contains(figures["archive, of its files' bytes"] ?? 0))
        #endif
    }

    @Test func `a queue that lets more through than are allowed is noticed`() async throws {
        let (most, error) = try await onThread {
            let directory = try TemporaryDirectory()
            var (_, setup) = try setup("http-cache", [:], in: directory.path + "/kept")
            let most = try HTTPQueueProbes.inFlight(setup, limit: 3, allowed: 3)
            setup.directory = directory.path + "/broken"
            let error = #expect(throws: AssayError.self) {
                _ = try HTTPQueueProbes.inFlight(setup, limit: 64, allowed: 3)
            }
            return (most, error)
        }
        #expect(most == 3 && error?.code == .verdict && error?.message.contains("32 requests") == true)
    }

    @Test func `a crowd asks once for each address, as far as the cache lets it through`() async throws {
        let crowd = try await onThread {
            let directory = try TemporaryDirectory()
            let (_, setup) = try setup("http-cache", [:], in: directory.path)
            return try HTTPQueueProbes.crowd(setup, clients: 5, addresses: 7, limit: 2)
        }
        #expect(crowd == (35, 7, 2))
    }

    @Test func `memory that holds a long body is noticed, and of a short one nothing is said`() throws {
        try LongBodyProbe.judge(100 << 20, of: 1 << 30)
        try LongBodyProbe.judge(4 << 20, of: 4 << 20)
        let error = #expect(throws: AssayError.self) { try LongBodyProbe.judge(1 << 30, of: 1 << 30) }
        #expect(error?.code == .verdict)
    }

    @Test func `a long body is verified in chunks of any length, and one byte that is wrong is noticed`() async throws {
        var bytes: [UInt8] = []
        for try await piece in LongBody(pieces: 3) { bytes += piece }
        func verify(_ bytes: [UInt8], _ length: Int) throws {
            var verifier = LongBody.Verifier()
            for start in stride(from: 0, to: bytes.count, by: length) {
                try verifier.take(Array(bytes[start..<min(bytes.count, start + length)]))
            }
            try verifier.end(after: 3)
        }
        for length in [1000, 65_536, 65_537, 1 << 20] { try verify(bytes, length) }
        #expect(throws: AssayError.self) { try verify(Array(bytes.dropLast()), 1000) }
        #expect(throws: AssayError.self) { try verify(bytes + [0], 1000) }
        #expect(throws: AssayError.self) { try verify(Array(bytes.prefix(2 << 16)), 65_536) }
        bytes[100_000] ^= 1
        #expect(throws: AssayError.self) { try verify(bytes, 65_536) }
    }
}
