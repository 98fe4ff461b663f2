import CacheCore
import CachePolicies
import Testing

/// What each prefetcher fetches, worked out by hand, and what all of them keep to.
@Suite("Prefetchers")
struct PrefetcherTests {
    private static let calls =
        BuiltinPrefetchers.all.map(\.descriptor.name) + [
            "obl:confidence=0", "obl:confidence=1,block=100", "pg:lookahead=3,threshold=0.3,dialect=libcachesim",
            "mithril:mining=64,chances=3", "mithril:mining=64,support=1,record=evict,chances=1",
            "mithril:mining=64,support=5,support-max=12,record=miss-evict,confidence=3",
        ]

    @Test func `one block lookahead needs a run that is long enough, and fetches blocks that nobody requests`() throws {
        // 5 is fetched after 4, 6 after 5; 9 after 8 is fetched and never requested.
        let columns = PrefetchTraces.columns([1, 2, 3, 4, 5, 20, 7, 8])
        let counts = try PrefetchTraces.counts("lru", "obl:confidence=3", columns, .objects(100))
        #expect(counts.hits == 1 && counts.prefetched == 2 && counts.prefetchHits == 1)
        let eager = try PrefetchTraces.counts("lru", "obl:confidence=0", columns, .objects(100))
        #expect(eager.hits == 5 && eager.prefetched == 8 && eager.prefetchHits == 5)
        #expect(eager.residentObjects == 11)
    }

    @Test func `a fetched block weighs what is stated, else what the block before it does`() throws {
        let columns = PrefetchTraces.columns([1, 2], size: { _ in 10 })
        #expect(
            try PrefetchTraces.counts("lru", "obl:confidence=1", columns, .bytes(100)).residentWeight == 30)
        #expect(
            try PrefetchTraces.counts("lru", "obl:confidence=1,block=3", columns, .bytes(100)).residentWeight == 23)
        // What can never fit is not fetched.
        let large = try PrefetchTraces.counts("lru", "obl:confidence=1,block=101", columns, .bytes(100))
        #expect(large.prefetched == 0 && large.residentWeight == 20)
    }

    @Test func `a probability graph fetches what followed often`() throws {
        // 2 is fetched after the second and third 1; 8 after the second 2, and leaves in vain.
        let columns = PrefetchTraces.columns([1, 2, 8, 1, 2, 9, 1, 2])
        let counts = try PrefetchTraces.counts("lru", "pg:lookahead=1,threshold=0.6", columns, .objects(2))
        #expect(counts.hits == 2 && counts.prefetched == 3 && counts.prefetchHits == 2)
        #expect(try PrefetchTraces.counts("lru", "pg:lookahead=1,threshold=1", columns, .objects(2)).hits == 0)
    }

    @Test func `PG finds an arc that was below the threshold once; libCacheSim's has dropped it`() throws {
        // After 1 come 2, 3, 2, 2, 2: the first two are below 0.6 when 1 is requested for the third time.
        let columns = PrefetchTraces.columns([1, 2, 1, 3, 1, 2, 1, 2, 1, 2, 1, 2])
        let paper = try PrefetchTraces.counts("lru", "pg:lookahead=1,threshold=0.6", columns, .objects(1))
        let peer = try PrefetchTraces.counts(
            "lru", "pg:lookahead=1,threshold=0.6,dialect=libcachesim", columns, .objects(1))
        #expect(try #require(paper.prefetched) > #require(peer.prefetched))
    }

    @Test func `MITHRIL mines pairs that come rarely and together, and gives what it fetched another chance`() throws {
        var keys: [Int] = []
        for round in 0..<6 {
            for pair in 0..<40 { keys += [1 + 2 * pair, 2 + 2 * pair, 1000 + round * 40 + pair] }
        }
        let columns = PrefetchTraces.columns(keys)
        let plain = try PrefetchTraces.counts("lru", nil, columns, .objects(10))
        let one = try PrefetchTraces.counts("lru", "mithril:mining=64,block=65536,chances=1", columns, .objects(10))
        #expect(plain.hits == 0 && plain.prefetched == nil && plain.prefetchHits == nil)
        #expect(one.hits > 50 && one.prefetchHits == one.hits)
        let two = try PrefetchTraces.counts("lru", "mithril:mining=64,block=65536", columns, .objects(10))
        #expect(two.hits > 50)
    }

    @Test(arguments: calls, AdmissionCalls.policies + ["s4-w-tinylfu", "infinite", "mq", "lru-k", "clock-pro"])
    func `beside any policy the capacity holds and counts agree`(_ prefetcher: String, _ policy: String) throws {
        guard policy != "belady" else { return }
        let keys = Array(PrefetchTraces.keys("groups").prefix(1000))
        for capacity in [Capacity.objects(7), .objects(150), .bytes(9000)] {
            if capacity.unit == .bytes, try PolicyCall(policy).entry.descriptor.objectsOnly != nil { continue }
            let columns = PrefetchTraces.columns(keys, size: capacity.unit == .bytes ? { 100 + $0 * 37 % 900 } : nil)
            let counts = try PrefetchTraces.counts(policy, prefetcher, columns, capacity)
            #expect(try counts == PrefetchTraces.counts(policy, prefetcher, columns, capacity))
            #expect(policy == "infinite" || counts.residentWeight <= capacity.amount)
            let (fetched, used) = try (#require(counts.prefetched), #require(counts.prefetchHits))
            #expect(used <= fetched && used <= counts.hits)
            #expect(counts.requests == keys.count)
        }
    }

    @Test(arguments: AdmissionCalls.policies)
    func `a prefetcher that names nothing changes nothing`(_ policy: String) throws {
        guard policy != "belady" else { return }
        let columns = PrefetchTraces.columns(Array(PrefetchTraces.keys("loop").prefix(3000)))
        let plain = try PrefetchTraces.counts(policy, nil, columns, .objects(100))
        let idle = try PrefetchTraces.counts(policy, "obl:confidence=1000000", columns, .objects(100))
        #expect(idle.hits == plain.hits && idle.prefetched == 0 && idle.residentObjects == plain.residentObjects)
    }

    @Test(arguments: [
        ("belady", "pg", "what pg fetches is none"), ("lru+clairvoyant", "pg", "what pg fetches is none"),
        ("pfoo-u", "pg", "fetches nothing ahead"), ("lru", "obl", "not all keys of the trace are numbers"),
    ])
    func `what cannot be honoured is refused`(_ policy: String, _ prefetcher: String, _ words: String) throws {
        let columns = TestTrace(ids: [1, 2, 3]).columns
        let refusal = #expect(throws: AssayError.self) {
            try PrefetchTraces.counts(policy, prefetcher, columns, .objects(2))
        }
        #expect(refusal?.message.contains(words) == true, "\(String(describing: refusal))")
        let costly = TestTrace(ids: [1, 2], costs: [1, 2]).columns
        #expect(throws: AssayError.self) { try PrefetchTraces.counts("lru", "pg", costly, .objects(2)) }
    }

    @Test func `a support above the most is refused`() throws {
        let refusal = #expect(throws: AssayError.self) {
            try PrefetchTraces.counts(
                "lru", "mithril:support=9", PrefetchTraces.columns([1, 2]), .objects(2))
        }
        #expect(refusal?.message.contains("support=9 is above support-max=8") == true)
    }

    @Test func `every prefetcher describes itself`() {
        let names = BuiltinPrefetchers.all.map(\.descriptor.name)
        #expect(names == names.sorted() && Set(names).count == names.count && !names.contains("none"))
        for descriptor in BuiltinPrefetchers.all.map(\.descriptor) {
            #expect(descriptor.family == "prefetch" && descriptor.summary.hasSuffix("."))
        }
    }
}
