import CacheCore

/// Giving back the space of records that are dead.
extension LogTable {
    /// Whether the segments have more bytes than the parameter allows for what is alive.
    var isBloated: Bool {
        let total = totalBytes
        return total >= restsUntilBytes
            && Double(total) > settings.amplificationMax * Double(liveBytes) + Double(settings.slackBytes)
    }

    /// Empties the oldest segments until the log is no longer bloated.
    ///
    /// The oldest always, and never one from the middle: a removal need only be kept while there is an older segment that
    /// may hold the value that it removed, so the removals of the oldest segment can be left behind. A failure, such as a
    /// full disk, leaves everything readable; the put that led here has succeeded.
    mutating func compactIfBloated() {
        do throws(StoreError) {
            while isBloated {
                if segments.count == 1 { try rotate() }
                try compactOldest()
            }
            restsUntilBytes = min(restsUntilBytes, totalBytes)
        } catch {
            restsUntilBytes = totalBytes + settings.slackBytes
        }
    }

    private mutating func compactOldest() throws(StoreError) {
        let oldest = segments[0]
        if oldest.liveCount > 0 {
            for item in try oldest.scan(from: 0).items where item.kind == .put {
                try item.key.withRawBytes { (key) throws(StoreError) in try copy(item, key, from: oldest) }
            }
            try flush()
            if oldest.liveCount > 0 { forgetLost(in: oldest) }
        }
        try oldest.delete()
        segments.removeFirst()
    }

    /// Appends an entry's record again if it is still the newest of its key.
    private mutating func copy(
        _ item: LogItem, _ key: UnsafeRawBufferPointer, from segment: LogSegment
    ) throws(StoreError) {
        let place = LogPlace(segment: segment.number, offset: item.offset)
        let old = LogIndex.Location(place, valueBytes: item.valueBytes)
        guard index.location(of: key) == old, case .entry(let entry) = try read(key, old) else { return }
        let new = try entry.value.withRawBytes { (value) throws(StoreError) in
            let record = LogRecord(putting: value, keyBytes: key.count, expiry: entry.expiresAtNanoseconds)
            return try append(record, key, value, isCopy: true)
        }
        index.set(key, LogIndex.Location(new, valueBytes: item.valueBytes))
        segment.liveCount -= 1
        segments.last!.liveCount += 1
    }

    /// Forgets the entries of a segment whose records are damaged: there is nothing left to copy.
    private mutating func forgetLost(in segment: LogSegment) {
        for key in index.keys(where: { $0.segment == segment.number }) {
            key.withRawBytes { key in
                if let location = index.location(of: key) { forget(key, location) }
            }
        }
    }
}
