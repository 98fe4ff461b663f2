import CacheCore

/// Opening a mapped file.
extension MappedTable {
    private static let magic: UInt64 = 0x0000_0001_314D_5341

    /// Reads the file's first page, and then the chunks.
    ///
    /// A power cut can lose the first page and leave others. Sound chunks prove that the file is ours, as each has a checksum
    /// of its place, and zeros are what was never written: such a file is given its first page again. Any other is left as it is.
    mutating func load() throws(StoreError) {
        let headerBytes = Self.firstUnit * MappedChunk.unitBytes
        let word = region.size >= headerBytes ? region.base.load(as: UInt64.self) : nil
        if word == Self.magic { return loadChunks() }
        // Only the version differs.
        let isOther = word.map { $0 & 0x00FF_FFFF == Self.magic & 0x00FF_FFFF } ?? false
        guard !isOther, holdsSoundChunk || isZero(headerBytes) else {
            throw StoreError(
                .corrupt,
                "cache.map is not a store of this version, or damaged throughout; use another directory, or move it")
        }
        if region.size < headerBytes { try region.grow(to: headerBytes) }
        region.base.storeBytes(of: Self.magic, as: UInt64.self)
        if isSynchronised {
            try region.synchronise(0..<headerBytes)
            try region.synchroniseLength()
        }
        loadChunks()
    }

    private var holdsSoundChunk: Bool {
        var unit = Self.firstUnit
        while let (found, units) = nextChunk(from: unit, region.size / MappedChunk.unitBytes) {
            let chunk = chunk(UInt32(found))
            if !chunk.isFree, chunk.isSound(units: units) { return true }
            unit = found + units
        }
        return false
    }

    private func isZero(_ headerBytes: Int) -> Bool {
        UnsafeRawBufferPointer(start: region.base, count: min(region.size, headerBytes)).allSatisfy { $0 == 0 }
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
