import Testing

@testable import CacheCore
@testable import PriorityPolicies

@Suite("The order of slots whose priorities mostly rise")
struct LazyPriorityQueueTests {
    /// Against a dictionary that is searched, over runs that pack the queue many times; newcomers in order and out of it.
    @Test(arguments: [1, 2, 5, 22, 40, 300], [false, true])
    func `always has the smallest priority first`(_ slots: Int, _ comesInOrder: Bool) {
        var generator = SeededGenerator(seed: UInt64(slots))
        var order = LazyPriorityQueue(slots: slots)
        var model: [UInt32: Priority] = [:]
        for time in 0..<12_000 {
            let slot = UInt32(generator.next(below: slots))
            let value = generator.next(below: 25) + (comesInOrder ? time / 40 : 0)
            switch (model[slot], generator.next(below: 8)) {
            case (nil, let draw):
                let newcomer = Priority(comesInOrder ? time / 40 : value, at: time)
                model[slot] = newcomer
                if draw == 0 {
                    order.insert(slot, newcomer, tally: UInt32(time))
                } else {
                    order.append(slot, newcomer, tally: UInt32(time))
                }
            case (_, 0):
                order.remove(slot)
                model[slot] = nil
            case (_, 1...3):
                let taken = order.removeMinimum()
                #expect(model[taken] == model.values.min())
                model[taken] = nil
            case (let old?, let draw):
                let changed = Priority(draw == 4 ? value : old.value + value % 3, at: time)
                model[slot] = changed
                order.update(slot, changed, tally: UInt32(time))
            }
            let count = order.count
            #expect(count == model.count)
            if let priority = model[slot] {
                let known = order.priority(of: slot)
                #expect(known == priority)
            }
            guard time % 3 == 0, let smallest = model.values.min() else { continue }
            let (found, slotOfSmallest) = (order.smallestPriority(), order.minimum())
            #expect(found == smallest, "at \(time)")
            #expect(model[slotOfSmallest] == smallest)
        }
    }

    @Test func `keeps numbers of 31 bits, whether fresh or raised`() {
        var order = LazyPriorityQueue(slots: 2)
        order.append(0, Priority(1, at: 1), tally: LazyPriorityQueue.largestTally)
        order.append(1, Priority(1, at: 2), tally: 7)
        order.update(1, Priority(2, at: 3), tally: LazyPriorityQueue.largestTally)
        let tallies = [order.tally(of: 0), order.tally(of: 1)]
        #expect(tallies == [LazyPriorityQueue.largestTally, LazyPriorityQueue.largestTally])
        let (one, two) = (order.hasFresh(1), order.hasFresh(2))
        #expect(one && !two)
    }

    /// Blocks of every length between single steps and removals, by the rule of LFU.
    @Test(arguments: [1, 2, 3, 5, 20, 60, 300], [2, 5])
    func `serves blocks as it raises, removes the minimum and appends`(_ capacity: Int, _ breadth: Int) throws {
        let objects = capacity * breadth + 2
        var cache = try CountedCache(capacity: capacity, objects: objects)
        var model = NaiveCounts()
        var generator = SeededGenerator(seed: 4)
        for id in 0..<ObjectID(capacity) { cache.step(id, &model) }
        for step in 0..<600 {
            if step % 7 == 0, let removed = model.items.randomElement(using: &generator)?.id {
                cache.remove(removed)
                model.items.removeAll { $0.id == removed }
            }
            while model.items.count < capacity || generator.next(below: 3) == 0 {
                cache.step(Self.draw(&generator, objects), &model)
            }
            let ids = (0..<1 + generator.next(below: ObjectBlock.limit)).map { _ in Self.draw(&generator, objects) }
            let misses = cache.exchange(ids)
            for (index, id) in ids.enumerated() {
                let victim = model.request(id, capacity)
                guard misses >> UInt64(ids.count - 1 - index) & 1 == (victim == nil ? 0 : 1) else {
                    Issue.record("step \(step), request \(index): \(id) must evict \(String(describing: victim))")
                    return
                }
            }
        }
        for expected in model.items.sorted(by: { ($0.count, $0.time) < ($1.count, $1.time) }) {
            let victim = cache.evict()
            #expect(victim == expected.id)
        }
    }

    /// Small ids more often, so that some objects hit again and again.
    private static func draw(_ generator: inout SeededGenerator, _ objects: Int) -> ObjectID {
        ObjectID(min(generator.next(below: objects), generator.next(below: objects)))
    }
}

/// LFU out of its parts.
private struct CountedCache: ~Copyable {
    struct Rule: RisingRule {
        static var looksAhead: Bool { false }

        mutating func word(after word: UInt128, missed: UInt64, first: UInt128, at time: UInt32) -> UInt128 {
            Priority(missed == 0 ? Priority(ordinal: word).value + 1 : 1, at: Int(time)).ordinal
        }
    }

    var slots: ResidentSlots<UnitSizes>
    var order: LazyPriorityQueue
    var time = 0

    init(capacity: Int, objects: Int) throws {
        let none = try ParameterValues(parsing: "", for: [], of: "counted")
        slots = ResidentSlots(
            PolicyConfiguration(capacity: .objects(capacity), objects: ObjectSpace(count: objects), parameters: none))
        order = LazyPriorityQueue(slots: capacity)
    }

    mutating func step(_ id: ObjectID, _ model: inout NaiveCounts) {
        time += 1
        let slot = slots.slot(of: id)
        let victim = model.request(id, order.count == slots.ids.count ? slots.count : .max)
        guard slot == ResidentSlots<UnitSizes>.none else {
            order.update(slot, Priority(order.priority(of: slot).value + 1, at: time))
            return
        }
        if let victim, victim != id {
            let evicted = evict()
            #expect(evicted == victim)
        }
        order.append(slots.add(id, weight: 1), Priority(1, at: time))
    }

    mutating func exchange(_ ids: [ObjectID]) -> UInt64 {
        var rule = Rule()
        return ids.withUnsafeBufferPointer {
            let block = ObjectBlock(ids: $0.baseAddress!, count: ids.count, ahead: 0)
            return order.serveBlock(block, slots, &rule, time: &time)
        }
    }

    mutating func remove(_ id: ObjectID) {
        let slot = slots.slot(of: id)
        order.remove(slot)
        slots.release(slot)
    }

    mutating func evict() -> ObjectID {
        let slot = order.removeMinimum()
        let id = slots.id(at: slot)
        slots.release(slot)
        return id
    }
}

/// The same as an array.
private struct NaiveCounts {
    var items: [(id: ObjectID, count: Int, time: Int)] = []
    var time = 0

    /// The object that leaves for a request; nil if it hits, and the newcomer itself if nobody leaves.
    mutating func request(_ id: ObjectID, _ capacity: Int) -> ObjectID? {
        time += 1
        if let index = items.firstIndex(where: { $0.id == id }) {
            items[index].count += 1
            items[index].time = time
            return nil
        }
        var victim = id
        if items.count >= capacity {
            let lowest = items.indices.min { (items[$0].count, items[$0].time) < (items[$1].count, items[$1].time) }!
            victim = items.remove(at: lowest).id
        }
        items.append((id, 1, time))
        return victim
    }
}
