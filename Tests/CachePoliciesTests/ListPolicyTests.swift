import CacheCore
import Testing

@Suite("FIFO, LIFO, LRU, MRU, LFU and no bound")
struct ListPolicyTests {
    @Test func `FIFO ignores hits`() throws {
        #expect(try outcomes("fifo", capacity: 3, "abcade") == "a b c a! d>a e>b")
    }

    /// c goes, then d; on a loop of one more than fits, two of three stay.
    @Test func `LIFO evicts what entered last`() throws {
        #expect(try outcomes("lifo", capacity: 3, "abcade") == "a b c a! d>c e>d")
        #expect(try outcomes("lifo", capacity: 3, "abcdabcd") == "a b c d>c a! b! c>d d>c")
    }

    @Test func `LRU with promotion by chance lies between FIFO and LRU`() throws {
        let letters = "abcadeabfacbdaceabdcafbe"
        #expect(try outcomes("lru-prob:probability=1", capacity: 3, letters) == outcomes("lru", capacity: 3, letters))
        #expect(try outcomes("lru-prob:probability=0", capacity: 3, letters) == outcomes("fifo", capacity: 3, letters))
        #expect(try outcomes("lru-prob", capacity: 3, letters) != outcomes("lru", capacity: 3, letters))
        #expect(throws: AssayError.self) { try PolicyCall("lru-prob:probability=1.1") }
    }

    /// Neither the number nor the size of what it holds matters.
    @Test func `infinite ignores the capacity`() throws {
        #expect(try outcomes("infinite", capacity: 1, "abcab") == "a b c a! b!")
        #expect(try outcomes("infinite", capacity: 2, "abcab", sizes: [3, 1, 2]) == "a b c a! b!")
        let opened = try PolicyCall("infinite").open(.bytes(2), ObjectSpace(count: 2))
        var victims = VictimList()
        #expect(opened.insert(Request(id: 0, size: 3), evicting: &victims))
        #expect(opened.insert(Request(id: 1, size: 4), evicting: &victims))
        opened.remove(0)
        #expect(opened.residentWeight == 4)
        #expect(opened.residentCount == 1)
    }

    @Test func `LRU keeps what was asked for last`() throws {
        #expect(try outcomes("lru", capacity: 3, "abcade") == "a b c a! d>b e>c")
    }

    @Test func `MRU evicts what was asked for last`() throws {
        #expect(try outcomes("mru", capacity: 3, "abcade") == "a b c a! d>a e>d")
    }

    /// b and c are equal, b was asked for longer ago; then c and d are, and a count that left is forgotten.
    @Test func `LFU evicts the least frequent`() throws {
        #expect(try outcomes("lfu", capacity: 3, "abcaadebf") == "a b c a! a! d>b e>c b>d f>e")
    }

    @Test func `Random depends on its seed alone`() throws {
        let letters = "abcdefabcdefghijabc"
        #expect(try outcomes("random", capacity: 4, letters) == outcomes("random", capacity: 4, letters))
    }
}
