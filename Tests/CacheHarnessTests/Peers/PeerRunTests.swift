import CacheCore
import CachePolicies
import Foundation
import Testing

@testable import CacheHarness

@Suite("PeerRun: peers are asked the same")
struct PeerRunTests {
    private static let policy = BuiltinPolicies.all.first { $0.descriptor.name == "lru" }!
    private static let trace = MemoryTrace.skewed(requests: 4000, objects: 200)

    private func run(
        _ subject: PeerRun.Subject, _ pass: PeerRun.Pass, threads: Int = 1, requests: Int = 4000
    ) throws -> PeerRun.Figures {
        try PeerRun(
            subject, policy: Self.policy, columns: Self.trace.columns, capacity: 40, valueBytes: 32, threads: threads
        ).run(pass, requests: requests)
    }

    @Test func `the engine and the locked list hit alike, as a simulation of LRU does`() throws {
        let engine = try run(.engine, .replay)
        let locked = try run(.lockedLRU, .replay)
        #expect(engine.hits == locked.hits && engine.entries == 40 && locked.entries == 40)
        // The pass follows a warm-up of one trace.
        let twice = MemoryTrace(ids: Array(Self.trace.columns.ids) + Array(Self.trace.columns.ids))
        func simulated(_ trace: MemoryTrace) throws -> Int {
            let configuration = PolicyConfiguration(
                capacity: .objects(40), objects: trace.columns.objects,
                parameters: ParameterValues(defaults: Self.policy.descriptor.parameters))
            return try #require(try Self.policy.simulate(trace.columns, configuration)).hits
        }
        let once = MemoryTrace(ids: Array(Self.trace.columns.ids))
        #expect(try engine.hits == simulated(twice) - simulated(once))
    }

    @Test(arguments: PeerRun.Subject.allCases)
    func `reads find everything, and every pass makes its requests`(_ subject: PeerRun.Subject) throws {
        #expect(try run(subject, .reads).hits == 4000)
        for pass in [PeerRun.Pass.replay, .latency] {
            let figures = try run(subject, pass, threads: 2, requests: 3000)
            #expect(figures.requests == 3000 && figures.hits > 0)
            // The load without a cache is told that everything was there.
            #expect((figures.hits == 3000) == (subject == .empty))
            #expect((figures.p99Nanoseconds != nil) == (pass == .latency))
            #expect((figures.readP99Nanoseconds != nil) == (pass == .latency))
            if let all = figures.p99Nanoseconds, let read = figures.readP99Nanoseconds { #expect(read <= all) }
        }
    }

    @Test func `diskcache's operations are read as they were written, and a torn file is refused`() throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "peer-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let path = directory.appending(path: "operations").path
        func record(_ kind: UInt8, _ key: UInt8) -> [UInt8] { [kind, key, 3, 0, 7, 1, 0, 0] }
        // A miss, a write, a hit, a removal, a miss.
        try Data([0, 1, 0, 2, 0].flatMap { record($0, 9) }).write(to: URL(filePath: path))
        let entry = BackendEntry(LeakyStorage.self)
        func run() throws -> PeerStoreRun.Figures {
            try PeerStoreRun(
                policy: Self.policy, backend: entry,
                parameters: ParameterValues(defaults: entry.descriptor.parameters), directory: directory.path,
                operations: path
            ).run()
        }
        let figures = try run()
        #expect(figures.operations == 5 && figures.hits == 1)
        try Data([1, 2, 3]).write(to: URL(filePath: path))
        let error = #expect(throws: AssayError.self) { try run() }
        #expect(error?.code == .badInput)
    }
}
