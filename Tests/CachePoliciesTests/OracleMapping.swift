/// Which policy and dialect of Assay must give the results of a policy of another implementation.
enum OracleMapping {
    static let caffeine: [(theirs: String, ours: String)] = [
        ("linked.Fifo", "fifo"), ("linked.Lru", "lru"), ("linked.Mru", "mru"), ("linked.Lfu", "lfu"),
        ("linked.Mfu", "mfu"),
        ("greedy-dual.Camp", "camp"),
        // Without costs this one is an LRU whatever its defects.
        ("greedy-dual.GDWheel", "gd-wheel"),
        ("greedy-dual.Gdsf", "gdsf:dialect=caffeine"),
        ("linked.Clock", "clock:dialect=caffeine"), ("linked.Sieve", "sieve"), ("linked.SegmentedLru", "slru"),
        ("linked.S4Lru", "s4lru"), ("two-queue.TwoQueue", "2q"), ("two-queue.S3Fifo", "s3fifo"),
        ("two-queue.TuQueue", "tuqueue"),
        ("linked.MultiQueue", "mq:lifetime=75,ghost=0.5,dialect=caffeine"),
        ("adaptive.Arc", "arc:dialect=caffeine"), ("opt.Clairvoyant", "belady:bypass=true"),
        ("opt.Unbounded", "infinite"),
        ("sampled.Fifo", "sampled-fifo:dialect=caffeine"),
        ("sampled.Lru", "sampled-lru:dialect=caffeine"),
        ("sampled.Mru", "sampled-mru:dialect=caffeine"),
        ("sampled.Lfu", "sampled-lfu:dialect=caffeine"),
        ("sampled.Mfu", "sampled-mfu:dialect=caffeine"),
        ("sampled.Random", "random:dialect=caffeine"),
        ("sampled.Hyperbolic", "hyperbolic:samples=8,dialect=caffeine"),
        ("adaptive.Car", "car:dialect=caffeine"),
        ("adaptive.Cart", "cart:dialect=caffeine"),
        ("irr.ClockPro", "clock-pro:ghost=2,dialect=caffeine"),
        ("irr.ClockProPlus", "clock-pro-plus:dialect=caffeine"),
        ("irr.ClockProSimple", "clock-pro-simple"),
        ("adaptive.Cacheus", "cacheus:dialect=caffeine"),
        ("irr.Lirs", "lirs"), ("irr.Lirs2", "lirs2"), ("irr.Frd", "frd:history=1000"),
        ("irr.DClock (active: 50%)", "dclock:dialect=caffeine"),
        ("irr.DClock (active: 99%)", "dclock:active=0.99,dialect=caffeine"),
        ("sketch.WindowTinyLfu (1%)", "w-tinylfu:dialect=caffeine"),
        // An LRU as main cache is one whose objects are never protected.
        ("sketch.LruWindowTinyLfu (1%)", "w-tinylfu:protected=0,dialect=caffeine"),
        ("sketch.S4WindowTinyLfu (1%)", "s4-w-tinylfu:dialect=caffeine"),
        ("sketch.FullySegmentedWindowTinyLfu (1%)", "fully-segmented-w-tinylfu:dialect=caffeine"),
        ("sketch.RandomWindowTinyLfu (1%)", "random-w-tinylfu:dialect=caffeine"),
        ("sketch.TinyCache", "tiny-cache:dialect=caffeine"),
        ("sketch.TinyCache_GhostCache", "tiny-cache:filter=counts,dialect=caffeine"),
        ("sketch.WindowTinyCache", "tiny-cache:filter=counts,window=64,dialect=caffeine"),
        ("sketch.FeedbackTinyLfu", "feedback-tinylfu:dialect=caffeine"),
        ("sketch.FeedbackWindowTinyLfu (1%)", "feedback-w-tinylfu:dialect=caffeine"),
        ("sketch.HillClimberWindowTinyLfu (simple 1%)", "hill-climber-w-tinylfu:dialect=caffeine"),
        (
            "sketch.HillClimberWindowTinyLfu (correlation 1%)",
            "hill-climber-w-tinylfu:climber=correlation,dialect=caffeine"
        ),
        (
            "sketch.HillClimberWindowTinyLfu (trust_region_ewma 1%)",
            "hill-climber-w-tinylfu:climber=trust-region-ewma,dialect=caffeine"
        ),
    ]

    /// Caffeine's policies with an admission policy before them: `theirs` with a suffix is `ours` after a `+`.
    private static let admitting: [(theirs: String, ours: String)] = {
        let admissions = [("_Clairvoyant", "+clairvoyant"), ("_TinyLfu", "+tinylfu:dialect=caffeine")]
        return caffeine.filter { withAdmission.contains($0.theirs) }.flatMap { pair in
            admissions.map { (pair.theirs + $0, pair.ours + $1) }
        }
    }()

    private static let withAdmission = [
        "linked.Fifo", "linked.Clock", "linked.Lru", "linked.Mru", "linked.Lfu", "linked.Mfu", "linked.SegmentedLru",
        "linked.S4Lru", "sampled.Fifo", "sampled.Lru", "sampled.Mru", "sampled.Lfu", "sampled.Mfu", "sampled.Random",
        "sampled.Hyperbolic",
    ]

    /// Everything of Caffeine's.
    static let caffeineAndAdmission = caffeine + admitting

    static let libCacheSim: [(theirs: String, ours: String)] = [
        ("fifo ", "fifo"), ("lru ", "lru"), ("mru ", "mru"), ("lfu ", "lfu"), ("lfucpp ", "lfu"), ("clock ", "clock"),
        ("clock n-bit-counter=2", "clock:bits=2"), ("clock n-bit-counter=3", "clock:bits=3"),
        ("fifo-reinsertion ", "clock"), ("sieve ", "sieve"), ("slru ", "s4lru:dialect=libcachesim"),
        ("slruv0 ", "s4lru:dialect=libcachesim-v0"), ("s3lru ", "s3lru"), ("nop ", "nop"),
        ("slru n-seg=2", "slru:shares=1:1,dialect=libcachesim"),
        ("slru seg-size=1:4", "slru:shares=1:4,dialect=libcachesim"), ("2q ", "2q:dialect=libcachesim"),
        ("arc ", "arc:dialect=libcachesim"), ("arcv0 ", "arc:dialect=libcachesim-v0"),
        ("s3fifo ", "s3fifo:dialect=libcachesim"), ("s3fifo ghost-size-ratio=0", "s3fifo:ghost=0,dialect=libcachesim"),
        ("s3fifo move-to-main-threshold=1", "s3fifo:threshold=1,dialect=libcachesim"),
        ("s3fifov0 ", "s3fifo:dialect=libcachesim-v0"), ("belady ", "belady"),
        ("size ", "size:dialect=libcachesim"),
        ("CAR ", "car:dialect=libcachesim"),
        ("clockpro ", "clock-pro:dialect=libcachesim"),
        ("lirs ", "lirs:dialect=libcachesim"),
        ("mq ", "mq:dialect=libcachesim"),
        ("s3fifod ", "s3fifo-d:dialect=libcachesim"),
        ("fifo-merge ", "fifo-merge:dialect=libcachesim"),
        ("fifo-reinsertion-merge ", "fifo-merge:keep=20,retain=recency,dialect=libcachesim-reinsertion"),
        ("qdlp ", "qdlp:dialect=libcachesim"),
        ("clock2qplus ", "clock2q-plus:dialect=libcachesim"),
        ("gdsf ", "gdsf:dialect=libcachesim"),
        ("lfuda ", "lfuda:dialect=libcachesim"),
        ("lru-k ", "lru-k:dialect=libcachesim"),
        ("lru-k k=1", "lru-k:k=1,dialect=libcachesim"),
        ("lru-k k=3", "lru-k:k=3,dialect=libcachesim"),
        ("wtinyLFU ", "w-tinylfu:dialect=libcachesim"),
        ("wtinyLFU main-cache=LRU", "w-tinylfu:protected=0,dialect=libcachesim"),
        ("wtinyLFU window-size=0.10", "w-tinylfu:window=0.1,dialect=libcachesim"),
    ]

    static let upstreamTruth: [(theirs: String, ours: String)] = [
        ("ARC", "arc:dialect=libcachesim"), ("Belady", "belady"), ("Clock", "clock"), ("FIFO", "fifo"), ("LFU", "lfu"),
        ("LRU", "lru"), ("MRU", "mru"), ("S3-FIFO", "s3fifo:dialect=libcachesim"),
        ("S3-FIFOv0", "s3fifo:dialect=libcachesim-v0"), ("Sieve", "sieve"),
        ("SLRU", "slru:segments=5,dialect=libcachesim"),
        ("CAR", "car:dialect=libcachesim"),
        ("ClockPro", "clock-pro:dialect=libcachesim"),
        ("LIRS", "lirs:dialect=libcachesim"),
        ("MQ", "mq:dialect=libcachesim"),
        ("QDLP-FIFO", "qdlp:dialect=libcachesim"),
        ("Clock2QPlus", "clock2q-plus:dialect=libcachesim"),
        ("GDSF", "gdsf:dialect=libcachesim"),
        ("LFUDA", "lfuda:dialect=libcachesim"),
        ("LRU_K", "lru-k:dialect=libcachesim"),
    ]

    /// What is compared otherwise than in other rows, by the name of ours.
    static let remarks = [
        "tiny-cache:dialect=caffeine": roundedUp, "tiny-cache:filter=counts,dialect=caffeine": roundedUp,
        "tiny-cache:filter=counts,window=64,dialect=caffeine": roundedUp
            + " Misses alone: it counts as evicted what is in its other set still.",
    ]
    private static let roundedUp = "At the next multiple of 64, to which it rounds the capacity up."

    /// The rows of each table, so that a table that lost some is noticed.
    static let rowCounts = [
        "caffeine": 2704, "caffeine-weighted": 30, "libcachesim": 596, "libcachesim-truth": 116,
        OracleTable.bundled: 1254,
    ]

    /// Why a reference has rows without a result.
    static let crashes: [String: String] = [
        "lfuda ":
            "libCacheSim faults at small capacities, or walks through doubled keys one by one until its time is up.",
        "mru ": "libCacheSim keeps a dangling tail and faults when its only object is evicted: capacity 1.",
        "slru seg-size=1:4": "A fifth of 1 is a segment of size 0, on which libCacheSim aborts: capacity 1.",
        "s3fifo ": "A tenth of less than 10 is a small queue of size 0, on which libCacheSim aborts.",
        "s3fifo ghost-size-ratio=0": "A tenth of less than 10 is a small queue of size 0, on which libCacheSim aborts.",
        "s3fifo move-to-main-threshold=1":
            "A tenth of less than 10 is a small queue of size 0, on which libCacheSim aborts.",
        "s3lru ": "A tenth of less than 10 is a small queue of size 0, on which libCacheSim aborts.",
        "qdlp ": "A tenth of less than 10 is a small queue of size 0, on which libCacheSim aborts.",
        "s3fifod ": "A tenth of less than 10 is a small queue of size 0, on which libCacheSim aborts.",
        "wtinyLFU ":
            "A fifth of the main cache is a segment of size 0, on which libCacheSim aborts: capacity 1. Its filter takes "
            + "57 bytes for each byte of the capacity: time ran out.",
        "wtinyLFU window-size=0.10":
            "A fifth of the main cache is a segment of size 0, on which libCacheSim aborts: capacity 1.",
        "s3fifov0 ": "A tenth of less than 10 is a small queue of size 0, on which libCacheSim aborts.",
    ]
}
