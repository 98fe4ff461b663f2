import CacheConformance
import CacheCore
import CachePolicies
import Testing

@Suite("Parts of a replay: what is noted where they end is what was counted up to there")
struct ReplayPartsTests {
    /// Around blocks of 64 and of 4096 requests, and more than one in a block.
    private static let ends = [1, 2, 63, 64, 65, 700, 4095, 4096, 4097, 4200, 8192, 8900]
    private static let requests = 9000

    /// Counts of the first requests by the simplest loop, at each end.
    private static func reference(
        _ call: PolicyCall, _ trace: TestTrace, _ capacity: Capacity
    ) throws -> [Int: ReplayCounts] {
        let policy = try call.open(capacity, trace.columns.objects)
        var (counts, victims, noted) = (ReplayCounts(), VictimList(), [Int: ReplayCounts]())
        func note(_ position: Int) {
            var now = counts
            now.evictions = victims.evicted.count
            policy.report(into: &now)
            noted[position] = now
        }
        for request in trace.requests {
            if ends.contains(request.index) { note(request.index) }
            counts.requests += 1
            counts.bytesRequested += request.size
            if policy.touch(request) {
                counts.hits += 1
                counts.bytesHit += request.size
            } else if policy.insert(request, evicting: &victims) {
                counts.bytesWritten += request.size
            }
        }
        note(requests)
        return noted
    }

    @Test(arguments: BuiltinPolicies.all.filter { !$0.isBound }.map(\.descriptor.name) + ["belady:bypass=true"])
    func `every policy's counts after a warm-up are the difference of two full counts`(_ text: String) throws {
        let call = try PolicyCall(text)
        let trace = RandomTraces.trace(seed: 11, requests: Self.requests, objects: 700, smallestSize: 1)
        let (columns, uniform) = (trace.columns, TestTrace(ids: trace.requests.map(\.id)))
        let cases: [(TestTrace, RequestColumns, Capacity)] = [
            (trace, columns, .objects(60)), (trace, columns, .bytes(900)), (uniform, uniform.columns, .objects(350)),
        ]
        for (trace, columns, capacity) in cases where call.entry.isApplicable(to: capacity.unit) {
            let expected = try Self.reference(call, trace, capacity)
            let parts = ReplayParts(ends: Self.ends.reversed())
            let configuration = call.configuration(capacity, columns.objects)
            let whole = try #require(try call.entry.simulate(columns, configuration, parts: parts))
            for position in Self.ends {
                let (found, wanted) = (parts.counts(before: position, whole), try #require(expected[position]))
                #expect(Self.figures(found) == Self.figures(wanted), "\(capacity): before \(position)")
                let warm = ReplayParts(warmUpRequests: position)
                let total = try #require(try call.entry.simulate(columns, configuration, parts: warm))
                #expect(total == whole)
                let last = try #require(expected[Self.requests])
                #expect(
                    Self.figures(warm.counted(total)) == zip(Self.figures(last), Self.figures(wanted)).map { $0 - $1 },
                    "\(capacity): after \(position)")
                #expect(warm.counted(total).residentObjects == whole.residentObjects)
            }
        }
    }

    private static func figures(_ counts: ReplayCounts) -> [Int] {
        [
            counts.requests, counts.hits, counts.bytesRequested, counts.bytesHit, counts.bytesWritten,
            counts.evictions,
        ]
    }

    @Test(arguments: ["lru+tinylfu", "arc+second-hit:window=100", "s3fifo+probability:p=0.3", "lru", "sieve"])
    func `behind an admission policy and with expiry, a warm-up is the difference of two full counts`(
        _ text: String
    ) throws {
        let call = try PolicyCall(text, honoursExpiry: true)
        let columns = RandomTraces.trace(seed: 4, requests: 3000, objects: 200, smallestSize: 1, expiring: true).columns
        for capacity in [Capacity.objects(30), .bytes(200)] {
            let configuration = call.configuration(capacity, columns.objects)
            let replay = try SteppedReplay(call.entry, columns, configuration)
            #expect(try replay.run(0..<700, ReplayMonitor()))
            let before = replay.counts
            #expect(try replay.run(700..<3000, ReplayMonitor()))
            let after = replay.counts
            let parts = ReplayParts(warmUpRequests: 700, ends: [1500])
            #expect(try call.entry.simulate(columns, configuration, parts: parts) == after)
            let counted = parts.counted(after)
            #expect(parts.counts(before: 700, after) == before)
            #expect(before.expirations > 0 && counted.expirations == after.expirations - before.expirations)
            #expect(counted.refusals == after.refusals - before.refusals)
            #expect(Self.figures(counted) == zip(Self.figures(after), Self.figures(before)).map { $0 - $1 })
        }
    }

    @Test func `a bound of a whole trace refuses parts with a word`() throws {
        let columns = TestTrace(ids: [0, 1, 0, 1]).columns
        for bound in BuiltinPolicies.all.filter(\.isBound) {
            let call = try PolicyCall(bound.descriptor.name)
            let error = #expect(throws: AssayError.self) {
                _ = try bound.simulate(
                    columns, call.configuration(.objects(1), columns.objects), parts: ReplayParts(warmUpRequests: 1))
            }
            #expect(error?.code == .usage && error?.message.contains("no warm-up") == true)
        }
    }

    @Test func `parts that end nowhere, beyond the trace or where it ends change nothing`() throws {
        let columns = TestTrace(ids: [0, 1, 0, 1, 2]).columns
        let call = try PolicyCall("lru")
        let parts = ReplayParts(ends: [-3, 0, 5, 99])
        let configuration = call.configuration(.objects(3), columns.objects)
        let whole = try #require(try call.entry.simulate(columns, configuration, parts: parts))
        #expect(whole == (try call.simulate(columns, .objects(3))))
        #expect(parts.counts(before: 0, whole) == ReplayCounts())
        #expect(parts.counts(before: 5, whole) == whole && parts.counts(before: 99, whole) == whole)
        #expect(parts.counted(whole) == whole)
    }
}
