public import CacheCore

extension LiveRun {
    /// What a cache takes up at one moment of a soak.
    public struct Footprint: Sendable, Hashable, Codable {
        /// Bytes allocated in the process while the cache is full; nil where nobody counts.
        public var fullBytes: Int?
        /// Bytes allocated in the process after the cache was cleared; nil where nobody counts.
        public var clearedBytes: Int?
        /// Open file descriptors; nil where the system does not tell.
        public var descriptors: Int?
        /// Files in the store's directory after the cache was cleared.
        public var files: Int
        /// What these take on disk, in bytes.
        public var diskBytes: Int
    }

    /// What a soak found out.
    public struct Soak: Sendable, Hashable, Codable {
        /// After the warm-up.
        public var before: Footprint
        /// At the end.
        public var after: Footprint
        /// Requests in between.
        public var requests: Int
        /// How long it took, in seconds.
        public var seconds: Double

        /// What an allocator may round and keep for itself: less than this, in bytes, is not growth.
        public static var toleratedBytes: Int { 65_536 }

        /// Whether the cache takes up no more than after the warm-up: no file, no descriptor, and no bytes beyond
        /// ``toleratedBytes``. False where nobody counted: what was not seen is not stable.
        public var isStable: Bool {
            func grew(_ figure: (Footprint) -> Int?, by tolerated: Int) -> Bool {
                guard let first = figure(before), let last = figure(after) else { return true }
                return last - first > tolerated
            }
            return after.files == before.files && after.descriptors != nil && after.descriptors == before.descriptors
                && !grew(\.clearedBytes, by: Self.toleratedBytes) && !grew(\.fullBytes, by: Self.toleratedBytes)
                && !grew(\.diskBytes, by: Self.toleratedBytes)
        }
    }

    /// Fills, churns and clears one cache over and over, and says whether it takes up more at the end than after a warm-up.
    ///
    /// A lap is the trace by all threads of the load, every hit verified, then a clear of the cache, after which its store must
    /// be empty, and one of the store, so that what a store of logs keeps for later is not taken for growth. Both footprints are
    /// taken at the end of a lap. `tell` is called after each with the seconds since the beginning.
    ///
    /// - Throws: `AssayError` as the timing passes do; `verdict` if entries are left in the store of a cleared cache.
    public func soak(
        directory: String, warmUpSeconds: Double, seconds: Double, tell: (Double) -> Void = { _ in }
    ) throws(AssayError) -> Soak {
        let meter = AllocationMeter.best()
        let (location, ledger) = (try openLocation(directory), newLedger())
        let cache = try newCache(over: location, ledger)
        let driver = driver(cache, ledger)
        let start = MonotonicClock.nowNanoseconds()
        var position = 0
        func now() -> Double { Double(MonotonicClock.nowNanoseconds() &- start) / 1e9 }
        func lap() throws(AssayError) -> Footprint {
            let cursor = LoadCursor(position..<position + requests.traceCount)
            position += requests.traceCount
            _ = try LoadThreads.run(load.threads, cursor, clock: driver.clock) { (_) throws(AssayError) in
                try driver.drive(cursor)
            }
            let full = meter?.allocatedBytes()
            try cache.clear()
            if case .backend(let backend) = location { try Self.clear(backend) }
            let disk = subject.needsDirectory ? DiskUsage.of(directory) : DiskUsage()
            tell(now())
            return Footprint(
                fullBytes: full, clearedBytes: meter?.allocatedBytes(),
                descriptors: ProcessFiles.openDescriptors(), files: disk.files, diskBytes: disk.allocatedBytes)
        }
        var before = try lap()
        // At least two laps: the first one makes what a cache makes once.
        repeat { before = try lap() } while now() < warmUpSeconds
        let (first, begun) = (position, now())
        var after = before
        repeat { after = try lap() } while now() - begun < seconds
        try end(cache)
        return Soak(before: before, after: after, requests: position - first, seconds: now() - begun)
    }

    /// Clears the store of a cache that has been cleared.
    private static func clear(_ backend: any StorageBackend) throws(AssayError) {
        let left: Int
        do throws(StoreError) {
            left = try backend.count()
            try backend.removeAll()
        } catch {
            throw AssayError(.inputOutput, "the store could not be cleared", cause: error)
        }
        guard left == 0 else {
            throw AssayError(
                .verdict, "the store of a cleared cache held \(left) entries; they should have been removed")
        }
    }
}
