import CacheCore
import Testing

@Suite("S3-FIFO-D")
struct S3FIFODPolicyTests {
    /// Before the split moves the rules are S3-FIFO's with one hit to promote.
    @Test(arguments: ["abcdeaabfbghicj", "aabbccddeeffabcdef", "abcabcdefdefabc"])
    func `begins as S3-FIFO`(_ letters: String) throws {
        #expect(
            try outcomes("s3fifo-d:small=0.4", capacity: 5, letters)
                == outcomes("s3fifo:small=0.4,ghost=0.6,threshold=1", capacity: 5, letters))
    }

    /// Four sets of objects, each asked for three times over in turn: their ghosts come back to both queues.
    private static func drifting(_ requests: Int) -> TestTrace {
        let ids = (0..<requests).map { position -> UInt32 in
            let (phase, step) = position.quotientAndRemainder(dividingBy: 45)
            return UInt32(phase * 3 % 4 * 15 + (step % 15))
        }
        return TestTrace(ids: ids, sizes: ids.map { 3 + $0 % 5 })
    }

    @Test(arguments: ["s3fifo-d:watch=1", "s3fifo-d:small=0.5,watch=1,dialect=libcachesim"])
    func `moves the split as its model does`(_ text: String) throws {
        let call = try PolicyCall(text)
        for capacity in [Capacity.objects(20), .bytes(100)] {
            #expect(try NaiveModelTests.difference(call, capacity, Self.drifting(4000), removing: false) == nil)
        }
    }

    @Test(arguments: [Capacity.objects(20), .bytes(100)])
    func `gives other counts than a fixed split`(_ capacity: Capacity) throws {
        let columns = Self.drifting(4000).columns
        let fixed = try PolicyCall("s3fifo-d:watch=0").simulate(columns, capacity)
        let moving = try PolicyCall("s3fifo-d:watch=1").simulate(columns, capacity)
        #expect(fixed.hits != moving.hits)
    }

    @Test func `admits below capacity 20 in libCacheSim's dialect, unlike S3-FIFO`() throws {
        #expect(try outcomes("s3fifo-d:dialect=libcachesim", capacity: 19, "aaa") == "a a! a!")
    }
}
