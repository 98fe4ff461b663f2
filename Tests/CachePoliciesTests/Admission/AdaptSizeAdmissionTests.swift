import CacheCore
import CachePolicies
import Testing

@Suite("Admission tuned by size")
struct AdaptSizeAdmissionTests {
    private static let capacity = Capacity.bytes(200_000)

    /// Small objects that come back, and large ones that flush the cache for a hit now and then.
    private static let twoClasses: RequestColumns = {
        var generator = SeededGenerator(seed: 11)
        var ids: [UInt32] = []
        for _ in 0..<60_000 {
            if generator.next(below: 4) == 0 {
                ids.append(1000 + UInt32(generator.next(below: 500)))
            } else {
                ids.append(UInt32(generator.next(below: 1 + generator.next(below: 1000))))
            }
        }
        return TestTrace(ids: ids, sizes: ids.map { $0 < 1000 ? 150 + $0 % 100 : 40_000 + $0 }).columns
    }()

    private func hits(_ filter: String) throws -> Int {
        try PolicyCall("lru" + filter).simulate(Self.twoClasses, Self.capacity).hits
    }

    @Test func `finds a scale that is better than none and than bad ones`() throws {
        let tuned = try hits("+adaptsize:interval=5000")
        // To let in everything, hardly anything, and only what is small enough to be useless.
        #expect(try tuned > hits("") * 11 / 10)
        for exponent in ["1e-9", "0.00001", "0.05", "1"] {
            #expect(try tuned > hits("+size-probability:exponent=\(exponent)"), "\(exponent)")
        }
        // Within a sixth of the best of the scales that do not change: it starts without one, and its model sees no
        // difference between scales at which all small objects end up resident, however long that takes.
        let best = try ["0.0001", "0.0003", "0.001", "0.003"].map { try hits("+size-probability:exponent=\($0)") }.max()
        #expect(try Double(tuned) > 5.0 / 6 * Double(#require(best)), "\(tuned) hits, \(best ?? 0) at best")
    }

    @Test func `lets everything in until it has seen an interval`() throws {
        #expect(try hits("+adaptsize:interval=60001") == hits(""))
        #expect(try hits("+adaptsize:interval=59000") != hits(""))
    }

    @Test func `a cache that holds everything lets everything in`() throws {
        let gate = try openGate("adaptsize:interval=100", .bytes(1_000_000))
        for index in 0..<1000 { gate.record(Request(id: ObjectID(index % 100), size: 10, index: index)) }
        #expect((0..<1000).allSatisfy { _ in gate.admits(Request(id: 5, size: 10), over: nil) })
    }

    @Test func `in objects it is a coin for all, whatever their sizes`() throws {
        let gate = try openGate("adaptsize:interval=1000", .objects(10), seed: 3)
        var generator = SeededGenerator(seed: 4)
        for index in 0..<5000 {
            gate.record(Request(id: ObjectID(generator.next(below: 100)), size: 1 << (index % 20), index: index))
        }
        func share(_ size: Int) -> Double {
            Double((0..<20_000).count { _ in gate.admits(Request(id: 0, size: size), over: nil) }) / 20_000
        }
        #expect(isPlausible(share(1), for: share(1 << 30), trials: 10_000))
    }
}
