import CacheCore
import Testing

@Suite("LIRS")
struct LIRSPolicyTests {
    /// Llirs = 2 and Lhirs = 1 as in the paper's example: a and b are LIR, what passes through replaces one object.
    @Test func `keeps the LIR objects while new ones replace each other`() throws {
        #expect(try outcomes("lirs", capacity: 3, "abcdecab") == "a b c d>c e>d c>e a! b!")
    }

    /// c's second request finds its ghost in the stack: it becomes LIR, and a, at the bottom, goes to the queue.
    @Test func `makes a ghost of the stack LIR and demotes the object at the bottom`() throws {
        #expect(try outcomes("lirs", capacity: 3, "abcdcabe") == "a b c d>c c>d a! b! e>a")
    }

    /// c is hit while it is in the stack, and so becomes LIR in the place of a, which d then evicts.
    @Test func `makes a resident HIR object of the stack LIR`() throws {
        #expect(try outcomes("lirs", capacity: 3, "abcbcdbc") == "a b c b! c! d>a b! c!")
    }

    /// The repeat of c is not a second request: c stays HIR.
    @Test func `passes over a request for the object of the request before`() throws {
        #expect(try outcomes("lirs", capacity: 3, "abccdab") == "a b c c! d>c a! b!")
    }

    /// Without ghosts nothing that left can become LIR.
    @Test func `remembers as many ghosts as it is told`() throws {
        #expect(try outcomes("lirs:non-resident=0", capacity: 3, "abcdcdcd") == "a b c d>c c>d d>c c>d d>c")
    }

    @Test(arguments: ["lirs:hir=1", "lirs:hir-minimum=9"])
    func `is an LRU without LIR objects`(_ policy: String) throws {
        let letters = "abacbdcaabcdbebdca"
        #expect(try outcomes(policy, capacity: 3, letters) == outcomes("lru", capacity: 3, letters))
    }

    /// The hit of a, in the queue alone, moves b there, which takes its place: a is served but not counted, and so the
    /// newcomer e evicts nothing.
    @Test func `loses count of an object in libCacheSim's dialect`() throws {
        #expect(try outcomes("lirs:dialect=libcachesim", capacity: 3, "abcdcaea") == "a b c d>c c>d a! e a!")
    }

    /// A newcomer of 4 bytes is larger than the HIR share of 1: the LIR objects at the bottom make room.
    @Test func `lets a large object push LIR objects out`() throws {
        let policy = try PolicyCall("lirs").open(.bytes(10), ObjectSpace(count: 4))
        var victims = VictimList()
        for (id, size) in [(0, 3), (1, 3), (2, 3)] {
            _ = policy.insert(Request(id: ObjectID(id), size: size), evicting: &victims)
        }
        #expect(policy.insert(Request(id: 3, size: 4), evicting: &victims))
        #expect(victims.evicted == [0])
    }

    @Test func `refuses parameters that libCacheSim does not have`() throws {
        let call = try PolicyCall("lirs:hir=0.5,dialect=libcachesim")
        #expect(throws: AssayError.self) { try call.open(.objects(2), ObjectSpace(count: 2)) }
    }

    @Test(arguments: ["hir=1.5", "hir-minimum=0", "non-resident=-1", "dialect=arc"])
    func `refuses`(_ parameters: String) { #expect(throws: AssayError.self) { try PolicyCall("lirs:\(parameters)") } }
}
