import Testing

@testable import CacheCore

/// The queue against arrays, over runs that fill its log many times.
@Suite("RecencyQueue: order and gaps, through any number of packings")
struct RecencyQueueTests {
    typealias Queue = RecencyQueue<UnitSizes>

    /// Slots, how many are held at most, and objects: full logs of a word and of many, and large ones mostly empty.
    static let shapes = [
        (1, 1, 3), (2, 2, 5), (5, 5, 9), (60, 60, 200), (300, 300, 700), (3000, 3, 3000), (3000, 40, 90),
    ]

    @Test(arguments: shapes)
    func `evicts what arrays evict`(_ shape: (slots: Int, held: Int, objects: Int)) {
        for (removing, slots) in [(false, 5), (true, 5), (false, 2), (true, 2)] {
            var queue = Queue(objects: shape.objects, residents: shape.slots, slotsPerResident: slots)
            var model = NaiveAges()
            var generator = SeededGenerator(seed: UInt64(shape.objects))
            for step in 0..<12_000 {
                let id = Self.draw(&generator, shape.objects)
                let hit = queue.touch(id)
                #expect(hit == model.touch(id), "step \(step): \(id)")
                if !hit {
                    while queue.count >= shape.held {
                        let (ours, theirs) = (Self.evict(&queue), model.items.removeFirst())
                        guard ours == theirs else {
                            Issue.record("step \(step): evicts \(ours) instead of \(theirs)")
                            return
                        }
                    }
                    queue.append(id, weight: 1)
                    model.items.append(id)
                }
                if removing, generator.next(below: 5) == 0 {
                    let id = Self.draw(&generator, shape.objects)
                    queue.remove(id)
                    model.items.removeAll { $0 == id }
                    let isGone = !queue.contains(id)
                    #expect(isGone)
                }
                let count = queue.count
                #expect(count == model.items.count)
            }
        }
    }

    /// Blocks of every length between single steps, hits of the oldest and removals, over small caches where most requests ask for what is about
    /// to leave and large ones where few do.
    @Test(arguments: [1, 2, 5, 60, 300, 2000])
    func `exchanges blocks as it touches, evicts and appends`(_ capacity: Int) {
        let objects = capacity * 3 + 2
        var queue = Queue(objects: objects, residents: capacity)
        var model = NaiveAges()
        var generator = SeededGenerator(seed: 4)
        for id in 0..<ObjectID(capacity) { Self.step(id, &queue, &model) }
        for step in 0..<600 {
            if step % 7 == 0, let removed = model.items.randomElement(using: &generator) {
                queue.remove(removed)
                model.items.removeAll { $0 == removed }
                var id = Self.draw(&generator, objects)
                while model.items.contains(id) { id = (id + 1) % ObjectID(objects) }
                Self.step(id, &queue, &model)
            }
            if step % 5 == 0 {
                // What was known of the oldest for the last block does not hold any more.
                let oldest = model.items[0]
                let hit = queue.touch(oldest) && model.touch(oldest)
                #expect(hit)
            }
            let ids = (0..<1 + generator.next(below: ObjectBlock.limit)).map { _ in Self.draw(&generator, objects) }
            let misses = Self.exchange(ids, &queue)
            for (index, id) in ids.enumerated() {
                let hit = model.touch(id)
                guard (misses >> UInt64(ids.count - 1 - index) & 1 == 0) == hit else {
                    Issue.record("step \(step), request \(index): \(id) must hit: \(hit)")
                    return
                }
                if !hit {
                    model.items.removeFirst()
                    model.items.append(id)
                }
            }
        }
        let count = queue.count
        #expect(count == capacity)
        for expected in model.items {
            let victim = Self.evict(&queue)
            #expect(victim == expected)
        }
    }

    /// Draws are made for hits alone, one after the other, so both generators end alike.
    @Test(arguments: [0, 1 << 50, 1 << 52, 1 << 53], [1, 2, 5, 60, 300, 2000])
    func `exchanges blocks in which chance decides what is renewed`(_ limit: UInt64, _ capacity: Int) {
        let objects = capacity * 3 + 2
        var queue = Queue(objects: objects, residents: capacity)
        var model = NaiveAges()
        var (requests, ours) = (SeededGenerator(seed: 4), SeededGenerator(seed: 8))
        var theirs = ours
        for id in 0..<ObjectID(capacity) { Self.step(id, &queue, &model) }
        for step in 0..<600 {
            let ids = (0..<1 + requests.next(below: ObjectBlock.limit)).map { _ in Self.draw(&requests, objects) }
            let misses = ids.withUnsafeBufferPointer { ids in
                let block = ObjectBlock(ids: ids.baseAddress!, count: ids.count, ahead: 0)
                return queue.serveBlock(block, renewingBelow: limit, of: &ours)
            }
            for (index, id) in ids.enumerated() {
                let hit = model.touch(id) { theirs.next() >> 11 < limit }
                guard (misses >> UInt64(ids.count - 1 - index) & 1 == 0) == hit else {
                    Issue.record("step \(step), request \(index): \(id) must hit: \(hit)")
                    return
                }
                if !hit {
                    model.items.removeFirst()
                    model.items.append(id)
                }
            }
        }
        let (next, expected) = (ours.next(), theirs.next())
        #expect(next == expected)
        for expected in model.items {
            let victim = Self.evict(&queue)
            #expect(victim == expected)
        }
    }

    @Test func `begins its positions anew when they run out`() {
        let capacity = 100
        var queue = Queue(objects: 300, residents: capacity)
        queue.ends = AgeLog.Ends(base: UInt32.max & ~63 - 8192)
        var model = NaiveAges()
        var generator = SeededGenerator(seed: 2)
        for id in 0..<ObjectID(capacity) { Self.step(id, &queue, &model) }
        for _ in 0..<40_000 {
            let id = Self.draw(&generator, 300)
            if model.touch(id) {
                let hit = queue.touch(id)
                #expect(hit)
            } else {
                let victim = Self.evict(&queue)
                #expect(victim == model.items.removeFirst())
                Self.step(id, &queue, &model)
            }
        }
        let next = queue.ends.next
        #expect(next < 1 << 20, "the positions have not run out")
    }

    @Test func `adds up weights`() {
        var queue = RecencyQueue<ByteSizes>(objects: 4, residents: 4)
        for id in 0..<ObjectID(4) { queue.append(id, weight: 10 << Int(id)) }
        let whole = queue.weight
        #expect(whole == 150)
        queue.remove(1)
        var victims = VictimList()
        queue.evict(into: &victims)
        let rest = queue.weight
        #expect(rest == 120)
        #expect(victims.evicted == [0])
    }

    private static func step(_ id: ObjectID, _ queue: inout Queue, _ model: inout NaiveAges) {
        queue.append(id, weight: 1)
        model.items.append(id)
    }

    private static func exchange(_ ids: [ObjectID], _ queue: inout Queue) -> UInt64 {
        ids.withUnsafeBufferPointer { ids in
            queue.serveBlock(ObjectBlock(ids: ids.baseAddress!, count: ids.count, ahead: 0))
        }
    }

    /// Small ids more often, so that some objects hit again and again.
    private static func draw(_ generator: inout SeededGenerator, _ objects: Int) -> ObjectID {
        ObjectID(min(generator.next(below: objects), generator.next(below: objects)))
    }

    private static func evict(_ queue: inout Queue) -> ObjectID {
        var victims = VictimList()
        queue.evict(into: &victims)
        return victims.evicted[0]
    }
}

/// The same queue as an array, oldest first.
private struct NaiveAges {
    var items: [ObjectID] = []

    mutating func touch(_ id: ObjectID, renewingIf renews: () -> Bool = { true }) -> Bool {
        guard let index = items.firstIndex(of: id) else { return false }
        if renews() { items.append(items.remove(at: index)) }
        return true
    }
}
