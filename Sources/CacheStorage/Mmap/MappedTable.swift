import CacheCore

/// The open mapped file: its chunks, the index over them, and the free ones. Used by one thread at a time.
struct MappedTable: ~Copyable {
    /// The first chunk lies behind the page with the file's magic.
    static let firstUnit = 4_096 / MappedChunk.unitBytes

    let region: MappedRegion
    let growBytes: Int
    /// Whether every change waits for the device.
    let isSynchronised: Bool
    var index = FlatIndex()
    var freeChunks = FreeChunks()
    /// Where the part of the file begins that was never used, in units.
    var endUnit = MappedTable.firstUnit
    private var sequence: UInt64 = 0
    /// Units freed since free neighbours were last joined.
    private var freedUnits = 0

    /// Builds the index from the headers of a file's chunks.
    init(_ region: MappedRegion, growBytes: Int, isSynchronised: Bool) throws(StoreError) {
        self.region = region
        self.growBytes = growBytes
        self.isSynchronised = isSynchronised
        try load()
    }

    /// The entry under a key.
    ///
    /// - Throws: `corrupt` if its value is damaged; the entry is gone afterwards.
    mutating func entry(_ key: UnsafeRawBufferPointer) throws(StoreError) -> StoredEntry? {
        let hash = SlabTable.hash(key)
        guard let unit = find(key, hash) else { return nil }
        if let entry = chunk(unit).entry(units: chunk(unit).units ?? 0) { return entry }
        try drop(unit, hash)
        throw StoreError(.corrupt, "an entry's bytes were damaged; the entry was dropped, store it again")
    }

    /// Whether there is an entry under a key.
    func contains(_ key: UnsafeRawBufferPointer) -> Bool { find(key, SlabTable.hash(key)) != nil }

    /// Stores an entry. If that fails the old one is dropped.
    mutating func put(_ entry: StoredEntry, _ key: UnsafeRawBufferPointer) throws(StoreError) {
        let hash = SlabTable.hash(key)
        let old = find(key, hash)
        do throws(StoreError) {
            let units = MappedChunk.units(keyBytes: key.count, valueBytes: entry.value.count)
            let new = try allocate(units)
            sequence += 1
            let chunk = chunk(new)
            entry.value.withRawBytes {
                chunk.prepare(key, $0, expiry: entry.expiresAtNanoseconds, sequence: sequence)
            }
            do throws(StoreError) {
                try synchronise(new, units: units)
                chunk.commit()
                try synchronise(new, units: MappedChunk.unitsMin)
            } catch {
                release(new)
                throw error
            }
            if let old {
                index.replace(hash, old, with: new)
                release(old)
                try synchronise(old, units: MappedChunk.unitsMin)
            } else {
                index.insert(hash, new, among: region) { SlabTable.hash(MappedChunk(base: $0.base, unit: $1).key) }
            }
        } catch {
            if let left = find(key, hash) { try? drop(left, hash) }
            throw error
        }
    }

    /// Removes an entry and returns whether there was one.
    mutating func remove(_ key: UnsafeRawBufferPointer) throws(StoreError) -> Bool {
        let hash = SlabTable.hash(key)
        guard let unit = find(key, hash) else { return false }
        try drop(unit, hash)
        return true
    }

    /// Removes every entry and gives the file's blocks back.
    mutating func removeAll() throws(StoreError) {
        try region.shrink(to: Self.firstUnit * MappedChunk.unitBytes)
        index = FlatIndex()
        freeChunks = FreeChunks()
        endUnit = Self.firstUnit
        freedUnits = 0
        if isSynchronised { try region.synchroniseLength() }
    }

    /// Every key.
    func keys() -> [[UInt8]] {
        var keys: [[UInt8]] = []
        keys.reserveCapacity(index.count)
        index.forEach { keys.append([UInt8](chunk($0).key)) }
        return keys
    }

    func chunk(_ unit: UInt32) -> MappedChunk { MappedChunk(base: region.base, unit: unit) }

    /// Takes what a sound chunk holds into the index, unless the store has something newer under its key.
    mutating func adopt(_ unit: UInt32) {
        let chunk = chunk(unit)
        let hash = SlabTable.hash(chunk.key)
        sequence = max(sequence, chunk.sequence)
        guard let known = find(chunk.key, hash) else {
            index.insert(hash, unit, among: region) { SlabTable.hash(MappedChunk(base: $0.base, unit: $1).key) }
            return
        }
        // A crash came between a put and the end of what it replaced.
        if self.chunk(known).sequence < chunk.sequence {
            index.replace(hash, known, with: unit)
            release(known)
        } else {
            release(unit)
        }
    }

    /// Ends the entry of a chunk that the index does not know.
    mutating func release(_ unit: UInt32) {
        let chunk = chunk(unit)
        chunk.free()
        if let units = chunk.units {
            freeChunks.add(unit, units: units)
            freedUnits += units
        }
    }

    private mutating func drop(_ unit: UInt32, _ hash: UInt64) throws(StoreError) {
        index.remove(hash, unit)
        release(unit)
        try synchronise(unit, units: MappedChunk.unitsMin)
    }

    private func find(_ key: UnsafeRawBufferPointer, _ hash: UInt64) -> UInt32? {
        index.find(hash) { chunk($0).key.isEqual(to: key) }
    }

    private func synchronise(_ unit: UInt32, units: Int) throws(StoreError) {
        guard isSynchronised else { return }
        let start = Int(unit) * MappedChunk.unitBytes
        try region.synchronise(start..<(start + units * MappedChunk.unitBytes))
    }

    /// Finds a place: a free chunk, the rest of the file, or a longer file; neighbours are joined when that promises room.
    private mutating func allocate(_ units: Int) throws(StoreError) -> UInt32 {
        if let unit = takeFree(units) { return unit }
        if let unit = takeEnd(units) { return unit }
        if freeChunks.units > units, freedUnits > (endUnit - Self.firstUnit) / 4 {
            joinFree()
            if let unit = takeFree(units) ?? takeEnd(units) { return unit }
        }
        do throws(StoreError) {
            try grow(units)
        } catch {
            guard freedUnits > 0 else { throw error }
            joinFree()
            if let unit = takeFree(units) ?? takeEnd(units) { return unit }
            throw error
        }
        return takeEnd(units)!
    }

    private mutating func takeFree(_ units: Int) -> UInt32? {
        let base = region.base
        let taken = freeChunks.take(units) { MappedChunk(base: base, unit: $0).units ?? 0 }
        guard let (unit, found) = taken else { return nil }
        if found - units >= MappedChunk.unitsMin {
            // The rest becomes a chunk first; it is not seen until this one gets shorter.
            let rest = unit + UInt32(units)
            chunk(rest).makeFree(units: found - units)
            chunk(unit).resize(units: units)
            freeChunks.add(rest, units: found - units)
        }
        return unit
    }

    private mutating func takeEnd(_ units: Int) -> UInt32? {
        guard (endUnit + units) * MappedChunk.unitBytes <= region.size else { return nil }
        let unit = UInt32(endUnit)
        chunk(unit).makeFree(units: units)
        endUnit += units
        return unit
    }

    private mutating func grow(_ units: Int) throws(StoreError) {
        let needed = (endUnit + units) * MappedChunk.unitBytes
        let page = 4_096
        let wanted = max(needed, region.size + max(growBytes, region.size / 8))
        let sizes = [min(wanted, region.capacity), needed].map { ($0 + page - 1) / page * page }
        do throws(StoreError) {
            try region.grow(to: max(sizes[0], sizes[1]))
        } catch {
            guard sizes[1] < sizes[0], error.code == .full else { throw error }
            try region.grow(to: sizes[1])
        }
        if isSynchronised { try region.synchroniseLength() }
    }

    /// Joins free neighbours. O(chunks).
    private mutating func joinFree() {
        freeChunks = FreeChunks()
        freedUnits = 0
        var unit = Self.firstUnit
        var run: (start: Int, units: Int)?
        while unit < endUnit {
            let current = chunk(UInt32(unit))
            guard let units = current.units else {
                finish(&run)
                unit += 1
                continue
            }
            if current.isFree {
                run = (run?.start ?? unit, (run?.units ?? 0) + units)
            } else {
                finish(&run)
            }
            unit += units
        }
        if let last = run, unit == endUnit { endUnit = last.start } else { finish(&run) }
    }

    private mutating func finish(_ run: inout (start: Int, units: Int)?) {
        guard let (start, units) = run else { return }
        chunk(UInt32(start)).resize(units: units)
        freeChunks.add(UInt32(start), units: units)
        run = nil
    }
}
