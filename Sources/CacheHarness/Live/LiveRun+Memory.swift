public import CacheCore

extension LiveRun {
    /// What a memory pass found out.
    public struct Memory: Sendable, Hashable, Codable {
        /// The figures.
        public var figures: MemoryFigures
        /// The counts of the pass, which must equal those of a timing pass over the trace once.
        public var counts: ReplayCounts
    }

    /// Fills one cache and measures what it takes up, in a process that does nothing else.
    ///
    /// - Parameter measuresLeak: Whether to clear, fill and clear it again, to see what it keeps; takes twice the time.
    /// - Throws: `AssayError` as the timing passes do.
    public func memory(directory: String, measuresLeak: Bool = false) throws(AssayError) -> Memory {
        let meter = AllocationMeter.best()
        func allocated() -> Int { meter?.allocatedBytes() ?? 0 }
        // The harness's own account is as large as the trace and no part of the subject.
        let ledger = newLedger()
        let startResident = ProcessMemory.residentSetBytes()
        let start = allocated()
        let backend = try openBackend(directory)
        let beforeCache = allocated()
        let cache = try newCache(over: backend, ledger)
        let policyBytes = allocated() - beforeCache
        let driver = driver(cache, ledger)
        func fill() throws(AssayError) -> LoadCounts { try driver.drive(LoadCursor(0..<requests.traceCount)) }
        let filled = try fill()
        let counts = try cache.counts(filled, removals: filled.removals, evictionsBefore: 0)
        let end = allocated()
        let resident = ProcessMemory.residentSetBytes()
        let disk = subject.backend.descriptor.needsDirectory ? DiskUsage.of(directory) : nil
        var figures = MemoryFigures(
            meter: meter?.name ?? "unavailable: no allocation counter works in this process",
            payloadBytes: cache.residentPayloadBytes(), entries: counts.residentObjects)
        if meter != nil {
            figures.allocatedBytes = end - start
            figures.policyBytes = policyBytes
            figures.bytesPerEntry = figures.entries == 0 ? nil : Double(end - start) / Double(figures.entries)
        }
        if let resident, let startResident { figures.residentSetBytes = max(0, resident - startResident) }
        figures.diskBytes = disk?.allocatedBytes
        figures.diskFiles = disk?.files
        if measuresLeak, meter != nil {
            cache.clear()
            let cleared = allocated()
            _ = try fill()
            cache.clear()
            figures.leakedBytes = allocated() - cleared
        }
        try self.end(cache)
        // Keeps the subject alive to this point: the last use would otherwise end it before the reading.
        withExtendedLifetime(cache) {}
        return Memory(figures: figures, counts: counts)
    }
}
