import CacheCore
import Testing

@Suite("LIRS2")
struct LIRS2PolicyTests {
    /// LIRS makes c LIR at its second request, and e then evicts a. Here c has one reuse distance only and stays HIR.
    @Test func `does not judge an object by one reuse distance`() throws {
        #expect(try outcomes("lirs2", capacity: 3, "abcdceab") == "a b c d>c c>d e>c a! b!")
        #expect(try outcomes("lirs", capacity: 3, "abcdceab") == "a b c d>c c>d e>a a>e b!")
    }

    /// At its third request c has two reuse distances, which reach no lower than the boundary at a: a becomes HIR.
    @Test func `makes an object LIR at its third request`() throws {
        #expect(try outcomes("lirs2", capacity: 3, "abcdcdceab") == "a b c d>c c>d d>c c>d e>a a>e b!")
    }

    /// With room for 2 × 3 entries, those of c go below the boundary when d comes: its third request finds one there.
    @Test func `drops the lowest HIR entries from a stack that is full`() throws {
        let letters = "abcdececfab"
        #expect(try outcomes("lirs2:stack=2", capacity: 3, letters) == "a b c d>c e>d c>e e>c c>e f>c a! b!")
        #expect(try outcomes("lirs2", capacity: 3, letters) == "a b c d>c e>d c>e e>c c>e f>a a>f b!")
    }

    @Test(arguments: ["lirs2:hir=1", "lirs2:hir-minimum=3"])
    func `is an LRU without LIR objects`(_ policy: String) throws {
        let letters = "abacbdcaabcdbebdca"
        #expect(try outcomes(policy, capacity: 3, letters) == outcomes("lru", capacity: 3, letters))
    }

    @Test(arguments: ["hir=-1", "hir-minimum=0", "stack=1", "stack=2.5"])
    func `refuses`(_ parameters: String) { #expect(throws: AssayError.self) { try PolicyCall("lirs2:\(parameters)") } }
}
