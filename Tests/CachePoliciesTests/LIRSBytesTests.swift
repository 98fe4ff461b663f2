import CacheCore
import Testing

/// LIRS in bytes against hits of libCacheSim 0.3.5, which `scripts/peers/lirs_bytes.py` computed over the same traces.
@Suite("LIRS in bytes")
struct LIRSBytesTests {
    /// Seed, capacity in bytes and hits. In seven of them libCacheSim reads a size from freed memory.
    static let cells: [(seed: UInt64, capacity: Int, hits: Int)] = [
        (1, 30053, 10662), (2, 582, 7923), (3, 30063, 1704), (4, 1092, 3214), (5, 5073, 3114), (6, 1002, 6944),
        (
            7,
            10031, 7977
        ), (8, 30012, 810), (9, 10041, 1530), (10, 30022, 1526), (11, 1051, 1332), (12, 580, 4377),
        (
            13,
            1061, 3183
        ), (14, 10090, 7763), (15, 5071, 7588), (16, 10000, 813), (17, 581, 971), (18, 30010, 5065),
        (
            19,
            539, 4081
        ), (20, 5020, 10473), (21, 1049, 9000), (22, 5030, 1399), (23, 1059, 3149), (24, 10088, 3335),
    ]

    @Test(arguments: cells.map(\.seed))
    func `gives the hits of libCacheSim, which reads a size from freed memory`(_ seed: UInt64) throws {
        let cell = try #require(Self.cells.first { $0.seed == seed })
        let drawn = Self.draw(seed)
        #expect(drawn.capacity == cell.capacity)
        let counts = try PolicyCall("lirs:dialect=libcachesim").simulate(drawn.trace.columns, .bytes(drawn.capacity))
        #expect(counts.hits == cell.hits)
    }

    /// The trace that the script draws: sizes up to the share of the HIR objects and two bytes more.
    private static func draw(_ seed: UInt64) -> (capacity: Int, trace: TestTrace) {
        var state = seed
        func below(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % bound
        }
        let share = [5, 10, 50, 100, 300][below(5)]
        let capacity = 100 * share + below(100)
        let objects = [300, 1000, 5000][below(3)]
        let least = below(2) == 1 ? max(1, share * 7 / 10) : 1
        var sizes: [Int: Int] = [:]
        let ids = (0..<12_000).map { _ in
            let id = below(1 + below(objects))
            sizes[id] = sizes[id] ?? least + below(share + 3 - least)
            return id
        }
        return (capacity, TestTrace(ids: ids.map { UInt32($0) }, sizes: ids.map { UInt32(sizes[$0] ?? 0) }))
    }
}
