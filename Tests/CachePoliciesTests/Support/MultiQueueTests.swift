import Testing

@testable import CacheCore
@testable import SegmentedPolicies

/// The queues of MQ: against the naive model and against themselves, over runs that fill and pack the logs many times.
/// ``ExchangeTests`` compares blocks with single steps.
@Suite("MultiQueue: sinking, laps and packings")
struct MultiQueueTests {
    /// Lifetimes so short that much sinks at each tick and queues fall behind, and so long that nothing does and the logs are
    /// packed instead.
    static let calls = [
        "mq:lifetime=1", "mq:lifetime=5", "mq:lifetime=30,dialect=libcachesim", "mq:lifetime=1000000",
        "mq:queues=1", "mq:queues=2,lifetime=9", "mq:queues=24,lifetime=3,ghost=0", "mq:lifetime=12,ghost=0.3",
        "mq:lifetime=50,ghost=8", "mq:lifetime=12,ghost=0.3,dialect=caffeine",
    ]

    @Test(arguments: calls)
    func `agrees with the naive model through laps and packings`(_ text: String) throws {
        let call = try PolicyCall(text)
        for (capacity, removing) in [
            (Capacity.objects(24), false), (.objects(24), true), (.objects(3), true), (.bytes(160), true),
        ] {
            let trace = RandomTraces.trace(seed: 5, requests: 12_000, objects: 60)
            let difference = try NaiveModelTests.difference(call, capacity, trace, removing: removing)
            #expect(difference == nil, "\(text) @ \(capacity), removing \(removing)")
        }
    }

    /// Two queues whose positions and clocks run out and do not.
    @Test(arguments: [false, true])
    func `begins its positions anew when they run out, and its clock`(_ inBlocks: Bool) {
        var early = Self.queues(from: 1)
        var late = Self.queues(from: QueueEntry.upper - 1500)
        late.now = .max - 900
        var generator = SeededGenerator(seed: 3)
        for step in 0..<20_000 {
            if generator.next(below: 9) == 0 {
                let id = Self.draw(&generator)
                early.remove(id)
                late.remove(id)
            }
            if inBlocks, early.count == Self.capacity, early.lowCount > 8, generator.next(below: 20) == 0 {
                let ids = (0..<ObjectBlock.limit).map { _ in Self.draw(&generator) }
                let misses = [Self.exchange(ids, &early), Self.exchange(ids, &late)]
                #expect(misses[0] == misses[1], "step \(step)")
            }
            let id = Self.draw(&generator)
            let victims = [Self.serve(id, &early), Self.serve(id, &late)]
            guard victims[0].evicted == victims[1].evicted, victims[0].forgotten == victims[1].forgotten else {
                Issue.record("step \(step): \(id)")
                return
            }
        }
        let next = late.next
        #expect(next < 1 << 20, "the positions have not run out")
    }

    private static let capacity = 120

    private static func queues(from start: UInt32) -> MultiQueue<UnitSizes> {
        let configuration = PolicyConfiguration(
            capacity: .objects(capacity), objects: ObjectSpace(count: 400), parameters: ParameterValues(defaults: []))
        return MultiQueue(configuration, top: 5, lifetime: 60, ghostLimit: 90, start: start)
    }

    private static func serve(_ id: ObjectID, _ queues: inout MultiQueue<UnitSizes>) -> VictimList {
        var victims = VictimList()
        guard !queues.touch(id) else { return victims }
        let count = queues.takeGhost(of: id)
        while queues.count >= capacity { queues.evictOldest(into: &victims) }
        queues.add(id, weight: 1, count: count + 1)
        return victims
    }

    private static func exchange(_ ids: [ObjectID], _ queues: inout MultiQueue<UnitSizes>) -> UInt64 {
        var (position, misses) = (0, UInt64(0))
        while position < ids.count {
            let run = ids.withUnsafeBufferPointer { ids in
                let block = ObjectBlock(ids: ids.baseAddress!, count: ids.count, ahead: 0)
                return queues.serve(block, from: position, dropsFirst: false)
            }
            position += run.requests
            misses = misses << UInt64(run.requests) | run.misses
            guard position < ids.count else { break }
            misses = misses << 1 | (queues.contains(ids[position]) ? 0 : 1)
            _ = serve(ids[position], &queues)
            position += 1
        }
        return misses
    }

    /// Small ids more often, so that some objects hit again and again.
    private static func draw(_ generator: inout SeededGenerator) -> ObjectID {
        ObjectID(min(generator.next(below: 400), generator.next(below: 400), generator.next(below: 400)))
    }
}
