public import CacheCore

/// Evicts the object with the lowest sum of its cost and the clock at its last request: Greedy-Dual in constant time by
/// wheels of LRU lists, as in a hierarchical timer.
///
/// Li and Cox, "GD-Wheel: a cost-aware replacement policy for key-value stores", EuroSys 2015. Wheel `i` from 0 up has
/// `queues` lists and a hand; an object of cost `c` enters the highest wheel in which `c / queues^i`, cut to a whole
/// number, is above 0, at that distance from the hand (a cost of 0 at the hand of wheel 0). The victim is the oldest of
/// the next list of wheel 0 that is not empty; when the hand of a wheel has gone round, the one above advances by one
/// list and sends its objects, the oldest first, down to the wheel below, by what is left of their costs. The paper writes
/// "round" where the remainders ask for the whole part. Costs are those of the requests (1 where the trace has none),
/// rounded half up and at most `queues^wheels - 1`; sizes do not count.
///
/// A hit is O(1), a miss O(1) amortised, O(wheels × queues) when hands pass empty lists; 4 bytes an object of the trace,
/// 24 a resident object or list (32 in bytes). Any capacity from 1 on works alike, 1 being a cache of the last object;
/// an object larger than the capacity is never admitted; a size holds until its object leaves. With equal costs of at
/// least 1 it is an LRU, and so Caffeine's `greedy-dual.GDWheel` gives the same on traces without costs. On others that
/// one is not reproduced: it takes positions modulo the number of wheels instead of lists and never moves the first hand.
public struct GDWheelPolicy<Sizes: SizeStore & ~Copyable>: ~Copyable, VictimPolicy {
    private static var none: UInt32 { SlotTable<Sizes>.none }

    private struct Wheel: BitwiseCopyable {
        /// The cost of one step of the hand.
        var step = 1
        var hand = 0
        var objects = 0
    }

    /// The lists of wheel 0, of wheel 1, and so on; a slot's state is its wheel.
    private var table: SlotTable<Sizes>
    private let wheels: FixedBuffer<Wheel>
    /// The cost of each slot's last request.
    private let costs: FixedBuffer<Int>
    private let queues: Int
    private let largestCost: Int
    /// The most weight that may be resident.
    public let capacity: Int

    /// The numbers of wheels and of lists in each.
    public static var descriptor: PolicyDescriptor {
        PolicyDescriptor(
            name: "gd-wheel", aliases: ["gdwheel"], family: "size-aware",
            summary: "Evicts by cost and age, in constant time by wheels of LRU lists.",
            citation: "Li and Cox, EuroSys 2015",
            parameters: [
                ParameterSpecification("wheels", .integer(default: 2, 1...4), "The number of wheels."),
                ParameterSpecification("queues", .integer(default: 256, 2...4096), "The number of lists in a wheel."),
            ], memory: MemoryCost(perObject: 4, perResident: 24, fixed: 16_500))
    }

    /// True: it weighs what a miss costs.
    public static var needsCost: Bool { true }

    /// An empty cache.
    public init(_ configuration: PolicyConfiguration) throws(AssayError) {
        let queues = configuration.parameters.integer("queues")
        let count = configuration.parameters.integer("wheels")
        let slots = min(configuration.objects.count, configuration.residentLimit)
        let wheels = FixedBuffer(repeating: Wheel(), count: count)
        var step = 1
        for wheel in 0..<UInt32(count) {
            wheels[wheel].step = step
            step *= queues
        }
        self.wheels = wheels
        self.queues = queues
        largestCost = step - 1
        capacity = configuration.capacity.amount
        costs = FixedBuffer(repeating: 0, count: slots + count * queues)
        table = SlotTable(objects: configuration.objects.count, slots: slots, lists: count * queues)
    }

    public var residentCount: Int { table.count }
    public var residentWeight: Int { table.weight }
    public static func weight(of request: Request) -> Int { Sizes.weight(of: request) }

    /// Puts the object back at its cost's distance from the hand.
    public mutating func touch(_ request: Request) -> Bool {
        let slot = table.slot(of: request.id)
        guard slot != Self.none else { return false }
        let cost = cost(of: request)
        costs[slot] = cost
        move(slot, to: wheel(for: cost), cost)
        return true
    }

    /// Advances the hand to the next list that is not empty and evicts its oldest object.
    public mutating func evictOne<Sink: EvictionSink & ~Copyable>(into sink: inout Sink) {
        var victim = next()
        while victim == Self.none {
            wheels[0].hand = 0
            advance(1)
            victim = next()
        }
        wheels[0].objects -= 1
        table.evict(victim, into: &sink)
    }

    /// Puts the object at its cost's distance from the hand.
    public mutating func admit<Sink: EvictionSink & ~Copyable>(_ request: Request, weight: Int, into sink: inout Sink) {
        let cost = cost(of: request)
        let wheel = wheel(for: cost)
        let slot = table.add(request.id, weight: weight, state: wheel, toHeadOf: list(in: wheel, cost))
        costs[slot] = cost
        wheels[wheel].objects += 1
    }

    /// Takes the object out of its wheel.
    public mutating func remove(_ id: ObjectID) {
        let slot = table.slot(of: id)
        guard slot != Self.none else { return }
        wheels[table.state(at: slot)].objects -= 1
        table.release(slot)
    }

    public func contains(_ id: ObjectID) -> Bool { table.contains(id) }
    public func prefetch(_ id: ObjectID) { table.prefetch(id) }
    public func prefetchEntry(_ id: ObjectID) { table.prefetchEntry(id) }
    public func prefetchNeighbours(_ id: ObjectID) { table.prefetchNeighbours(id) }

    private func cost(of request: Request) -> Int { Int(min(request.cost + 0.5, Double(largestCost))) }

    /// The highest wheel that the cost reaches.
    private func wheel(for cost: Int) -> UInt32 {
        var wheel: UInt32 = 0
        while wheel + 1 < UInt32(wheels.count), cost >= wheels[wheel + 1].step { wheel += 1 }
        return wheel
    }

    /// The list at a cost's distance from a wheel's hand.
    private func list(in wheel: UInt32, _ cost: Int) -> UInt32 {
        let place = wheels[wheel].hand + (wheel == 0 ? cost : cost / wheels[wheel].step)
        return wheel * UInt32(queues) + UInt32(place < queues ? place : place - queues)
    }

    private func move(_ slot: UInt32, to wheel: UInt32, _ cost: Int) {
        wheels[table.state(at: slot)].objects -= 1
        wheels[wheel].objects += 1
        table.move(slot, toHeadOf: list(in: wheel, cost))
        table.setState(wheel, at: slot)
    }

    /// The oldest object of the first list from the hand of wheel 0 to the end of its round; moves the hand there.
    private func next() -> UInt32 {
        guard wheels[0].objects > 0 else { return Self.none }
        for place in wheels[0].hand..<queues {
            let oldest = table.tail(of: UInt32(place))
            if oldest != Self.none {
                wheels[0].hand = place
                return oldest
            }
        }
        return Self.none
    }

    /// Moves the hand of a wheel on because the one below has gone round, and sends the objects there down.
    private func advance(_ wheel: UInt32) {
        guard wheel < UInt32(wheels.count) else { return }
        // An empty wheel over empty ones goes round at once.
        let isIdle = (0...wheel).allSatisfy { wheels[$0].objects == 0 }
        let hand = isIdle || wheels[wheel].hand + 1 == queues ? 0 : wheels[wheel].hand + 1
        wheels[wheel].hand = hand
        if hand == 0 { advance(wheel + 1) }
        let list = wheel * UInt32(queues) + UInt32(hand)
        while case let oldest = table.tail(of: list), oldest != Self.none {
            move(oldest, to: wheel - 1, costs[oldest] % wheels[wheel].step)
        }
    }
}
