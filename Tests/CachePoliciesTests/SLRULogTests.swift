import Testing

@testable import CacheCore
@testable import SegmentedPolicies

/// Segmented LRU in its log: blocks and single steps against the lists and the naive model, over runs that pack the log and
/// use up its positions many times.
@Suite("SLRU in its log")
struct SLRULogTests {
    struct Shape: CustomTestStringConvertible {
        var parameters: String
        var capacity: Int
        var testDescription: String { "\(parameters) @ \(capacity)" }
    }

    /// Capacities that the segments divide and such that leave over as much as can be; runs of one request and of many.
    static let shapes: [Shape] = [
        ("segments=1", [2, 5, 130]), ("", [20, 23, 333]), ("shares=1:1", [8, 81, 301]),
        ("segments=3,shares=3:2:1", [36, 41, 203]), ("segments=4", [32, 35, 130, 515]),
        ("segments=7", [98, 104, 307]), ("segments=16", [512, 527]),
    ].flatMap { parameters, capacities in
        ["", "dialect=libcachesim"].flatMap { dialect in
            capacities.map {
                Shape(parameters: [parameters, dialect].filter { !$0.isEmpty }.joined(separator: ","), capacity: $0)
            }
        }
    }

    /// From empty or full caches on, of which much is removed now and then. After each step all that hits and leaves must be
    /// the same, in order, and at times all that is resident.
    @Test(arguments: shapes, [false, true])
    func `serves blocks as it touches and inserts`(_ shape: Shape, _ removing: Bool) throws {
        let last = UInt32(1) << 28
        for (seed, start) in [(1, UInt32(1)), (2, last - UInt32(20 * shape.capacity) - 2000)] {
            var twins = try SLRUTwins(shape, seed: UInt64(seed), start: start)
            try twins.compare(rounds: 400, removing: removing)
            let (blocks, position) = (twins.blocks, twins.position)
            #expect(blocks > 40, "only \(blocks) blocks")
            if seed == 2 { #expect(position < start, "the positions have not run out") }
        }
    }

    /// What an exchange pushes out is reported later, or never: evictions must be those of the lists.
    @Test(arguments: shapes)
    func `counts evictions in replays`(_ shape: Shape) throws {
        // More than the fewest for which replays use the log.
        let segments = shape.parameters.contains("segments=16") ? 16 : 5
        let capacity = shape.capacity + 2 * 8 * segments * segments * 2
        for seed in 1...2 {
            var generator = SeededGenerator(seed: UInt64(seed))
            let ids = (0..<capacity * 40 + seed).map { _ in draw(&generator, 3 * capacity) }
            let columns = TestTrace(ids: ids).columns
            var configuration = try shape.configuration(objects: columns.objects.count)
            configuration.capacity = .objects(capacity)
            let policy = try SLRUPolicy<UnitSizes>(configuration)
            let slots = policy.logged.store.slots
            #expect(slots > capacity, "the log is not used")
            configuration.plannedResidents = capacity
            let lists = try SLRUPolicy<UnitSizes>(configuration)
            let ours = replay(policy, columns, monitor: ReplayMonitor())
            let theirs = replay(lists, columns, monitor: ReplayMonitor())
            #expect(ours == theirs)
        }
    }

    /// Requests that go round what is about to leave end every run at once.
    @Test(arguments: ["segments=4", "segments=4,dialect=libcachesim"], [400, 403])
    func `serves loops`(_ parameters: String, _ capacity: Int) throws {
        var twins = try SLRUTwins(Shape(parameters: parameters, capacity: capacity), seed: 1, start: 1)
        for length in [capacity, capacity + 1, capacity - 90, capacity / 4] {
            try twins.exchange((0..<30_000).map { ObjectID($0 % length) })
        }
    }
}

extension SLRULogTests.Shape {
    func configuration(objects: Int) throws -> PolicyConfiguration {
        let descriptor = SLRUPolicy<UnitSizes>.descriptor
        let values = try ParameterValues(parsing: parameters, for: descriptor.parameters, of: descriptor.name)
        return PolicyConfiguration(
            capacity: .objects(capacity), objects: ObjectSpace(count: objects, smallestSize: 1), parameters: values)
    }
}

/// Small ids more often, so that some objects hit again and again.
private func draw(_ generator: inout SeededGenerator, _ objects: Int) -> ObjectID {
    ObjectID(min(generator.next(below: objects), generator.next(below: objects), generator.next(below: objects)))
}

/// The policy over its log, over lists as in a live cache, and the naive model.
private struct SLRUTwins: ~Copyable {
    private var logged: SLRUPolicy<UnitSizes>
    private var listed: SLRUPolicy<UnitSizes>
    private let model: NaiveSLRU
    private let objects: Int
    private var generator: SeededGenerator
    /// Whether single steps fill the cache first.
    private let isFilled: Bool
    private(set) var blocks = 0

    init(_ shape: SLRULogTests.Shape, seed: UInt64, start: UInt32) throws {
        let objects = shape.capacity * 5 / 2 + 3
        var configuration = try shape.configuration(objects: objects)
        let first = try SLRUPolicy<UnitSizes>(configuration, runsOfAtLeast: 1, start: start)
        let model = NaiveSLRU(capacity: shape.capacity, parameters: configuration.parameters)
        configuration.plannedResidents = shape.capacity
        let second = try SLRUPolicy<UnitSizes>(configuration)
        self.init(first, second, model, objects, seed)
    }

    private init(
        _ first: consuming SLRUPolicy<UnitSizes>, _ second: consuming SLRUPolicy<UnitSizes>, _ model: NaiveSLRU,
        _ objects: Int, _ seed: UInt64
    ) {
        logged = first
        listed = second
        self.model = model
        self.objects = objects
        isFilled = seed == 1
        generator = SeededGenerator(seed: seed)
    }

    /// The next position of the log.
    var position: UInt32 { logged.logged.store.next }

    mutating func compare(rounds: Int, removing: Bool) throws {
        for round in 0..<rounds {
            let steps = round < 10 && isFilled ? objects : generator.next(below: 4)
            for _ in 0..<steps { try step(draw(&generator, objects)) }
            if removing, round % 3 == 0 { remove(round % 60 == 0 ? objects / 2 : 1 + generator.next(below: 3)) }
            let length = 1 + generator.next(below: 4 * ObjectBlock.limit)
            let ids = (0..<length).map { _ in draw(&generator, objects) }
            try exchange(ids)
            if round % 16 == 0 { try compareResidents() }
        }
    }

    /// Requests in blocks of any length, where blocks are served; the twins step by step.
    mutating func exchange(_ ids: [ObjectID]) throws {
        var rest = ids[...]
        while !rest.isEmpty {
            let block = Array(rest.prefix(1 + generator.next(below: ObjectBlock.limit)))
            rest = rest.dropFirst(block.count)
            let canServeBlock = logged.canServeBlock
            guard canServeBlock else {
                for id in block { try step(id) }
                continue
            }
            blocks += 1
            let misses = block.withUnsafeBufferPointer {
                logged.serveBlock(ObjectBlock(ids: $0.baseAddress!, count: $0.count, ahead: 0))
            }
            for (index, id) in block.enumerated() {
                let hit = misses >> UInt64(block.count - 1 - index) & 1 == 0
                let expected = model.access(NaiveRequest(id: id, weight: 1, next: 0)).hit
                var victims = VictimList()
                let listedHit = Self.serve(id, &listed, &victims)
                try #require(hit == expected && hit == listedHit, "block \(blocks), request \(index): \(id)")
            }
            let (count, expected) = (logged.residentCount, listed.residentCount)
            try #require(count == expected, "block \(blocks)")
        }
    }

    private mutating func step(_ id: ObjectID) throws {
        if generator.next(below: 16) == 0 {
            let request = Request(id: id, size: 1, index: 0)
            let (ours, theirs) = (logged.nextVictim(for: request), listed.nextVictim(for: request))
            try #require(ours == theirs, "next victim")
        }
        var (ours, theirs) = (VictimList(), VictimList())
        let hit = Self.serve(id, &logged, &ours)
        let listedHit = Self.serve(id, &listed, &theirs)
        let expected = model.access(NaiveRequest(id: id, weight: 1, next: 0))
        try #require(NaiveStep(hit: hit, evicted: ours.evicted) == expected, "\(id)")
        try #require(hit == listedHit && ours.evicted == theirs.evicted && ours.forgotten == theirs.forgotten, "\(id)")
    }

    /// What leaves later must be the same, so this may be what has left already and was not reported.
    private mutating func remove(_ count: Int) {
        for _ in 0..<count {
            let ghosts = model.ghosts
            let isLate = !ghosts.isEmpty && generator.next(below: 2) == 0
            let id = isLate ? ghosts[generator.next(below: ghosts.count)] : draw(&generator, objects)
            logged.remove(id)
            listed.remove(id)
            model.remove(id)
        }
    }

    private func compareResidents() throws {
        let expected = Set(model.residents)
        for id in 0..<ObjectID(objects) {
            let isThere = logged.contains(id)
            try #require(isThere == expected.contains(id), "\(id)")
        }
    }

    private static func serve(
        _ id: ObjectID, _ policy: inout SLRUPolicy<UnitSizes>, _ victims: inout VictimList
    ) -> Bool {
        let request = Request(id: id, size: 1, index: 0)
        if policy.touch(request) { return true }
        _ = policy.insert(request, evicting: &victims)
        return false
    }
}
