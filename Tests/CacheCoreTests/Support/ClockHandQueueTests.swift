import Testing

@testable import CacheCore

/// The queue against arrays, over runs that fill its log many times.
@Suite("ClockHandQueue: order, marks and hand, through any number of packings")
struct ClockHandQueueTests {
    enum Use: String, CaseIterable { case sieve, clock }

    /// Slots, how many are held at most, and objects: full logs of a word and of many, and large ones mostly empty.
    static let shapes = [
        (1, 1, 3), (2, 2, 5), (5, 5, 9), (60, 60, 200), (300, 300, 700), (3000, 3, 3000), (3000, 40, 90),
    ]

    @Test(arguments: Use.allCases, shapes)
    func `evicts what arrays evict`(_ use: Use, _ shape: (slots: Int, held: Int, objects: Int)) {
        for (removing, slots) in [(false, 5), (true, 5), (false, 2), (true, 2)] {
            var queue = ClockHandQueue(objects: shape.objects, residents: shape.slots, slotsPerResident: slots)
            var model = NaiveHand(use)
            var generator = SeededGenerator(seed: UInt64(shape.objects))
            for step in 0..<12_000 {
                let id = Self.draw(&generator, shape.objects)
                let hit = queue.touch(id)
                #expect(hit == model.touch(id), "step \(step): \(id)")
                if !hit {
                    while queue.count >= shape.held {
                        let (ours, theirs) = (Self.evict(&queue), model.evict())
                        guard ours == theirs else {
                            Issue.record("step \(step): evicts \(ours) instead of \(theirs)")
                            return
                        }
                    }
                    Self.append(id, use, &queue)
                    model.append(id)
                }
                if removing, generator.next(below: 5) == 0 {
                    let id = Self.draw(&generator, shape.objects)
                    queue.remove(id)
                    model.remove(id)
                    let isGone = !queue.contains(id)
                    #expect(isGone)
                }
                let count = queue.count
                #expect(count == model.items.count)
            }
        }
    }

    /// Blocks of every length between single steps and removals, over small caches where most requests ask for what the hand
    /// is about to meet and large ones where few do.
    @Test(arguments: Use.allCases, [1, 2, 5, 60, 300, 2000])
    func `exchanges blocks as it touches, evicts and appends`(_ use: Use, _ capacity: Int) {
        let objects = capacity * 3 + 2
        var queue = ClockHandQueue(objects: objects, residents: capacity)
        var model = NaiveHand(use)
        var generator = SeededGenerator(seed: 4)
        for id in 0..<ObjectID(capacity) {
            queue.append(id)
            model.append(id)
        }
        for step in 0..<600 {
            if step % 7 == 0, let removed = model.items.randomElement(using: &generator) {
                queue.remove(removed)
                model.remove(removed)
                let newcomer = (0..<ObjectID(objects)).first { !model.items.contains($0) && $0 != removed } ?? removed
                Self.append(newcomer, use, &queue)
                model.append(newcomer)
            }
            let count = 1 + generator.next(below: ObjectBlock.limit)
            let ids = (0..<count).map { _ in Self.draw(&generator, objects) }
            let misses = step % 5 == 4 ? Self.steps(ids, use, &queue) : Self.exchange(ids, use, &queue)
            for (index, id) in ids.enumerated() {
                let hit = model.touch(id)
                guard (misses >> UInt64(count - 1 - index) & 1 == 0) == hit else {
                    Issue.record("step \(step), request \(index): \(id) must hit: \(hit)")
                    return
                }
                if !hit {
                    _ = model.evict()
                    model.append(id)
                }
            }
        }
        let count = queue.count
        #expect(count == capacity)
        // The rest leaves in the same order, with the marks that were set.
        for _ in 0..<capacity {
            let victim = Self.evict(&queue)
            #expect(victim == model.evict())
        }
    }

    private static func exchange(_ ids: [ObjectID], _ use: Use, _ queue: inout ClockHandQueue) -> UInt64 {
        ids.withUnsafeBufferPointer { ids in
            let block = ObjectBlock(ids: ids.baseAddress!, count: ids.count, ahead: 0)
            return use == .clock ? queue.serveBlockInPlace(block) : queue.serveBlock(block)
        }
    }

    /// What blocks are an abbreviation of.
    private static func steps(_ ids: [ObjectID], _ use: Use, _ queue: inout ClockHandQueue) -> UInt64 {
        ids.reduce(0) { misses, id in
            if queue.touch(id) { return misses << 1 }
            _ = evict(&queue)
            append(id, use, &queue)
            return misses << 1 | 1
        }
    }

    private static func append(_ id: ObjectID, _ use: Use, _ queue: inout ClockHandQueue) {
        if use == .clock { queue.appendBehindHand(id) } else { queue.append(id) }
    }

    @Test func `the arrays tell the rules apart`() {
        let orders = Use.allCases.map { use in
            var model = NaiveHand(use)
            for id in [0, 1, 2] as [ObjectID] { model.append(id) }
            _ = model.touch(0)
            let first = model.evict()
            model.append(3)
            return [first, model.evict(), model.evict(), model.evict()]
        }
        #expect(orders == [[1, 2, 3, 0], [1, 2, 0, 3]])
    }

    /// Small ids more often, so that some objects hit again and again.
    private static func draw(_ generator: inout SeededGenerator, _ objects: Int) -> ObjectID {
        ObjectID(min(generator.next(below: objects), generator.next(below: objects)))
    }

    private static func evict(_ queue: inout ClockHandQueue) -> ObjectID {
        var victims = VictimList()
        queue.evict(into: &victims)
        return victims.evicted[0]
    }
}

/// The same queue as an array, oldest first, and the index of the hand; CLOCK's hand is always at the oldest.
private struct NaiveHand {
    private let use: ClockHandQueueTests.Use
    private(set) var items: [ObjectID] = []
    private var marked: Set<ObjectID> = []
    private var hand = 0

    init(_ use: ClockHandQueueTests.Use) { self.use = use }

    mutating func append(_ id: ObjectID) { items.append(id) }

    mutating func touch(_ id: ObjectID) -> Bool {
        guard items.contains(id) else { return false }
        marked.insert(id)
        return true
    }

    mutating func evict() -> ObjectID {
        while marked.remove(items[hand]) != nil {
            if use == .clock { items.append(items.removeFirst()) } else { hand = (hand + 1) % items.count }
        }
        return take(at: hand)
    }

    mutating func remove(_ id: ObjectID) {
        marked.remove(id)
        if let index = items.firstIndex(of: id) { _ = take(at: index) }
    }

    private mutating func take(at index: Int) -> ObjectID {
        let id = items.remove(at: index)
        if index < hand { hand -= 1 }
        // Behind the newest the hand starts again from the oldest, whatever enters meanwhile.
        if hand >= items.count { hand = 0 }
        return id
    }
}
