import CacheCore
import Testing

@testable import RecencyPolicies

@Suite("Policies that count over whole traces")
struct WholeTraceReplayTests {
    private static let calls = ["belady", "belady:bypass=true", "fifo"]

    /// All traces of up to eight requests, where each block is cut short and most of what happens is rare elsewhere.
    @Test(arguments: calls)
    func `counts what request by request does, over all small traces`(_ text: String) throws {
        let call = try PolicyCall(text)
        for length in 1...8 {
            for ids in RandomTraces.all(length: length, objects: 5) {
                let trace = TestTrace(ids: ids, sizes: ids.map { 1 &<< $0 })
                for capacity in 1...5 { try compare(call, trace, capacity) }
            }
        }
    }

    /// Lengths around whole words of positions, and more requests than the monitor lets pass between two looks.
    @Test(
        arguments: calls,
        [(63, 20), (64, 20), (65, 20), (128, 50), (129, 7), (4095, 300), (4097, 30), (9000, 2000), (140_000, 9000)])
    func `counts what request by request does, over long traces`(_ text: String, _ shape: (Int, Int)) throws {
        let call = try PolicyCall(text)
        let (requests, objects) = shape
        for seed in 0..<(requests < 10_000 ? UInt64(4) : 1) {
            for changing in [false, true] {
                let trace = RandomTraces.trace(seed: seed, requests: requests, objects: objects, changing: changing)
                for capacity in [1, 2, 3, 5, objects / 10 + 1, objects / 2, objects - 1, objects, objects * 2] {
                    try compare(call, trace, capacity)
                }
            }
        }
    }

    /// Each object twice, far apart: next uses in all levels of the set, where each miss has a farther one than the last.
    @Test(arguments: calls)
    func `counts what request by request does, where next uses lie far apart`(_ text: String) throws {
        let ids = (0..<150_000).map(UInt32.init)
        for turned in [ids, ids.reversed(), ids.map { $0 ^ 0x55 }] {
            let trace = TestTrace(ids: ids + turned)
            for capacity in [1, 2, 100, 70_000] { try compare(PolicyCall(text), trace, capacity) }
        }
    }

    /// Four billion entries in small: the numbers begin anew a hundred times.
    @Test(arguments: [1, 7, 100, 900])
    func `FIFO counts on where its numbers of entries begin anew`(_ capacity: Int) throws {
        let trace = RandomTraces.trace(seed: 5, requests: 400_000, objects: 1000, changing: true)
        let call = try PolicyCall("fifo")
        let counts = FIFOReplay.replay(
            trace.columns, call.configuration(.objects(capacity), trace.columns.objects), monitor: ReplayMonitor(),
            parts: ReplayParts(), lastNumber: 8192)
        #expect(try counts == call.simulate(trace.columns, .objects(capacity)))
    }

    @Test func `counts nothing of an empty trace`() throws {
        let counts = try PolicyCall("belady").simulate(TestTrace(ids: []).columns, .objects(3))
        #expect(counts == ReplayCounts())
    }

    @Test func `tells how far it is and stops when asked`() throws {
        let columns = TestTrace(ids: (0..<200_000).map { $0 % 999 }).columns
        let call = try PolicyCall("belady")
        let configuration = call.configuration(.objects(10), columns.objects)
        let monitor = ReplayMonitor()
        #expect(try call.entry.simulate(columns, configuration, monitor: monitor) != nil)
        #expect(monitor.requests == 200_000)
        monitor.stop()
        #expect(try call.entry.simulate(columns, configuration, monitor: monitor) == nil)
        #expect(monitor.requests == 200_000)
    }

    /// Behind a filter the policy itself is asked, which the filter looks at.
    @Test func `leaves it to the policy to be filtered`() throws {
        let columns = RandomTraces.trace(seed: 3, requests: 2000, objects: 60).columns
        let all = try PolicyCall("belady").simulate(columns, .objects(9))
        let few = try PolicyCall("belady+second-hit").simulate(columns, .objects(9))
        #expect(few.refusals > 0)
        #expect(few.bytesWritten < all.bytesWritten)
    }

    private func compare(_ call: PolicyCall, _ trace: TestTrace, _ capacity: Int) throws {
        let columns = trace.columns
        let policy = try call.open(.objects(capacity), columns.objects)
        var (counts, victims) = (ReplayCounts(), VictimList())
        for request in trace.requests {
            counts.requests += 1
            counts.bytesRequested += request.size
            if policy.touch(request) {
                counts.hits += 1
                counts.bytesHit += request.size
            } else if policy.insert(request, evicting: &victims) {
                counts.bytesWritten += request.size
            }
        }
        counts.evictions = victims.evicted.count
        counts.residentObjects = policy.residentCount
        counts.residentWeight = policy.residentWeight
        #expect(try call.simulate(columns, .objects(capacity)) == counts, "\(capacity) objects")
    }
}
