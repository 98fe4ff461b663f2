/// Something that a cache documents and does otherwise than most caches.
///
/// A cache states its deviations in its claims. The model follows them: what is documented fails no check, and what is wrong
/// behind it is found. Each one that is stated stands in the verdict.
public enum Deviation: String, Sendable, Hashable, Codable, CaseIterable {
    /// An entry is live at its deadline.
    case liveAtDeadline
    /// One time to live for the whole cache, given when it is opened.
    case oneTimeToLive
    /// A time to live of 0 is no end.
    case zeroTimeToLiveIsForever
    /// A time to live below 0 is no end.
    case negativeTimeToLiveIsForever
    /// What has expired is counted, listed and weighed until it is swept.
    case countsExpired
    /// The removal of what has expired says that there was something.
    case removesExpired
    /// Nothing sweeps what has expired.
    case neverSweeps
    /// All caches of a process share one clock.
    case sharedClock
    /// A put that is too heavy or too long is dropped without an error.
    case dropsOversized
    /// A put that is refused or dropped may leave the old value.
    case refusedPutKeepsOld
    /// A full cache refuses what is new.
    case refusesWhenFull
    /// Costs of 0 are not accepted.
    case refusesZeroCost
    /// A capacity of 0 is no limit.
    case zeroCapacityIsUnlimited
    /// Keys and values beyond the stated limits are not refused.
    case limitsAreNotEnforced
    /// Keys are of printable ASCII characters other than the space.
    case keysArePrintable
    /// A removal does not tell whether there was something.
    case removeTellsNothing
    /// A look is a read.
    case containsIsGet
    /// Keys are counted and cannot be listed.
    case cannotList
    /// A key that is named twice in one read of several is counted once.
    case countsRepeatedKeysOnce
    /// A loader may not use the cache.
    case loadersMayNotUseTheCache
    /// A loader may not use the key that it loads.
    case loadersMayNotUseTheirKey
    /// A write of a key waits for its load.
    case putsWaitForLoads
    /// An update is counted as a load.
    case updateCountsAsLoad
    /// A write that depends on what is there, or answers it, is counted as a read.
    case conditionsCountAsReads
    /// What has expired is counted as evicted.
    case expirationsCountAsEvictions
    /// A load that finds no value has failed.
    case emptyLoadsAreFailures
    /// What is replaced is not told.
    case replacementsAreNotTold
    /// What is removed is not told.
    case removalsAreNotTold
    /// What a clear removes is not told.
    case clearsAreNotTold
    /// What has expired need not be told.
    case expirationsAreNotTold
    /// What is evicted is not told.
    case evictionsAreNotTold
    /// Events have no causes.
    case noCauses
    /// Events have no values.
    case noValues
    /// A listener may not use the cache.
    case listenersMayNotUseTheCache
    /// A clear sets the counters to 0.
    case clearResetsCounters
    /// The tier below memory cannot be made to fail.
    case lowerTierCannotFail
    /// What is written takes effect later.
    case writesTakeEffectLater
    /// A room in bytes is one of memory.
    case weighsBytes
    /// An entry is lost when a key of the same hash is stored.
    case collisionsLoseEntries

    /// What the cache does, in one sentence.
    public var sentence: String {
        switch self {
        case .liveAtDeadline: "An entry is live at its deadline, and gone after it."
        case .oneTimeToLive: "All entries have one time to live, which is given when the cache is opened."
        case .zeroTimeToLiveIsForever: "A time to live of 0 is no end."
        case .negativeTimeToLiveIsForever: "A time to live below 0 is no end."
        case .countsExpired: "What has expired is counted, listed and weighed until it is swept."
        case .removesExpired: "The removal of what has expired says that there was something, until that is swept."
        case .neverSweeps: "Nothing sweeps what has expired: it stays until it is asked for, overwritten or evicted."
        case .sharedClock: "All caches of a process share one clock."
        case .dropsOversized: "A put that is too heavy or too long is dropped without an error."
        case .refusedPutKeepsOld: "A put that is refused or dropped may leave the old value in its place."
        case .refusesWhenFull: "A full cache refuses what is new with the error `full`."
        case .refusesZeroCost: "An entry costs at least 1: a cost of 0 is not accepted."
        case .zeroCapacityIsUnlimited: "A capacity of 0 or less is no limit."
        case .limitsAreNotEnforced: "Keys and values beyond the stated limits are not refused; they are not tried."
        case .keysArePrintable: "Keys are of printable ASCII characters other than the space; others are not tried."
        case .removeTellsNothing: "A removal does not tell whether there was something."
        case .containsIsGet: "There is no look that is not a read: `contains` uses the entry and is counted."
        case .cannotList: "Keys are counted and cannot be listed."
        case .countsRepeatedKeysOnce: "A key that is named twice in one read of several is counted as one read."
        case .loadersMayNotUseTheCache: "A loader may not use the cache."
        case .loadersMayNotUseTheirKey: "A loader may not use the key that it loads, nor clear the cache."
        case .putsWaitForLoads: "A write of a key waits until the load of that key has ended."
        case .updateCountsAsLoad: "An update may be counted as a load."
        case .conditionsCountAsReads:
            "A write that depends on what is there, or answers it, may be counted as a read, and so may a `take`."
        case .expirationsCountAsEvictions: "What has expired is counted as evicted, too."
        case .emptyLoadsAreFailures: "A load that finds no value has failed, and is counted so."
        case .replacementsAreNotTold: "What is replaced by another value is not told."
        case .removalsAreNotTold: "What is removed, by its key or with everything, is not told."
        case .clearsAreNotTold: "What a clear removes is not told."
        case .expirationsAreNotTold: "What has expired need not be told."
        case .evictionsAreNotTold: "What is evicted to make room is not told."
        case .noCauses: "Events do not tell why a value left: any cause is taken."
        case .noValues: "Events name the key of what left and not its value."
        case .listenersMayNotUseTheCache: "A listener may not use the cache."
        case .clearResetsCounters: "A clear sets the counters back to 0."
        case .lowerTierCannotFail: "The tier below memory cannot be made to fail."
        case .weighsBytes:
            "A room in bytes is that of keys, values and what the cache adds to them, not of stated costs."
        case .writesTakeEffectLater: "What is written takes effect later, and once `flush` has answered at the latest."
        case .collisionsLoseEntries: "An entry is lost when another key of the same hash is stored."
        }
    }

    /// A cache that has it.
    public var example: String {
        switch self {
        case .liveAtDeadline: "go-cache, ccache, ttlcache and ristretto of Go; lru-cache of Node; hyperoslo/Cache"
        case .oneTimeToLive: "Caffeine's expireAfterWrite, cachetools' TTLCache, golang-lru's expirable LRU"
        case .zeroTimeToLiveIsForever: "cacheout, ristretto, lru-cache of Node"
        case .negativeTimeToLiveIsForever: "go-cache, whose NoExpiration is -1"
        case .countsExpired: "go-cache's ItemCount, diskcache's len, ristretto's cost until its sweep"
        case .removesExpired: "lru-cache of Node, cacheout"
        case .neverSweeps: "stale-lru-cache of Node, expiringdict"
        case .sharedClock: "any cache that asks the system for the time, on a faked clock"
        case .dropsOversized: "Caffeine, moka, ristretto, NSCache"
        case .refusedPutKeepsOld: "cachetools"
        case .refusesWhenFull: "node-cache's maxKeys, Redis' noeviction, memcached -M"
        case .refusesZeroCost: "lru-cache of Node, whose sizes are positive"
        case .zeroCapacityIsUnlimited: "groupcache's lru, NSCache, cacheout"
        case .limitsAreNotEnforced: "any map in memory"
        case .keysArePrintable: "memcached's protocol of text"
        case .removeTellsNothing: "Caffeine's invalidate, groupcache's lru, golang-lru's 2Q"
        case .containsIsGet: "groupcache's lru, lru-cache and hashlink of Rust, cacheout, bigcache"
        case .cannotList: "Caffeine's estimatedSize without asMap, ristretto"
        case .countsRepeatedKeysOnce: "Caffeine's getAllPresent"
        case .loadersMayNotUseTheCache: "Caffeine's get(key, function), ConcurrentHashMap's computeIfAbsent"
        case .loadersMayNotUseTheirKey: "moka's get_with"
        case .putsWaitForLoads: "Caffeine, whose load holds the key"
        case .updateCountsAsLoad: "Caffeine's compute"
        case .conditionsCountAsReads: "JSR-107's putIfAbsent, replace and getAndPut; what is made of a get and a put"
        case .expirationsCountAsEvictions: "Guava's evictionCount"
        case .emptyLoadsAreFailures: "Caffeine, Guava"
        case .replacementsAreNotTold: "golang-lru's simplelru, groupcache's lru"
        case .removalsAreNotTold: "zict's LRU, whose on_evict is told of evictions alone"
        case .clearsAreNotTold: "go-cache's Flush, cacheout's clear, ttlcache's Purge, ccache's Clear"
        case .expirationsAreNotTold: "go-cache and cacheout, where what has expired is overwritten"
        case .evictionsAreNotTold: "cashews, whose on_remove callbacks are told of removals and ends"
        case .noCauses: "golang-lru's simplelru, groupcache's lru"
        case .noValues: "cashews' on_remove callbacks, Redis' keyspace notifications"
        case .listenersMayNotUseTheCache: "cacheout, golang-lru's simplelru under its lock"
        case .clearResetsCounters: "lru-dict"
        case .lowerTierCannotFail: "any cache over a directory of its own"
        case .weighsBytes: "fastcache, bigcache, memcached, Redis' maxmemory"
        case .writesTakeEffectLater: "ristretto, whose Set waits in a buffer"
        case .collisionsLoseEntries: "bigcache"
        }
    }

    /// The features of which it is a deviation: one of them is claimed, or it means nothing. Empty for what every cache does.
    var concerns: Set<Claims.Feature> {
        switch self {
        case .oneTimeToLive, .zeroTimeToLiveIsForever, .negativeTimeToLiveIsForever: [.timeToLive]
        case .liveAtDeadline, .countsExpired, .removesExpired, .neverSweeps, .sharedClock: [.timeToLive, .timeToIdle]
        case .countsRepeatedKeysOnce, .conditionsCountAsReads, .expirationsCountAsEvictions: [.statistics]
        case .loadersMayNotUseTheCache, .loadersMayNotUseTheirKey, .putsWaitForLoads, .emptyLoadsAreFailures: [.loader]
        case .updateCountsAsLoad: [.update]
        case .replacementsAreNotTold, .removalsAreNotTold, .clearsAreNotTold, .expirationsAreNotTold,
            .evictionsAreNotTold, .noCauses, .noValues:
            [.events]
        case .listenersMayNotUseTheCache: [.listener]
        case .clearResetsCounters: [.statistics]
        case .lowerTierCannotFail: [.tiers]
        case .collisionsLoseEntries: [.collide]
        default: []
        }
    }

    /// Whether an answer can show it: that nothing of it was seen says something then. Others change what is asked.
    var shows: Bool {
        switch self {
        case .oneTimeToLive, .sharedClock, .refusesZeroCost, .zeroCapacityIsUnlimited, .limitsAreNotEnforced,
            .keysArePrintable, .containsIsGet, .cannotList, .loadersMayNotUseTheCache, .loadersMayNotUseTheirKey,
            .putsWaitForLoads,
            .listenersMayNotUseTheCache, .lowerTierCannotFail, .writesTakeEffectLater, .weighsBytes:
            false
        default: true
        }
    }

    /// The checks that ask for nothing but what the deviation documents otherwise.
    var excludedChecks: Set<String> {
        switch self {
        case .oneTimeToLive: ["TTL-6", "TTL-7", "TTL-17", "TTL-22", "TTL-24", "LDR-8"]
        case .countsExpired: ["TTL-21"]
        // The wall clock cannot be moved by itself.
        case .sharedClock: ["TTL-18"]
        case .refusesWhenFull: ["CAP-11"]
        // Its keys are of any bytes.
        case .keysArePrintable: ["KEY-9"]
        case .removeTellsNothing: ["BAS-5"]
        case .containsIsGet: ["POL-5"]
        case .cannotList: ["ITR-1", "ITR-2", "ITR-3", "ITR-4", "ITR-7", "LIN-9", "LIN-16"]
        case .loadersMayNotUseTheCache: ["LDR-4", "LDR-7", "LDR-11", "LDR-12", "LDR-22"]
        case .loadersMayNotUseTheirKey: ["LDR-7", "LDR-11", "LDR-22"]
        case .putsWaitForLoads: ["LDR-18"]
        case .replacementsAreNotTold, .removalsAreNotTold: ["EVT-10"]
        case .clearsAreNotTold: ["EVT-10", "EVT-11"]
        case .expirationsAreNotTold, .evictionsAreNotTold: ["EVT-10"]
        case .listenersMayNotUseTheCache: ["EVT-7"]
        case .clearResetsCounters: ["STA-6"]
        case .lowerTierCannotFail: ["TIR-7"]
        default: []
        }
    }
}

/// A deviation that a subject states, as a report has it.
public struct StatedDeviation: Sendable, Hashable, Codable {
    /// Its name in the claims, with its number where it has one.
    public var name: String
    /// What it says.
    public var sentence: String

    /// A deviation with its sentence.
    public init(name: String, sentence: String) {
        self.name = name
        self.sentence = sentence
    }
}

extension Claims {
    /// Numbers that a cache documents, and that checks then keep to.
    public struct Limits: Sendable, Hashable, Codable {
        /// The greatest capacity in entries that it can be opened with; caches that take memory for all entries at once have
        /// one. At least 1.
        public var capacityMax: Int?
        /// The greatest cost of one entry; at least 1.
        public var costMax: Int?
        /// The most bytes that a key and its value may have together; at least 1.
        public var entryBytesMax: Int?
        /// The step of a clock that is coarser than a nanosecond; from 1 to 2^42.
        public var clockStepNanoseconds: Int64?
        /// The longest time to live; at least 1.
        public var timeToLiveMaxNanoseconds: Int64?
        /// The greatest moment of the clock, counted from where it stands at the first opening; at least 1.
        public var clockMaxNanoseconds: Int64?
        /// The greatest number that a counter holds, one of another width than 64 bits; at least 1.
        public var counterMax: Int?

        /// No such numbers.
        public init() {}

        /// What each number says.
        var stated: [StatedDeviation] {
            func stated(_ name: String, _ number: (some FixedWidthInteger)?, _ words: String) -> StatedDeviation? {
                number.map { StatedDeviation(name: "\(name) \($0)", sentence: "\(words) \($0)\(ending(name)).") }
            }
            return [
                stated("capacityMax", capacityMax, "The greatest capacity is"),
                stated("costMax", costMax, "One entry costs at most"),
                stated("entryBytesMax", entryBytesMax, "A key and its value have together at most"),
                stated("clockStepNanoseconds", clockStepNanoseconds, "The clock goes in steps of"),
                stated("timeToLiveMaxNanoseconds", timeToLiveMaxNanoseconds, "The longest time to live is"),
                stated("clockMaxNanoseconds", clockMaxNanoseconds, "The clock ends after"),
                stated("counterMax", counterMax, "A counter is at most"),
            ].compactMap(\.self)
        }

        private func ending(_ name: String) -> String {
            name.hasSuffix("Nanoseconds")
                ? " ns" : name == "entryBytesMax" ? " bytes" : name == "capacityMax" ? " entries" : ""
        }

        /// What no cache can mean.
        var fault: String? {
            for (name, number) in [
                ("capacityMax", capacityMax), ("costMax", costMax), ("entryBytesMax", entryBytesMax),
                ("timeToLiveMaxNanoseconds", timeToLiveMaxNanoseconds.map(Int.init)),
                ("clockMaxNanoseconds", clockMaxNanoseconds.map(Int.init)), ("counterMax", counterMax),
            ] where number.map({ $0 < 1 }) ?? false { return "'limits.\(name)' is at least 1" }
            guard let step = clockStepNanoseconds, !(1...1 << 42).contains(step) else { return nil }
            return "'limits.clockStepNanoseconds' is a number from 1 to 2^42"
        }
    }

    /// Whether a deviation is stated.
    public func deviates(_ deviation: Deviation) -> Bool { deviations.contains(deviation) }

    /// Everything that is stated to be otherwise than in most caches, in the order of the deviations' names, numbers last.
    public var statedDeviations: [StatedDeviation] {
        Deviation.allCases.filter(deviates).map { StatedDeviation(name: $0.rawValue, sentence: $0.sentence) }
            .sorted { $0.name < $1.name } + limits.stated
    }

    /// Whether entries can have times to live of their own.
    var hasOwnTimes: Bool { claims(.timeToLive) && !deviates(.oneTimeToLive) }

    /// The deviations by which a check asks for nothing that is claimed.
    func excluding(_ id: String) -> [Deviation] {
        Deviation.allCases.filter { deviates($0) && $0.excludedChecks.contains(id) }
    }
}
