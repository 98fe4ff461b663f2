public import CacheCore
internal import CacheEngine

/// One pass of one cache of this process, for `scripts/peers-live`.
public struct PeerRun: Sendable {
    /// The caches.
    public enum Subject: String, CaseIterable, Sendable {
        /// The engine's cache, a capacity in entries.
        case engine
        /// The engine's cache, every read of which takes the lock.
        case engineStrict = "engine-strict"
        /// The engine's cache, a capacity in bytes.
        case engineBytes = "engine-bytes"
        /// The engine's cache, a capacity in bytes, entries that expire.
        case engineExpiry = "engine-expiry"
        /// The engine's cache, values that are numbers: what is left where no references to values are counted.
        case engineNumbers = "engine-numbers"
        /// No cache: what the load costs by itself.
        case empty
        /// A dictionary and a list under a lock.
        case lockedLRU = "locked-lru"
        /// Foundation's.
        case nscache
    }

    /// What is done with them.
    public enum Pass: String, CaseIterable, Sendable {
        /// Reads of entries that are all there, in the order of the trace.
        case reads
        /// The trace: reads, and writes of what was missed.
        case replay
        /// The trace again, a sample of whose requests is timed.
        case latency
        /// Filling it, in a process that counts allocations.
        case memory
    }

    /// What a pass found out.
    public struct Figures: Codable, Sendable, Hashable {
        /// Requests that were made.
        public var requests: Int
        /// Requests that were hits.
        public var hits: Int
        /// How long they took, in seconds.
        public var seconds: Double
        /// The objects that are there at the end, if the cache can say.
        public var entries: Int?
        /// The median of a request, in nanoseconds; nil where nothing was timed.
        public var p50Nanoseconds: Int?
        /// The 99th percentile of a request, in nanoseconds.
        public var p99Nanoseconds: Int?
        /// The 99th percentile of a request's read, without the write that may follow, in nanoseconds.
        public var readP99Nanoseconds: Int?
        /// Bytes allocated for each entry besides its key and its value; nil where nobody counts.
        public var bytesPerEntry: Double?
        /// Who counted.
        public var meter: String?
    }

    /// How long a sample of requests took: their reads alone, and with the writes that followed.
    private struct Times {
        var reads = LatencyCollector()
        var requests = LatencyCollector()
    }

    private let subject: Subject
    private let policy: PolicyEntry
    private let columns: RequestColumns
    private let capacity: Int
    private let valueBytes: Int
    private let threads: Int

    /// A run over a trace, of a cache with room for so many objects.
    public init(
        _ subject: Subject, policy: PolicyEntry, columns: RequestColumns, capacity: Int, valueBytes: Int, threads: Int
    ) {
        self.subject = subject
        self.policy = policy
        self.columns = columns
        self.capacity = max(1, min(capacity, columns.objects.count))
        self.valueBytes = valueBytes
        self.threads = threads
    }

    /// Makes the requests; `requests` of the trace, which is repeated.
    ///
    /// - Throws: `AssayError` with code `usage` for a policy that cannot drive a cache.
    public func run(_ pass: Pass, requests: Int) throws(AssayError) -> Figures {
        let objects = PeerObjects(count: columns.objects.count, valueBytes: valueBytes)
        func engine(
            _ variant: EnginePeer.Variant, _ order: CacheOrder = .relaxed
        ) throws(AssayError) -> EnginePeer {
            try EnginePeer(objects, capacity: capacity, policy: policy, variant, order)
        }
        switch subject {
        case .engine: return try run(pass, requests) { () throws(AssayError) in try engine(.counting) }
        case .engineStrict:
            return try run(pass, requests) { () throws(AssayError) in try engine(.counting, .strict) }
        case .engineBytes: return try run(pass, requests) { () throws(AssayError) in try engine(.weighing) }
        case .engineExpiry: return try run(pass, requests) { () throws(AssayError) in try engine(.expiring) }
        case .engineNumbers:
            return try run(pass, requests) { () throws(AssayError) in
                try NumberPeer(objects, capacity: capacity, policy: policy)
            }
        case .empty: return try run(pass, requests) { EmptyPeer(objects: objects) { !$0.isEmpty } }
        case .lockedLRU: return try run(pass, requests) { LockedLRUPeer(objects, capacity: capacity) }
        case .nscache: return try run(pass, requests) { NSCachePeer(objects, capacity: capacity) }
        }
    }

    private func run<Peer: PeerCache>(
        _ pass: Pass, _ requests: Int, _ make: () throws(AssayError) -> Peer
    ) throws(AssayError) -> Figures {
        if pass == .memory { return try memory(make) }
        let cache = try make()
        // Reads do nothing but read: everything that is asked for is there.
        let order = PeerOrder(columns.ids, objects: pass == .reads ? capacity : columns.objects.count)
        if pass == .reads {
            for object in 0..<capacity { cache.put(object) }
        } else {
            order.forEach(in: 0..<columns.ids.count) { _ = request(cache, $0) }
        }
        let cursor = LoadCursor(0..<requests)
        let outcome = try LoadThreads.run(threads, cursor, clock: SystemLoadClock()) {
            (thread) throws(AssayError) -> (hits: Int, times: Times) in
            switch pass {
            case .reads: return (read(cache, order, cursor), Times())
            case .latency: return timedReplay(cache, order, cursor, calls: requests, seed: UInt64(thread))
            case .replay, .memory: return (replay(cache, order, cursor), Times())
            }
        }
        var figures = Figures(
            requests: requests, hits: outcome.results.reduce(0) { $0 + $1.hits }, seconds: outcome.seconds,
            entries: cache.count)
        if pass == .latency {
            var times = Times()
            for result in outcome.results {
                times.requests.add(result.times.requests)
                times.reads.add(result.times.reads)
            }
            let summary = times.requests.distribution().summary
            (figures.p50Nanoseconds, figures.p99Nanoseconds) = (summary.p50Nanoseconds, summary.p99Nanoseconds)
            figures.readP99Nanoseconds = times.reads.distribution().summary.p99Nanoseconds
        }
        return figures
    }

    @inline(__always)
    private func request(_ cache: some PeerCache, _ object: Int) -> Bool {
        if cache.get(object) { return true }
        cache.put(object)
        return false
    }

    private func read(_ cache: some PeerCache, _ order: PeerOrder, _ cursor: LoadCursor) -> Int {
        var hits = 0
        while let block = cursor.nextBlock() { order.forEach(in: block) { hits &+= cache.get($0) ? 1 : 0 } }
        return hits
    }

    private func replay(_ cache: some PeerCache, _ order: PeerOrder, _ cursor: LoadCursor) -> Int {
        var hits = 0
        while let block = cursor.nextBlock() { order.forEach(in: block) { hits &+= request(cache, $0) ? 1 : 0 } }
        return hits
    }

    private func timedReplay(
        _ cache: some PeerCache, _ order: PeerOrder, _ cursor: LoadCursor, calls: Int, seed: UInt64
    ) -> (hits: Int, times: Times) {
        var times = Times()
        var sampler = LatencySampler(meanGap: StratifiedSampler.gap(calls: calls), seed: seed)
        var hits = 0
        while let block = cursor.nextBlock() {
            order.forEach(in: block) { object in
                let start = sampler.takesNext() ? MonotonicClock.nowNanoseconds() : nil
                let isHit = cache.get(object)
                let read = start.map { MonotonicClock.nowNanoseconds() &- $0 }
                if isHit { hits &+= 1 } else { cache.put(object) }
                times.requests.record(start.map { MonotonicClock.nowNanoseconds() &- $0 })
                times.reads.record(read)
            }
        }
        return (hits, times)
    }

    /// What a key and a value take in the entry itself: a string and an array, or references to two objects.
    private var placeBytes: Int {
        subject == .nscache
            ? 2 * MemoryLayout<AnyObject>.size : MemoryLayout<String>.size + MemoryLayout<[UInt8]>.size
    }

    /// Fills a cache with as many objects as it has room for.
    private func memory<Peer: PeerCache>(_ make: () throws(AssayError) -> Peer) throws(AssayError) -> Figures {
        let meter = AllocationMeter.best()
        // The keys and values that a peer converts for itself are made with it: a cache of nothing shows them.
        let before = meter?.allocatedBytes() ?? 0
        let cache = try make()
        let made = meter?.allocatedBytes() ?? 0
        let start = MonotonicClock.nowNanoseconds()
        for object in 0..<capacity { cache.put(object) }
        let end = MonotonicClock.nowNanoseconds()
        let filled = meter?.allocatedBytes() ?? 0
        // What the engine's policy is made with belongs to the entries; converted objects do not.
        let base = subject == .nscache ? made : before
        var figures = Figures(
            requests: capacity, hits: 0, seconds: Double(end &- start) / 1e9, entries: cache.count)
        figures.meter = meter?.name
        if meter != nil { figures.bytesPerEntry = Double(filled - base) / Double(capacity) - Double(placeBytes) }
        withExtendedLifetime(cache) {}
        return figures
    }
}
