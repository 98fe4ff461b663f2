import CacheCore
import Testing

@testable import SketchPolicies

@Suite("W-TinyLFU")
struct WTinyLFUPolicyTests {
    /// At capacity 4 the window holds 1. d and b were asked for once, so that d loses; e was asked for three times and
    /// wins.
    @Test(arguments: ["w-tinylfu:window=0.25", "w-tinylfu:window=0.25,dialect=caffeine"])
    func `admits what is more frequent than the victim`(_ call: String) throws {
        #expect(try outcomes(call, capacity: 4, "abcdaaeeef") == "a b c d a! a! e>d e! e! f>b")
    }

    @Test func `is an LRU of 1 at capacity 1`() throws {
        #expect(try outcomes("w-tinylfu", capacity: 1, "aabba") == "a a! b>a b! a>b")
    }

    /// The main cache is an LRU of 3: the hits make b its least recent, so that f, asked for twice, takes b's place.
    @Test func `protects nothing when told so`() throws {
        #expect(
            try outcomes("w-tinylfu:protected=0,window=0.25", capacity: 4, "abcdbaceffg")
                == "a b c d b! a! c! e>d f>e f! g>f")
    }
}

@Suite("Caffeine's sketch")
struct CountMin4Tests {
    /// `Long.hashCode` folds the halves of a key: these two keys are one to it.
    @Test func `hashes keys as Java does`() {
        #expect(CaffeineHash.spread(0x1_0000_0000) == CaffeineHash.spread(1))
        #expect(CaffeineHash.spread(0) == 0)
        #expect(CaffeineHash.spread(UInt64.max) == 0)
    }

    /// A table of 16 words halves after 16 additions that changed a counter; those beyond fifteen change none.
    @Test func `counts changes only`() {
        var sketch = CountMin4(objects: 16, sample: 1)
        for _ in 0..<100 { sketch.add(3) }
        let full = sketch.estimate(3)
        #expect(full == 15)
        sketch.add(4)
        let halved = sketch.estimate(3)
        #expect(halved == 7)
    }

    @Test func `counts nothing before it grows, and forgets when it does`() {
        var sketch = CountMin4(objects: 0, sample: 10)
        sketch.add(3)
        sketch.grow(to: 4)
        let none = sketch.estimate(3)
        #expect(none == 0)
        sketch.add(3)
        sketch.grow(to: 3)
        let one = sketch.estimate(3)
        #expect(one == 1)
        sketch.grow(to: 5)
        let forgotten = sketch.estimate(3)
        #expect(forgotten == 0)
    }
}

@Suite("Caffeine's Bloom filter")
struct CaffeineBloomFilterTests {
    @Test func `finds all that was put in and little else`() {
        let filter = CaffeineBloomFilter(keys: 100)
        for key in UInt64(0)..<100 { filter.put(key) }
        for key in UInt64(0)..<100 {
            let found = filter.mayContain(key)
            #expect(found)
        }
        var mistakes = 0
        for key in UInt64(1000)..<2000 where filter.mayContain(key) { mistakes += 1 }
        #expect(mistakes < 30)
        filter.clear()
        let found = filter.mayContain(5)
        #expect(!found)
    }
}
