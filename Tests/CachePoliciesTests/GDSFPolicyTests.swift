import CacheCore
import Testing

@Suite("GDSF")
struct GDSFPolicyTests {
    /// d comes with priority 1 as b and c have; b is the oldest of them, leaves, and sets the clock to 1, so that e comes
    /// with 2 and c leaves. The second d then has 1 + 2.
    @Test func `ages by a clock`() throws {
        #expect(try outcomes("gdsf", capacity: 3, "aabcded") == "a a! b c d>b e>c d!")
    }

    /// 8 bytes are worth 1/8, least of all; 2 bytes are worth 1/2 and drive out 4 that were asked for once, worth 1/4.
    /// With the clock at 1/4 those come back with 1/2 and drive out the older 1/2.
    @Test func `refuses a newcomer that is worth least`() throws {
        let steps = try Self.serve("gdsf", capacity: 8, [(0, 4), (1, 4), (2, 8), (0, 4), (3, 2), (1, 4)])
        #expect(steps == ["in", "in", "refused", "hit", "in, out 1", "in, out 0"])
    }

    /// The same requests where the newcomer enters first: c drives out a and b and then has to go itself.
    @Test func `lets the newcomer in first in libCacheSim's dialect`() throws {
        let steps = try Self.serve("gdsf:dialect=libcachesim", capacity: 8, [(0, 4), (1, 4), (2, 8), (0, 4)])
        #expect(steps == ["in", "in", "out 2", "hit"])
    }

    /// Of equal priorities the smaller key leaves: c is the newcomer and the largest, a is the smallest.
    @Test func `breaks ties by key in Caffeine's dialect`() throws {
        #expect(try outcomes("gdsf:dialect=caffeine", capacity: 2, "bca") == "b c a")
        #expect(try outcomes("gdsf:dialect=caffeine", capacity: 2, "abc") == "a b c>a")
        #expect(try outcomes("gdsf", capacity: 2, "bca") == "b c a>b")
    }

    /// What was expensive stays, though it was asked for first.
    @Test func `weighs costs`() throws {
        let policy = try PolicyCall("gdsf").open(.objects(2), ObjectSpace(count: 3))
        var victims = VictimList()
        for (id, cost) in [(0, 9.0), (1, 2), (2, 3)] {
            let request = Request(id: ObjectID(id), cost: cost)
            if !policy.touch(request) { _ = policy.insert(request, evicting: &victims) }
        }
        #expect(victims.evicted == [1])
        #expect(!policy.insert(Request(id: 1, cost: 0.5), evicting: &victims), "clock 2 and cost 0.5 are less than 3")
    }

    private static func serve(_ policy: String, capacity: Int, _ requests: [(Int, Int)]) throws -> [String] {
        let opened = try PolicyCall(policy).open(.bytes(capacity), ObjectSpace(count: 9, smallestSize: 1))
        return requests.map { id, size in
            let request = Request(id: ObjectID(id), size: size)
            if opened.touch(request) { return "hit" }
            var victims = VictimList()
            let entered = opened.insert(request, evicting: &victims)
            let left = victims.evicted.map { "out \($0)" }
            return ((entered ? ["in"] : left.isEmpty ? ["refused"] : []) + left).joined(separator: ", ")
        }
    }
}
