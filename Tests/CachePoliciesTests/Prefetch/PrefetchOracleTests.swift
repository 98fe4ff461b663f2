import CacheCore
import Testing

/// libCacheSim 0.3.5 counts the same hits with its prefetchers.
///
/// A line is a trace of ``PrefetchTraces``, written as oracleGeneral with times that never matter; a policy; a capacity, in bytes with a `B`; the
/// prefetcher; and the hits of `cachesim FILE oracleGeneral LRU 400 --ignore-obj-size 1 --prefetch PG --prefetch-params block-size=4096,…`, built from the
/// source package of PyPI and changed to print twelve digits of the miss ratio. Its names: `sequential-confidence-k`,
/// `lookahead-range`, `prefetch-threshold`, `mining-threshold`, `min-support`, `max-support`, `rec-trigger`, `cycle-time`, `pf-list-size`. Its `block-size` is
/// 1 for OBL in objects and 4096 on `-blocks`; for the others it is `block`, 4096 unless stated, in objects, and left out in bytes.
@Suite("Prefetchers beside libCacheSim's")
struct PrefetchOracleTests {
    @Test(arguments: table.split(separator: "\n").map(String.init))
    func `hits are equal`(_ line: String) throws {
        let fields = line.split(separator: " ").map(String.init)
        let amount = try #require(Int(fields[2].filter(\.isNumber)))
        let capacity: Capacity = fields[2].hasSuffix("B") ? .bytes(amount) : .objects(amount)
        let counts = try PrefetchTraces.counts(fields[1], fields[3], PrefetchTraces.columns(fields[0]), capacity)
        #expect(counts.hits == Int(fields[4]))
    }

    private static let table = """
        runs lru 40 obl 10871
        runs lru 40 obl:confidence=1 21233
        runs lru 40 pg:dialect=libcachesim 224
        runs lru 40 pg:block=64,lookahead=4,threshold=0.2,dialect=libcachesim 232
        runs lru 40 mithril:mining=256 3076
        runs lru 40 mithril:mining=512,record=request,support=3,support-max=6,lookahead=8 220
        runs lru 40 mithril:mining=256,record=evict,chances=1,list=3 2864
        runs lru 40 mithril:mining=256,record=miss-evict,chances=3 10304
        runs lru 400 obl 12628
        runs lru 400 obl:confidence=1 22037
        runs lru 400 pg:dialect=libcachesim 3094
        runs lru 400 pg:block=64,lookahead=4,threshold=0.2,dialect=libcachesim 3015
        runs lru 400 mithril:mining=256 13533
        runs lru 400 mithril:mining=512,record=request,support=3,support-max=6,lookahead=8 8554
        runs lru 400 mithril:mining=256,record=evict,chances=1,list=3 10508
        runs lru 400 mithril:mining=256,record=miss-evict,chances=3 16543
        runs-sized lru 500000B pg:dialect=libcachesim 6681
        runs-sized lru 500000B mithril:mining=256 6655
        runs-sized lru 500000B obl:block=512 15169
        runs-blocks lru 2000000B obl 13041
        runs fifo 400 obl 12643
        runs fifo 400 obl:confidence=1 22055
        runs fifo 400 pg:dialect=libcachesim 3038
        runs fifo 400 pg:block=64,lookahead=4,threshold=0.2,dialect=libcachesim 2946
        runs fifo 400 mithril:mining=256 13531
        runs fifo 400 mithril:mining=512,record=request,support=3,support-max=6,lookahead=8 8594
        runs fifo 400 mithril:mining=256,record=evict,chances=1,list=3 10386
        runs fifo 400 mithril:mining=256,record=miss-evict,chances=3 16376
        runs-sized fifo 500000B pg:dialect=libcachesim 6743
        runs-sized fifo 500000B mithril:mining=256 6717
        runs-sized fifo 500000B obl:block=512 15184
        runs-blocks fifo 2000000B obl 13032
        groups lru 40 obl 506
        groups lru 40 obl:confidence=1 10358
        groups lru 40 pg:dialect=libcachesim 530
        groups lru 40 pg:block=64,lookahead=4,threshold=0.2,dialect=libcachesim 498
        groups lru 40 mithril:mining=256 7171
        groups lru 40 mithril:mining=512,record=request,support=3,support-max=6,lookahead=8 489
        groups lru 40 mithril:mining=256,record=evict,chances=1,list=3 6223
        groups lru 40 mithril:mining=256,record=miss-evict,chances=3 8982
        groups lru 400 obl 4954
        groups lru 400 obl:confidence=1 13517
        groups lru 400 pg:dialect=libcachesim 5257
        groups lru 400 pg:block=64,lookahead=4,threshold=0.2,dialect=libcachesim 4980
        groups lru 400 mithril:mining=256 16050
        groups lru 400 mithril:mining=512,record=request,support=3,support-max=6,lookahead=8 13515
        groups lru 400 mithril:mining=256,record=evict,chances=1,list=3 14297
        groups lru 400 mithril:mining=256,record=miss-evict,chances=3 13743
        groups-sized lru 500000B pg:dialect=libcachesim 10925
        groups-sized lru 500000B mithril:mining=256 10843
        groups-sized lru 500000B obl:block=512 10854
        groups-blocks lru 2000000B obl 6086
        groups fifo 400 obl 4851
        groups fifo 400 obl:confidence=1 13401
        groups fifo 400 pg:dialect=libcachesim 5179
        groups fifo 400 pg:block=64,lookahead=4,threshold=0.2,dialect=libcachesim 4872
        groups fifo 400 mithril:mining=256 16015
        groups fifo 400 mithril:mining=512,record=request,support=3,support-max=6,lookahead=8 13443
        groups fifo 400 mithril:mining=256,record=evict,chances=1,list=3 14108
        groups fifo 400 mithril:mining=256,record=miss-evict,chances=3 13213
        groups-sized fifo 500000B pg:dialect=libcachesim 10088
        groups-sized fifo 500000B mithril:mining=256 10005
        groups-sized fifo 500000B obl:block=512 10018
        groups-blocks fifo 2000000B obl 5784
        loop lru 40 obl 7239
        loop lru 40 obl:confidence=1 17019
        loop lru 40 pg:dialect=libcachesim 366
        loop lru 40 pg:block=64,lookahead=4,threshold=0.2,dialect=libcachesim 115
        loop lru 40 mithril:mining=256 99
        loop lru 40 mithril:mining=512,record=request,support=3,support-max=6,lookahead=8 98
        loop lru 40 mithril:mining=256,record=evict,chances=1,list=3 99
        loop lru 40 mithril:mining=256,record=miss-evict,chances=3 11835
        loop lru 400 obl 7994
        loop lru 400 obl:confidence=1 17774
        loop lru 400 pg:dialect=libcachesim 2223
        loop lru 400 pg:block=64,lookahead=4,threshold=0.2,dialect=libcachesim 977
        loop lru 400 mithril:mining=256 20305
        loop lru 400 mithril:mining=512,record=request,support=3,support-max=6,lookahead=8 18332
        loop lru 400 mithril:mining=256,record=evict,chances=1,list=3 20357
        loop lru 400 mithril:mining=256,record=miss-evict,chances=3 19794
        loop-sized lru 500000B pg:dialect=libcachesim 2080
        loop-sized lru 500000B mithril:mining=256 1575
        loop-sized lru 500000B obl:block=512 8730
        loop-blocks lru 2000000B obl 8133
        loop fifo 400 obl 7904
        loop fifo 400 obl:confidence=1 17686
        loop fifo 400 pg:dialect=libcachesim 2134
        loop fifo 400 pg:block=64,lookahead=4,threshold=0.2,dialect=libcachesim 888
        loop fifo 400 mithril:mining=256 20230
        loop fifo 400 mithril:mining=512,record=request,support=3,support-max=6,lookahead=8 18251
        loop fifo 400 mithril:mining=256,record=evict,chances=1,list=3 20282
        loop fifo 400 mithril:mining=256,record=miss-evict,chances=3 19297
        loop-sized fifo 500000B pg:dialect=libcachesim 1900
        loop-sized fifo 500000B mithril:mining=256 1395
        loop-sized fifo 500000B obl:block=512 8550
        loop-blocks fifo 2000000B obl 8022
        """
}
