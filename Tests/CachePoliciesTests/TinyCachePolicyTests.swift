import CacheCore
import CachePolicies
import Testing

@testable import SketchPolicies

@Suite("TinyCache")
struct TinyCachePolicyTests {
    @Test func `the capacity is divided as evenly as it can be`() {
        let sets = TinySets<UInt64>(sets: 3, capacity: 130)
        #expect((0..<3).map { sets.room(in: $0) } == [44, 43, 43])
    }

    @Test func `entries are in the order of their chains, and the newest first in each`() {
        let sets = TinySets<UInt16>(sets: 2, capacity: 10)
        for (chain, content) in [(3, 7), (1, 8), (3, 9), (0, 1), (1, 2)] as [(UInt64, UInt64)] {
            sets.insert(TinySets.entry(chain, content), in: 1)
        }
        func list(_ count: Int) -> [Int] { (0..<count).map { Int(sets.entry(at: $0, in: 1)) } }
        #expect(list(5) == [0x001, 0x102, 0x108, 0x309, 0x307])
        #expect(sets.isFull(1) && !sets.isFull(0))
        sets.remove(at: 2, in: 1)
        #expect(list(4) == [0x001, 0x102, 0x309, 0x307])
        sets.remove(TinySets.entry(3, 7), in: 1)
        sets.insert(TinySets.entry(2, 2), in: 1)
        #expect(list(4) == [0x001, 0x102, 0x202, 0x309])
        #expect(sets.count(of: 0x202, in: 1) == 1 && sets.count(of: 0x307, in: 1) == 0)
    }

    /// A filter keeps what is asked for often while a scan passes; without one it is drawn sooner or later.
    @Test func `the filter refuses what a scan asks for`() throws {
        let often = (0..<20).flatMap { _ in (0..<32 as Range<UInt32>).map(\.self) }
        let scan = (100..<400 as Range<UInt32>).map(\.self)
        let trace = TestTrace(ids: often + scan + (0..<32 as Range<UInt32>).map(\.self))
        func hits(_ text: String) throws -> Int {
            try PolicyCall(text).simulate(trace.columns, .objects(64)).hits - 19 * 32
        }
        #expect(try hits("tiny-cache:filter=counts") > 28)
        #expect(try hits("tiny-cache") < 8)
    }

    /// With the window a newcomer that the filter refuses is resident all the same.
    @Test func `the window takes what the filter refuses`() throws {
        let ids: [ObjectID] = (0..<120).map { $0 / 2 } + [90, 90]
        func last(_ text: String) throws -> Int {
            let trace = TestTrace(ids: ids)
            let before = try PolicyCall(text).simulate(TestTrace(ids: ids.dropLast() + [91]).columns, .objects(40)).hits
            return try PolicyCall(text).simulate(trace.columns, .objects(40)).hits - before
        }
        #expect(try last("tiny-cache:filter=counts") == 0)
        #expect(try last("tiny-cache:filter=counts,window=8") == 1)
    }
}
