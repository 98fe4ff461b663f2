import CacheCore
import Testing

@Suite("FIFO-merge")
struct FIFOMergePolicyTests {
    /// Batches of three keep one. Of a, b and c only b was hit: a and c leave. The next batch begins where that one
    /// ended, with d, e and f, all alike: the older leave.
    @Test func `keeps the most valuable of a batch in place`() throws {
        #expect(
            try outcomes("fifo-merge:examine=3,keep=1", capacity: 4, "abcdbefghb") == "a b c d b! e>a f>c g>d h>e b!")
    }

    /// By recency b leaves, asked for before a and c, and then a; by hits c, which had none, and then a with one.
    @Test func `values hits or recency`() throws {
        #expect(
            try outcomes("fifo-merge:examine=3,keep=1,retain=recency", capacity: 4, "abbacdef")
                == "a b b! a! c d e>b f>a")
        #expect(
            try outcomes("fifo-merge:examine=3,keep=1,retain=frequency", capacity: 4, "abbbacdef")
                == "a b b! b! a! c d e>c f>a")
    }

    @Test func `is a FIFO while a batch holds all`() throws {
        let letters = "abacbdcaabcd"
        #expect(try outcomes("fifo-merge", capacity: 3, letters) == outcomes("fifo", capacity: 3, letters))
    }

    /// One less than the paper's two: each batch of libCacheSim's gives up one.
    @Test func `gives up one less of a batch in libCacheSim's dialect`() throws {
        let outcome = try outcomes("fifo-merge:examine=3,keep=1,dialect=libcachesim", capacity: 4, "abcdbcefb")
        #expect(outcome.hasPrefix("a b c d b! c! e>a f>"))
        #expect(outcome.hasSuffix(" b!"))
    }

    /// a and c leave together and b moves behind d. The next batch begins with d, and b, hit again, is kept from it too.
    @Test func `moves what stays to the end in the reinsertion dialect`() throws {
        #expect(
            try outcomes(
                "fifo-merge:examine=3,keep=1,retain=recency,dialect=libcachesim-reinsertion", capacity: 4, "abcdbefbgb")
                == "a b c d b! e>ac f b! g>de b!")
    }

    @Test func `refuses a batch that keeps all`() throws {
        let call = try PolicyCall("fifo-merge:examine=50")
        #expect(throws: AssayError.self) { try call.open(.objects(2), ObjectSpace(count: 2)) }
    }
}
