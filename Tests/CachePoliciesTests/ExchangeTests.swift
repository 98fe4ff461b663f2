import Testing

@testable import AdaptivePolicies
@testable import CacheCore
@testable import InterReferencePolicies
@testable import PriorityPolicies
@testable import RandomPolicies
@testable import RecencyPolicies
@testable import SegmentedPolicies
@testable import SketchPolicies

/// What serves blocks of requests against the same policy, or the form of it that its paper has, request by request.
@Suite("Blocks of requests")
struct ExchangeTests {
    /// Capacities from 1 on, each with a few objects more than it holds and with many.
    static let shapes: [(capacity: Int, objects: Int)] = [1, 2, 3, 4, 7, 20, 70, 200, 600].flatMap { capacity in
        [2, 9].map { (capacity, $0 * (capacity + 1)) }
    }

    @Test(arguments: shapes)
    func lru(_ shape: (capacity: Int, objects: Int)) throws {
        var twins = try Twins<LRUReplay, LRUPolicy<UnitSizes>>("", shape.capacity, shape.objects)
        twins.compare()
    }

    @Test(
        arguments: [
            "", "small=0.3,ghost=0.5,threshold=1", "dialect=libcachesim", "small=0.5,ghost=2,dialect=libcachesim-v0",
        ], shapes)
    func s3fifo(_ parameters: String, _ shape: (capacity: Int, objects: Int)) throws {
        var twins = try Twins<S3FIFOReplay, S3FIFOPolicy<UnitSizes>>(parameters, shape.capacity, shape.objects)
        twins.compare()
    }

    @Test(arguments: shapes)
    func clock(_ shape: (capacity: Int, objects: Int)) throws {
        var twins = try Twins<ClockReplay, ClockPolicy<UnitSizes>>("", shape.capacity, shape.objects)
        twins.compare()
    }

    @Test(arguments: shapes)
    func sieve(_ shape: (capacity: Int, objects: Int)) throws {
        var twins = try Twins<SIEVEReplay, SIEVEPolicy<UnitSizes>>("", shape.capacity, shape.objects)
        twins.compare()
    }

    @Test(
        arguments: [
            "", "dialect=libcachesim", "history=0", "history=0.2", "history=2.5", "k=3", "k=3,history=0.3",
            "k=4,history=0",
        ], shapes)
    func lruK(_ parameters: String, _ shape: (capacity: Int, objects: Int)) throws {
        var twins = try Alone<LRUKPolicy<UnitSizes>>(parameters, shape.capacity, shape.objects)
        let blocks = twins.compare()
        #expect(blocks > 50, "only \(blocks) blocks")
    }

    @Test(
        arguments: [
            "", "dialect=libcachesim", "in=0.9,out=0.2", "in=0.95,dialect=libcachesim", "in=0,out=1", "in=0,out=3",
        ], shapes)
    func twoQ(_ parameters: String, _ shape: (capacity: Int, objects: Int)) throws {
        var twins = try Alone<TwoQPolicy<UnitSizes>>(parameters, shape.capacity, shape.objects)
        let blocks = twins.compare()
        // Below, there are no ghosts or nothing is ever admitted.
        guard shape.capacity >= 20 else { return }
        #expect(blocks > 50, "only \(blocks) blocks")
    }

    @Test(arguments: ["ties=lru", "ties=fifo"], shapes)
    func lfu(_ parameters: String, _ shape: (capacity: Int, objects: Int)) throws {
        var twins = try Alone<LFUPolicy<UnitSizes>>(parameters, shape.capacity, shape.objects)
        twins.compare()
    }

    @Test(arguments: ["", "dialect=libcachesim"], shapes)
    func lfuda(_ parameters: String, _ shape: (capacity: Int, objects: Int)) throws {
        var twins = try Alone<LFUDAPolicy<UnitSizes>>(parameters, shape.capacity, shape.objects)
        twins.compare()
    }

    @Test(arguments: shapes)
    func gdsf(_ shape: (capacity: Int, objects: Int)) throws {
        var twins = try Alone<GDSFPolicy<UnitSizes>>("dialect=libcachesim", shape.capacity, shape.objects)
        twins.compare()
    }

    @Test(arguments: ["", "dialect=caffeine", "dialect=libcachesim"], shapes)
    func arc(_ parameters: String, _ shape: (capacity: Int, objects: Int)) throws {
        var twins = try Alone<ARCPolicy<UnitSizes>>(parameters, shape.capacity, shape.objects)
        twins.compare()
    }

    @Test(
        arguments: [
            "associativity=8", "associativity=3,admissions=3,interval=16,ages=16",
            "associativity=2,interval=40,ages=64,explorers=0.5", "associativity=1,admissions=0,ages=100,explorers=0",
            "associativity=5,admissions=20,interval=100,ages=32",
        ], shapes)
    func lhd(_ parameters: String, _ shape: (capacity: Int, objects: Int)) throws {
        var twins = try Alone<LHDPolicy<UnitSizes>>(parameters, shape.capacity, shape.objects)
        twins.compare()
    }

    @Test(arguments: ["", "samples=1", "samples=2", "samples=7"], shapes)
    func hyperbolic(_ parameters: String, _ shape: (capacity: Int, objects: Int)) throws {
        var twins = try Alone<HyperbolicPolicy<UnitSizes>>(parameters, shape.capacity, shape.objects)
        twins.compare()
    }

    @Test(arguments: ["", "dialect=libcachesim"], shapes)
    func size(_ parameters: String, _ shape: (capacity: Int, objects: Int)) throws {
        var twins = try Alone<SizePolicy<UnitSizes>>(parameters, shape.capacity, shape.objects)
        twins.compare()
        twins.compare()
    }

    @Test(
        arguments: [
            "", "ghost=0", "ghost=0.2", "ghost=3", "cold-min=0.3,cold-max=0.6,ghost=0.5", "cold-min=0.5,cold-max=0.5",
            "cold-min=0.9,cold-max=1",
        ], shapes)
    func clockPro(_ parameters: String, _ shape: (capacity: Int, objects: Int)) throws {
        var twins = try Alone<ClockProPolicy<UnitSizes>>(parameters, shape.capacity, shape.objects)
        let blocks = twins.compare()
        #expect(blocks > 50, "only \(blocks) blocks")
    }

    @Test(arguments: ["", "cold-min=0.2,cold-max=1,ghost=2", "cold-min=0.4,cold-max=0.4,ghost=0.3"], shapes)
    func clockProPlus(_ parameters: String, _ shape: (capacity: Int, objects: Int)) throws {
        var twins = try Alone<ClockProPlusPolicy<UnitSizes>>(parameters, shape.capacity, shape.objects)
        let blocks = twins.compare()
        #expect(blocks > 50, "only \(blocks) blocks")
    }

    @Test(
        arguments: ["", "window=0.3", "window=1", "protected=0", "protected=1,window=0.1", "sample=1,window=0.5"],
        shapes)
    func wTinyLFU(_ parameters: String, _ shape: (capacity: Int, objects: Int)) throws {
        var twins = try Alone<WTinyLFUPolicy<UnitSizes>>(parameters, shape.capacity, shape.objects)
        let blocks = twins.compare()
        #expect(blocks > 50, "only \(blocks) blocks")
    }
}

private typealias Alone<Policy: EvictionPolicy & ~Copyable> = Twins<Policy, Policy>

/// Two instances of a policy: one is given blocks whenever it takes them, between single steps and removals.
private struct Twins<Blocks: EvictionPolicy & ~Copyable, Policy: EvictionPolicy & ~Copyable>: ~Copyable {
    private var blocks: Blocks
    private var steps: Policy
    private let objects: Int
    private var time = 0
    private var generator: SeededGenerator

    init(_ text: String, _ capacity: Int, _ objects: Int) throws {
        let parameters = try ParameterValues(
            parsing: text, for: Policy.descriptor.parameters, of: Policy.descriptor.name)
        let space = ObjectSpace(count: objects, smallestSize: 1)
        var configuration = PolicyConfiguration(capacity: .objects(capacity), objects: space, parameters: parameters)
        configuration.statesCosts = false
        let first = try Blocks(configuration)
        let second = try Policy(configuration)
        self.init(first, second, SeededGenerator(seed: UInt64(capacity)), objects)
    }

    private init(_ blocks: consuming Blocks, _ steps: consuming Policy, _ generator: SeededGenerator, _ objects: Int) {
        self.blocks = blocks
        self.steps = steps
        self.generator = generator
        self.objects = objects
    }

    /// Compares the two, and returns how many blocks were served.
    @discardableResult
    mutating func compare() -> Int {
        var served = 0
        for round in 0..<500 {
            if round % 11 == 0 { remove() }
            for _ in 0..<generator.next(below: round % 5 == 0 ? 2 * objects : 4) {
                guard step(draw()) else { return served }
            }
            let ids = (0..<1 + generator.next(below: ObjectBlock.limit)).map { _ in draw() }
            guard blocks.canServeBlock else { continue }
            served += 1
            let ours = ids.withUnsafeBufferPointer { ids in
                blocks.serveBlock(ObjectBlock(ids: ids.baseAddress!, count: ids.count, ahead: 0))
            }
            var theirs: UInt64 = 0
            for id in ids {
                var victims = VictimList()
                theirs = theirs << 1 | (Self.serve(id, time, &steps, &victims) ? 0 : 1)
                time += 1
            }
            guard ours == theirs else {
                Issue.record("round \(round): misses \(String(ours, radix: 2)), not \(String(theirs, radix: 2))")
                return served
            }
        }
        for id in 0..<ObjectID(objects) where !step(id) { return served }
        return served
    }

    /// A request of both, and whether it did the same to them.
    private mutating func step(_ id: ObjectID) -> Bool {
        var (ours, theirs) = (VictimList(), VictimList())
        let hits = [Self.serve(id, time, &blocks, &ours), Self.serve(id, time, &steps, &theirs)]
        time += 1
        guard hits[0] == hits[1], ours.evicted == theirs.evicted, ours.forgotten == theirs.forgotten else {
            Issue.record("request \(time): evicts \(ours.evicted), not \(theirs.evicted)")
            return false
        }
        return true
    }

    private mutating func remove() {
        let id = draw()
        blocks.remove(id)
        steps.remove(id)
    }

    private static func serve<Either: EvictionPolicy & ~Copyable>(
        _ id: ObjectID, _ time: Int, _ policy: inout Either, _ victims: inout VictimList
    ) -> Bool {
        let request = Request(id: id, index: time)
        if policy.touch(request) { return true }
        _ = policy.insert(request, evicting: &victims)
        return false
    }

    /// Small ids more often, so that some objects hit again and again; which these are changes with time.
    private mutating func draw() -> ObjectID {
        let id = min(generator.next(below: objects), generator.next(below: objects), generator.next(below: objects))
        return ObjectID((id + time / (16 * objects)) % objects)
    }
}
