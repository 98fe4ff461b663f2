import CacheCore
import CacheEngine
import CacheEngineRecording
import CachePolicies
import CacheRecording
import CacheTraces
import Foundation
import Synchronization
import Testing
import _CacheTestSupport

@Suite("A cache records its requests")
struct EngineRecordingTests {
    @Test func `reads, writes and removals are recorded with what came of them`() throws {
        let folder = try TemporaryDirectory()
        let recorder = try CacheRecorder(path: folder.path + "/x", .known { $0.tenants = true })
        let clock = VirtualClock()
        var options = CacheOptions<String, Int>(capacity: .bytes(100))
        options.weigher = { _, value in value }
        options.clock = clock
        options.record(to: recorder, tenant: 9)
        let cache = try Cache(options, policy: LRUPolicy<ByteSizes>.self)
        #expect(cache.value(for: "a") == nil)
        cache.put(10, for: "a", expiring: .after(.seconds(2)))
        #expect(cache.value(for: "a") == 10)
        cache.put(101, for: "b")
        cache.remove("a")
        recorder.flush()
        let files = try RecordedFiles(folder.path)
        let a = recorder.hash(of: "a")
        #expect(files.requests.map(\.key) == [a, a, a, recorder.hash(of: "b"), a])
        #expect(files.requests.map(\.operation) == [.read, .write, .read, .write, .remove])
        #expect(files.requests.map(\.size) == [10, 10, 10, 101, 10])
        #expect(files.requests.map(\.timeToLive) == [nil, 2_000_000_000, nil, nil, nil])
        #expect(Set(files.requests.map(\.tenant)) == ["9"])
        #expect(files.notes == ["The recorded cache hit 1 of the 2 reads whose outcome was recorded."])
    }

    @Test func `a capacity in objects knows no sizes, and who was told before is told too`() throws {
        let folder = try TemporaryDirectory()
        let recorder = try CacheRecorder(path: folder.path + "/x", .known())
        let told = Atomic(0)
        var options = CacheOptions<Int, Int>(capacity: .objects(10))
        options.onRequest = { _ in told.add(1, ordering: .relaxed) }
        options.record(to: recorder)
        let cache = try Cache(options, policy: LRUPolicy<UnitSizes>.self)
        cache.put(1, for: 1)
        recorder.flush()
        #expect(try RecordedFiles(folder.path).requests.map(\.size) == [0])
        #expect(told.load(ordering: .relaxed) == 1)
    }

    /// The recording of a cache is a trace on which the same policy with the same capacity makes the same hits.
    @Test(arguments: ["lru", "fifo", "sieve", "arc"]) func `a replay hits what the recorded cache hit`(_ name: String)
        throws
    {
        let folder = try TemporaryDirectory()
        let recorder = try CacheRecorder(path: folder.path + "/x", .known())
        let entry = try #require(BuiltinPolicies.all.first { $0.descriptor.name == name })
        let capacity = Capacity.bytes(20_000)
        var options = CacheOptions<Int, Int>(capacity: capacity)
        options.weigher = { _, value in value }
        options.record(to: recorder)
        let cache = try Cache(options, policy: entry)
        var random = SeededGenerator(seed: 5)
        for _ in 0..<20_000 {
            let key = min(random.next(below: 600), random.next(below: 600))
            if random.next(below: 50) == 0 {
                cache.remove(key)
            } else if cache.value(for: key) == nil {
                cache.put(50 + key % 100, for: key)
            }
        }
        recorder.close()
        #expect(recorder.statistics.lost == 0)
        let file = try #require(try RecordedFiles.paths(folder.path).first)
        let trace = try TraceStore(directory: folder.path + "/store").open(path: file)
        #expect(trace.formatDescription == "recording")
        let configuration = PolicyConfiguration(
            capacity: capacity, objects: trace.columns.objects,
            parameters: ParameterValues(defaults: entry.descriptor.parameters))
        let counts = try #require(try entry.simulate(trace.columns, configuration))
        #expect(counts.hits == cache.statistics.hits && counts.hits > 1000)
        #expect(counts.requests == cache.statistics.hits + cache.statistics.misses)
    }
}
