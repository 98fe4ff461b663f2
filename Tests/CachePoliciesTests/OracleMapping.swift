/// Which policy and dialect of Assay must give the results of a policy of another implementation.
enum OracleMapping {
    static let caffeine: [(theirs: String, ours: String)] = [
        ("linked.Fifo", "fifo"), ("linked.Lru", "lru"), ("linked.Mru", "mru"), ("linked.Lfu", "lfu"),
        ("linked.Clock", "clock:dialect=caffeine"), ("linked.Sieve", "sieve"), ("linked.SegmentedLru", "slru"),
        ("linked.S4Lru", "slru:segments=4"), ("two-queue.TwoQueue", "2q"), ("two-queue.S3Fifo", "s3fifo"),
        ("adaptive.Arc", "arc:dialect=caffeine"), ("opt.Clairvoyant", "belady:bypass=true"),
    ]

    static let libCacheSim: [(theirs: String, ours: String)] = [
        ("fifo ", "fifo"), ("lru ", "lru"), ("mru ", "mru"), ("lfu ", "lfu"), ("lfucpp ", "lfu"), ("clock ", "clock"),
        ("clock n-bit-counter=2", "clock:bits=2"), ("clock n-bit-counter=3", "clock:bits=3"),
        ("fifo-reinsertion ", "clock"), ("sieve ", "sieve"), ("slru ", "slru:segments=4,dialect=libcachesim"),
        ("slru n-seg=2", "slru:shares=1:1,dialect=libcachesim"),
        ("slru seg-size=1:4", "slru:shares=1:4,dialect=libcachesim"), ("2q ", "2q:dialect=libcachesim"),
        ("arc ", "arc:dialect=libcachesim"), ("arcv0 ", "arc:dialect=libcachesim-v0"),
        ("s3fifo ", "s3fifo:dialect=libcachesim"), ("s3fifo ghost-size-ratio=0", "s3fifo:ghost=0,dialect=libcachesim"),
        ("s3fifo move-to-main-threshold=1", "s3fifo:threshold=1,dialect=libcachesim"),
        ("s3fifov0 ", "s3fifo:dialect=libcachesim-v0"), ("belady ", "belady"),
    ]

    static let upstreamTruth: [(theirs: String, ours: String)] = [
        ("ARC", "arc:dialect=libcachesim"), ("Belady", "belady"), ("Clock", "clock"), ("FIFO", "fifo"), ("LFU", "lfu"),
        ("LRU", "lru"), ("MRU", "mru"), ("S3-FIFO", "s3fifo:dialect=libcachesim"),
        ("S3-FIFOv0", "s3fifo:dialect=libcachesim-v0"), ("Sieve", "sieve"),
        ("SLRU", "slru:segments=5,dialect=libcachesim"),
    ]

    /// The rows of each table, so that a table that lost some is noticed.
    static let rowCounts = [
        "caffeine": 2704, "caffeine-weighted": 30, "libcachesim": 596, "libcachesim-truth": 116,
    ]

    /// What Assay has but cannot give to the request: compared within a bound, by a suite of its own.
    static let approximate = "sketch.WindowTinyLfu (1%)"

    /// Why a reference has rows without a result.
    static let crashes: [String: String] = [
        "mru ": "libCacheSim keeps a dangling tail and faults when its only object is evicted: capacity 1.",
        "slru seg-size=1:4": "A fifth of 1 is a segment of size 0, on which libCacheSim aborts: capacity 1.",
        "s3fifo ": "A tenth of less than 10 is a small queue of size 0, on which libCacheSim aborts.",
        "s3fifo ghost-size-ratio=0": "A tenth of less than 10 is a small queue of size 0, on which libCacheSim aborts.",
        "s3fifo move-to-main-threshold=1":
            "A tenth of less than 10 is a small queue of size 0, on which libCacheSim aborts.",
        "s3fifov0 ": "A tenth of less than 10 is a small queue of size 0, on which libCacheSim aborts.",
    ]
}
