import Testing

@testable import CacheCore
@testable import InterReferencePolicies

/// The clock from different first places, through packings, laps and the end of the places.
@Suite("The clock of CLOCK-Pro")
struct ClockProTableTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var parameters = ""
        var isPlus = false
        var followsCaffeine = false
        var capacity = 20
        var testDescription: String { "\(parameters) \(isPlus) \(followsCaffeine) \(capacity)" }
    }

    static let cases = [
        Case(), Case(isPlus: true), Case(followsCaffeine: true), Case(isPlus: true, followsCaffeine: true),
        Case(parameters: "ghost=4"), Case(parameters: "ghost=0"), Case(parameters: "cold-min=0.5,cold-max=0.5"),
        Case(parameters: "ghost=2", capacity: 300), Case(isPlus: true, capacity: 300), Case(capacity: 2),
    ]

    /// A billion places are not gone through by a test; a clock that begins near their end makes them small at once.
    @Test(arguments: cases)
    func `serves the same wherever places begin`(_ test: Case) throws {
        let objects = 5 * test.capacity + 5
        var clocks = Clocks(
            try Self.clock(test, objects, from: 1), try Self.clock(test, objects, from: 1 << 30 - 8000), objects,
            seed: UInt64(test.capacity))
        let lastPlace = clocks.compare(rounds: 400)
        #expect(lastPlace < 1 << 29, "the places never came to their end")
    }

    private static func clock(
        _ test: Case, _ objects: Int, from start: UInt32
    ) throws -> ClockProTable<UnitSizes> {
        let parameters = try ParameterValues(
            parsing: test.parameters, for: ClockProTable<UnitSizes>.parameters(coldMax: 0.9, ghost: 1), of: "clock-pro")
        let configuration = PolicyConfiguration(
            capacity: .objects(test.capacity), objects: ObjectSpace(count: objects, smallestSize: 1),
            parameters: parameters)
        return try ClockProTable(
            configuration, adaptation: test.isPlus ? .utility : .testPeriods, followsCaffeine: test.followsCaffeine,
            start: start)
    }
}

/// Two clocks that must do the same; the second is given blocks where it takes them.
private struct Clocks: ~Copyable {
    private var steps: ClockProTable<UnitSizes>
    private var blocks: ClockProTable<UnitSizes>
    private let objects: Int
    private var generator: SeededGenerator
    private var drawn = 0

    init(
        _ steps: consuming ClockProTable<UnitSizes>, _ blocks: consuming ClockProTable<UnitSizes>, _ objects: Int,
        seed: UInt64
    ) {
        self.steps = steps
        self.blocks = blocks
        self.objects = objects
        generator = SeededGenerator(seed: seed)
    }

    /// Returns the last place of the second.
    mutating func compare(rounds: Int) -> UInt32 {
        for round in 0..<rounds {
            if round % 7 == 0 {
                let id = draw()
                steps.remove(id)
                blocks.remove(id)
            }
            for _ in 0..<generator.next(below: 90) {
                guard step(draw()) else { return .max }
            }
            guard blocks.canServeBlock else { continue }
            let ids = (0..<1 + generator.next(below: ObjectBlock.limit)).map { _ in draw() }
            let ours = ids.withUnsafeBufferPointer { ids in
                blocks.serveBlock(ObjectBlock(ids: ids.baseAddress!, count: ids.count, ahead: 0))
            }
            var theirs: UInt64 = 0
            for id in ids {
                var victims = VictimList()
                theirs = theirs << 1 | (Self.serve(id, &steps, &victims) ? 0 : 1)
            }
            guard ours == theirs else {
                Issue.record("round \(round): misses \(String(ours, radix: 2)), not \(String(theirs, radix: 2))")
                return .max
            }
        }
        for id in 0..<ObjectID(objects) where !step(id) { return .max }
        return blocks.log.next
    }

    private mutating func step(_ id: ObjectID) -> Bool {
        var (ours, theirs) = (VictimList(), VictimList())
        let hits = [Self.serve(id, &blocks, &ours), Self.serve(id, &steps, &theirs)]
        guard hits[0] == hits[1], ours.evicted == theirs.evicted, ours.forgotten == theirs.forgotten,
            blocks.residentCount == steps.residentCount
        else {
            Issue.record("evicts \(ours.evicted), not \(theirs.evicted)")
            return false
        }
        return true
    }

    private static func serve(
        _ id: ObjectID, _ clock: inout ClockProTable<UnitSizes>, _ victims: inout VictimList
    ) -> Bool {
        if clock.reference(id) { return true }
        _ = clock.insert(id, weight: 1, into: &victims)
        return false
    }

    private mutating func draw() -> ObjectID {
        drawn += 1
        let id = min(generator.next(below: objects), generator.next(below: objects), generator.next(below: objects))
        return ObjectID((id + drawn / (16 * objects)) % objects)
    }
}
