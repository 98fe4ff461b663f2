public import CacheCore

extension LiveRun {
    /// What a memory pass found out.
    public struct Memory: Sendable, Hashable, Codable {
        /// The figures.
        public var figures: MemoryFigures
        /// The counts of the pass, which must equal those of a timing pass over the trace once.
        public var counts: ReplayCounts
    }

    /// How often a memory pass looks for a peak.
    private static var peakLooks: Int { 64 }
    /// The allocations that the harness makes for each value that it offers: its bytes, and a copy of the key.
    private static var allocationsPerOffer: Int { 2 }

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
        let (startDescriptors, startWritten) = (ProcessFiles.openDescriptors(), ProcessFiles.bytesWritten())
        let start = allocated()
        let location = try openLocation(directory)
        let beforeCache = allocated()
        let cache = try newCache(over: location, ledger)
        var policyBytes: Int?
        if case .backend = location { policyBytes = allocated() - beforeCache }
        let driver = driver(cache, ledger)
        let startAllocations = meter?.allocations()
        var peak = 0
        let filled = try fill(driver) { peak = max(peak, allocated() - start) }
        let allocations = meter?.allocations()
        let counts = try cache.counts(filled, removals: filled.removals)
        let end = allocated()
        let resident = ProcessMemory.residentSetBytes()
        let disk = subject.needsDirectory ? DiskUsage.of(directory) : nil
        var figures = MemoryFigures(
            meter: meter?.name ?? "unavailable: no allocation counter works in this process",
            payloadBytes: try cache.residentPayloadBytes(), entries: counts.residentObjects)
        if let meter {
            figures.allocatedBytes = end - start
            figures.policyBytes = policyBytes
            figures.bytesPerEntry = figures.entries == 0 ? nil : Double(end - start) / Double(figures.entries)
            figures.peakBytes = max(peak, end - start)
            figures.fragmentation = meter.activeBytes().map { Double($0) / Double(max(1, end)) }
        }
        if let startAllocations, let allocations {
            // Looking for the peak allocates nothing.
            let own = allocations - startAllocations - Self.allocationsPerOffer * filled.offers
            figures.allocationsPerRequest = Double(own) / Double(max(1, requests.traceCount))
        }
        if let resident, let startResident { figures.residentSetBytes = max(0, resident - startResident) }
        figures.peakResidentBytes = ProcessMemory.peakResidentBytes()
        if let startDescriptors, let now = ProcessFiles.openDescriptors() {
            figures.fileDescriptors = now - startDescriptors
        }
        figures.diskBytes = disk?.allocatedBytes
        figures.diskFiles = disk?.files
        if disk != nil, let startWritten, let written = ProcessFiles.bytesWritten(), counts.bytesWritten > 0 {
            figures.bytesWrittenPerByte = Double(written - startWritten) / Double(counts.bytesWritten)
        }
        if measuresLeak, meter != nil {
            try cache.clear()
            let cleared = allocated()
            _ = try fill(driver) {}
            try cache.clear()
            figures.leakedBytes = allocated() - cleared
        }
        try self.end(cache)
        // Keeps the subject alive to this point: the last use would otherwise end it before the reading.
        withExtendedLifetime(cache) {}
        return Memory(figures: figures, counts: counts)
    }

    /// Makes the requests of the trace once, and looks at something now and then.
    private func fill(_ driver: Driver, _ look: () -> Void) throws(AssayError) -> LoadCounts {
        var counts = LoadCounts()
        let step = max(1, (requests.traceCount + Self.peakLooks - 1) / Self.peakLooks)
        for first in stride(from: 0, to: requests.traceCount, by: step) {
            counts += try driver.drive(LoadCursor(first..<min(first + step, requests.traceCount)))
            look()
        }
        return counts
    }
}
