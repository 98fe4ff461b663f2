import CacheCore

/// The open log: its segments, its index, and what is dead in it. Used by one thread at a time.
struct LogTable: ~Copyable {
    let directory: String
    let settings: LogSettings
    var index = LogIndex()
    /// Ascending by number; records are appended to the last.
    var segments: [LogSegment] = []
    /// The bytes of the records that the index points to.
    var liveBytes = 0
    /// Compaction rests until the segments have this many bytes, after it failed.
    var restsUntilBytes = 0

    /// Opens what is in a directory that this store has claimed.
    init(directory: String, settings: LogSettings) throws(StoreError) {
        self.directory = directory
        self.settings = settings
        try load()
    }

    /// The bytes of all segments.
    var totalBytes: Int { segments.reduce(0) { $0 + $1.size } }

    /// The entry under a key.
    ///
    /// - Throws: `corrupt` if its record is damaged; the entry is gone afterwards.
    mutating func entry(_ key: UnsafeRawBufferPointer) throws(StoreError) -> StoredEntry? {
        guard let location = index.location(of: key) else { return nil }
        switch try read(key, location) {
        case .entry(let entry): return entry
        case .removed:
            forget(key, location)
            return nil
        case .corrupt:
            try discard(key, location)
            throw StoreError(
                .corrupt, "an entry's record was damaged; the entry was dropped, store it again")
        }
    }

    /// Appends an entry. If that fails the old one is dropped.
    mutating func put(_ entry: StoredEntry, _ key: UnsafeRawBufferPointer) throws(StoreError) {
        let old = index.location(of: key)
        do throws(StoreError) {
            let place = try entry.value.withRawBytes { (value) throws(StoreError) in
                let record = LogRecord(
                    putting: value, keyBytes: key.count, expiry: entry.expiresAtNanoseconds)
                return try append(record, key, value)
            }
            let new = LogIndex.Location(place, valueBytes: entry.value.count)
            if let old { forget(key, old) }
            index.set(key, new)
            liveBytes += new.recordBytes(keyBytes: key.count)
            segments.last!.liveCount += 1
        } catch {
            if let old { try? discard(key, old) }
            throw error
        }
        compactIfBloated()
    }

    /// Removes an entry for good and returns whether there was one.
    mutating func remove(_ key: UnsafeRawBufferPointer) throws(StoreError) -> Bool {
        guard let location = index.location(of: key) else { return false }
        try discard(key, location)
        compactIfBloated()
        return true
    }

    /// Removes every entry and gives the disk back.
    mutating func removeAll() throws(StoreError) {
        // The oldest first: what a crash leaves are then the newest records, and no older value comes back.
        defer { if index.count > 0 { forgetDeleted() } }
        while segments.count > 1 {
            try segments[0].delete()
            segments.removeFirst()
        }
        // Emptied and not replaced by a new file, for which a full disk might have no room.
        try segments[0].clear()
        index.removeAll()
        liveBytes = 0
        restsUntilBytes = 0
        if settings.durability == .power { try segments[0].synchronise() }
        try synchroniseDirectory()
    }

    /// Writes what waits in memory.
    func flush() throws(StoreError) {
        try segments.last?.writeWaiting()
        if settings.durability == .power { try segments.last?.synchronise() }
    }

    /// Writes what waits in memory, and the hint that makes the next opening quick.
    func close() throws(StoreError) {
        try flush()
        segments.last?.seal()
    }

    /// Makes the removal of an entry last: by a record, or on a full disk by writing over the entry's own.
    mutating func discard(_ key: UnsafeRawBufferPointer, _ location: LogIndex.Location) throws(StoreError) {
        do throws(StoreError) {
            _ = try append(LogRecord(removing: key.count), key, UnsafeRawBufferPointer(start: nil, count: 0))
        } catch {
            guard error.code == .full, let segment = segment(location.segment) else { throw error }
            try segment.overwriteAsRemoval(key, at: location.offset, valueBytes: Int(location.valueBytes))
            if settings.durability == .power {
                try segment.synchronise()
                try synchroniseDirectory()
            }
        }
        forget(key, location)
    }

    /// Takes an entry out of the index and the accounts.
    mutating func forget(_ key: UnsafeRawBufferPointer, _ location: LogIndex.Location) {
        index.remove(key)
        liveBytes -= location.recordBytes(keyBytes: key.count)
        segment(location.segment)?.liveCount -= 1
    }

    /// Appends a record at the durability that was asked for, in a new segment if the last one is full.
    mutating func append(
        _ record: LogRecord, _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, isCopy: Bool = false
    ) throws(StoreError) -> LogPlace {
        if segments.last!.size > 0, segments.last!.size + record.byteCount > settings.segmentBytes { try rotate() }
        let active = segments.last!
        let isBuffered = settings.durability == .exit && record.byteCount <= settings.bufferBytes
        if active.waitingBytes > 0, !isBuffered || active.waitingBytes + record.byteCount > settings.bufferBytes {
            try active.writeWaiting()
        }
        let offset = try active.append(record, key, value, isBuffered: isBuffered)
        if settings.durability == .power, !isCopy {
            do { try active.synchronise() } catch {
                active.takeBack(offset)
                throw error
            }
        }
        return LogPlace(segment: active.number, offset: offset)
    }

    /// Starts a new segment; the last one is whole from then on.
    mutating func rotate() throws(StoreError) {
        let last = segments.last!
        try flush()
        try addSegment(last.number + 1)
        last.seal()
    }

    mutating func addSegment(_ number: UInt32) throws(StoreError) {
        segments.append(try LogSegment(number, in: directory))
        try synchroniseDirectory()
    }

    func synchroniseDirectory() throws(StoreError) {
        if settings.durability == .power { try FileSystem.synchroniseDirectory(FileSystem.characters(directory)) }
    }

    /// Forgets the entries whose segments are gone.
    private mutating func forgetDeleted() {
        let first = segments[0].number
        for key in index.keys(where: { $0.segment < first }) {
            key.withRawBytes { key in
                if let location = index.location(of: key) { forget(key, location) }
            }
        }
    }

    /// The open segment with a number. O(log segments).
    func segment(_ number: UInt32) -> LogSegment? {
        var (low, high) = (0, segments.count)
        while low < high {
            let middle = (low + high) / 2
            if segments[middle].number < number { low = middle + 1 } else { high = middle }
        }
        return low < segments.count && segments[low].number == number ? segments[low] : nil
    }
}

/// What a log is opened with.
struct LogSettings: Sendable {
    var durability: DurabilityLevel
    var segmentBytes: Int
    var amplificationMax: Double

    /// The records that may wait in memory with `durability=exit`.
    let bufferBytes = 256 << 10
    /// Dead bytes that are never worth a compaction.
    let slackBytes = 256 << 10
}
