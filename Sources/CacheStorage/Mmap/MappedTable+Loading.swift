import CacheCore

/// Opening a mapped file.
extension MappedTable {
    private static let magic: UInt64 = 0x0000_0001_314D_5341

    /// Checks the file's first page, or writes it into a new file.
    func openHeader() throws(StorageError) {
        let headerBytes = Self.firstUnit * MappedChunk.unitBytes
        // A file shorter than its first page was never finished, and holds nothing.
        if region.size < headerBytes {
            try region.grow(to: headerBytes)
            region.base.storeBytes(of: Self.magic, as: UInt64.self)
            if isSynchronised {
                try region.synchronise(0..<headerBytes)
                try region.synchroniseLength()
            }
        }
        guard region.base.load(as: UInt64.self) == Self.magic else {
            throw StorageError(.corrupt, "cache.map is not a store of this version; delete it to start afresh")
        }
    }

    /// Walks over the chunks' headers, in the order of the file.
    ///
    /// Where a header is damaged the next sound one is looked for at every unit, and what lies between becomes free: the
    /// entries around a damaged one stay. Reads no values.
    mutating func loadChunks() {
        let limit = region.size / MappedChunk.unitBytes
        var unit = Self.firstUnit
        endUnit = unit
        while let (found, units) = nextChunk(from: unit, limit) {
            // A gap that is too small for a chunk stays one until everything is removed.
            if found - unit >= MappedChunk.unitsMin {
                chunk(UInt32(unit)).makeFree(units: found - unit)
                release(UInt32(unit))
            }
            let current = chunk(UInt32(found))
            if !current.isFree, current.isSound(units: units) { adopt(UInt32(found)) } else { release(UInt32(found)) }
            unit = found + units
            endUnit = unit
        }
    }

    private func nextChunk(from start: Int, _ limit: Int) -> (unit: Int, units: Int)? {
        var unit = start
        while unit + MappedChunk.unitsMin <= limit {
            if let units = chunk(UInt32(unit)).units, unit + units <= limit { return (unit, units) }
            unit += 1
        }
        return nil
    }
}
