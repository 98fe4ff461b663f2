public import CacheCore

extension LiveRun {
    /// What a memory pass found out.
    public struct Memory: Sendable, Hashable, Codable {
        /// The figures.
        public var figures: MemoryFigures
        /// The counts of the pass, which must equal those of the timing pass.
        public var counts: ReplayCounts
    }

    /// Fills one cache and measures what it takes up, in a process that does nothing else.
    ///
    /// - Throws: `AssayError` as the timing passes do.
    public func memory(directory: String) throws(AssayError) -> Memory {
        let meter = AllocationMeter.best()
        func allocated() -> Int { meter?.allocatedBytes() ?? 0 }
        var start = 0
        var afterPolicy = 0
        var startResident: Int?
        var result: Memory?
        try memory(
            directory: directory,
            beforePolicy: {
                startResident = ProcessMemory.residentSetBytes()
                start = allocated()
            },
            beforeBackend: { afterPolicy = allocated() },
            whenFull: { cache, counts in
                let end = allocated()
                let resident = ProcessMemory.residentSetBytes()
                let disk = subject.backend.descriptor.needsDirectory ? DiskUsage.of(directory) : nil
                let entries = counts.residentObjects
                var figures = MemoryFigures(
                    meter: meter?.name ?? "unavailable: no allocation counter works in this process",
                    payloadBytes: cache.residentPayloadBytes(), entries: entries)
                if meter != nil {
                    figures.allocatedBytes = end - start
                    figures.policyBytes = afterPolicy - start
                    figures.bytesPerEntry = entries == 0 ? nil : Double(end - start) / Double(entries)
                }
                if let resident, let startResident { figures.residentSetBytes = max(0, resident - startResident) }
                figures.diskBytes = disk?.allocatedBytes
                figures.diskFiles = disk?.files
                result = Memory(figures: figures, counts: counts)
            })
        guard let result else { throw AssayError(.internalError, "the memory pass ended without a reading") }
        return result
    }
}
