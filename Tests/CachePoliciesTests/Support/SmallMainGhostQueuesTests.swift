import Testing

@testable import CacheCore
@testable import SegmentedPolicies

/// The queues of S3-FIFO and Clock2Q+: blocks against single steps, single steps against naive models, over runs that fill the
/// log and the ring many times.
@Suite("SmallMainGhostQueues: blocks, laps and packings")
struct SmallMainGhostQueuesTests {
    static let calls = [
        "s3fifo", "s3fifo:small=0.3,ghost=0.5,threshold=1", "s3fifo:dialect=libcachesim", "s3fifo:ghost=0,threshold=3",
        "s3fifo:small=0.5,ghost=2,dialect=libcachesim-v0", "clock2q-plus", "clock2q-plus:dialect=libcachesim",
        "clock2q-plus:small=0.4,window=1,threshold=2", "clock2q-plus:small=0.3,window=0,dialect=libcachesim",
    ]

    /// Blocks of every length between single steps, and removals, over caches of which most lies before the ends of the queues
    /// and large ones of which little does. After each step all that is resident and all that leaves must be the same.
    @Test(arguments: calls, [3, 20, 41, 300, 1500])
    func `exchanges blocks as it touches and inserts`(_ text: String, _ capacity: Int) throws {
        let call = try PolicyCall(text)
        let configuration = call.configuration(.objects(capacity), ObjectSpace(count: capacity * 3 + 2))
        for removing in [false, true] {
            switch call.entry.descriptor.name {
            case "s3fifo": try Self.compare(S3FIFOReplay.self, configuration, removing)
            default: try Self.compare(Clock2QPlusPolicy<UnitSizes>.self, configuration, removing)
            }
        }
    }

    @Test(arguments: calls)
    func `agrees with naive models through laps and packings`(_ text: String) throws {
        let call = try PolicyCall(text)
        for (capacity, removing) in [(Capacity.objects(24), false), (.objects(24), true), (.bytes(160), true)] {
            let trace = RandomTraces.trace(seed: 5, requests: 6000, objects: 60)
            let difference = try NaiveModelTests.difference(call, capacity, trace, removing: removing)
            #expect(difference == nil, "\(text) @ \(capacity), removing \(removing)")
        }
    }

    @Test func `refuses more objects and ghosts than positions tell apart`() throws {
        let call = try PolicyCall("clock2q-plus")
        let most = FilterLog.mostEntries
        let configuration = call.configuration(.objects(most), ObjectSpace(count: 1 << 30))
        let error = #expect(throws: AssayError.self) { _ = try call.entry.open(configuration) }
        #expect(error?.code == .usage)
        #expect(error?.message.contains("\(most)") == true)
        #expect(
            !S3FIFOReplay.serves(try PolicyCall("s3fifo").configuration(.objects(most), ObjectSpace(count: 1 << 30))))
    }

    @Test(arguments: [false, true])
    func `begins its positions anew when they run out`(_ hasWindow: Bool) throws {
        let configuration = PolicyConfiguration(
            capacity: .objects(40), objects: ObjectSpace(count: 120), parameters: ParameterValues(defaults: []))
        func queue(from start: UInt32) throws -> SmallMainGhostQueues<UnitSizes> {
            try SmallMainGhostQueues(
                configuration, ghostLimit: 36, threshold: 2, largestCount: 3, window: hasWindow ? 7 : 0, start: start)
        }
        var early = try queue(from: FilterLog.step)
        var late = try queue(from: .max / FilterLog.step * FilterLog.step - 700 * FilterLog.step)
        var generator = SeededGenerator(seed: 3)
        for step in 0..<20_000 {
            let id = Self.draw(&generator, 120)
            if generator.next(below: 9) == 0 {
                early.remove(id)
                late.remove(id)
            }
            if generator.next(below: 3) == 0 {
                let ids = (0..<1 + generator.next(below: ObjectBlock.limit)).map { _ in Self.draw(&generator, 120) }
                let misses = [Self.exchange(ids, &early), Self.exchange(ids, &late)]
                #expect(misses[0] == misses[1], "step \(step): \(ids)")
            }
            let (ours, theirs) = (Self.serve(id, &early), Self.serve(id, &late))
            guard ours.evicted == theirs.evicted, ours.forgotten == theirs.forgotten else {
                Issue.record("step \(step): \(id)")
                return
            }
        }
        let next = late.log.next
        #expect(next < 1 << 20, "the positions have not run out")
    }

    private static func compare<Policy: EvictionPolicy & ~Copyable>(
        _: Policy.Type, _ configuration: PolicyConfiguration, _ removing: Bool
    ) throws {
        var alone = try Policy(configuration)
        var together = try Policy(configuration)
        let objects = configuration.objects.count
        var generator = SeededGenerator(seed: UInt64(objects))
        var blocks = 0
        for step in 0..<900 {
            if removing, generator.next(below: 5) == 0 {
                let id = draw(&generator, objects)
                alone.remove(id)
                together.remove(id)
            }
            let ids = (0..<1 + generator.next(below: ObjectBlock.limit)).map { _ in draw(&generator, objects) }
            let inBlock = generator.next(below: 3) > 0 && together.canServeBlock
            blocks += inBlock ? 1 : 0
            let misses = inBlock ? exchange(ids, &together) : 0
            for (index, id) in ids.enumerated() {
                let expected = serve(id, &alone)
                if inBlock {
                    let missed = misses >> UInt64(ids.count - 1 - index) & 1 == 1
                    #expect(missed == expected.missed, "step \(step), request \(index): \(id)")
                } else {
                    let served = serve(id, &together)
                    #expect(served == expected, "step \(step), request \(index): \(id)")
                }
            }
            let (count, expected) = (together.residentCount, alone.residentCount)
            try #require(count == expected, "step \(step)")
            for id in 0..<ObjectID(objects) where step % 8 == 0 {
                let (isThere, isExpected) = (together.contains(id), alone.contains(id))
                try #require(isThere == isExpected, "step \(step): \(id)")
            }
        }
        let refusesAll = configuration.capacity.amount < 20
        #expect(blocks > 100 || refusesAll, "only \(blocks) blocks")
    }

    private struct Outcome: Equatable {
        var missed = false
        var evicted: [ObjectID] = []
        var forgotten: [ObjectID] = []
    }

    private static func serve<Policy: EvictionPolicy & ~Copyable>(_ id: ObjectID, _ policy: inout Policy) -> Outcome {
        let request = Request(id: id, size: 1, index: 0)
        var victims = VictimList()
        let missed = !policy.touch(request)
        if missed { _ = policy.insert(request, evicting: &victims) }
        return Outcome(missed: missed, evicted: victims.evicted, forgotten: victims.forgotten)
    }

    /// A rule that moves objects along every way that there is.
    private static func serve(_ id: ObjectID, _ queue: inout SmallMainGhostQueues<UnitSizes>) -> VictimList {
        var victims = VictimList()
        guard !queue.touch(id) else { return victims }
        let isRemembered = queue.takeGhost(of: id)
        while queue.count >= 40 {
            guard queue.smallWeight > 10 else {
                queue.evictFromMain(into: &victims)
                continue
            }
            let oldest = queue.oldest()
            if queue.isOldestPromotable { queue.promote(oldest) } else { queue.evict(oldest, into: &victims) }
        }
        if isRemembered { queue.addToMain(id, weight: 1) } else { queue.addToSmall(id, weight: 1) }
        return victims
    }

    /// The same rule for a block of requests.
    private static func exchange(_ ids: [ObjectID], _ queue: inout SmallMainGhostQueues<UnitSizes>) -> UInt64 {
        ids.withUnsafeBufferPointer { ids in
            let block = ObjectBlock(ids: ids.baseAddress!, count: ids.count, ahead: 0)
            var served = BlockRun()
            while true {
                let lacking = queue.mainWeight < 30 ? max(0, 40 - queue.count) : nil
                served.append(queue.serve(block, from: served.requests, lacking: lacking))
                queue.settle()
                guard served.requests < block.count else { return served.misses }
                _ = serve(block[served.requests], &queue)
                served.append(BlockRun(requests: 1, misses: 1))
            }
        }
    }

    private static func exchange<Policy: EvictionPolicy & ~Copyable>(
        _ ids: [ObjectID], _ policy: inout Policy
    ) -> UInt64 {
        ids.withUnsafeBufferPointer { ids in
            policy.serveBlock(ObjectBlock(ids: ids.baseAddress!, count: ids.count, ahead: 0))
        }
    }

    /// Small ids more often, so that some objects hit again and again.
    private static func draw(_ generator: inout SeededGenerator, _ objects: Int) -> ObjectID {
        ObjectID(min(generator.next(below: objects), generator.next(below: objects), generator.next(below: objects)))
    }
}
