import CacheCore

/// Opening a log and reading its records.
extension LogTable {
    /// What the place of an entry holds.
    enum Reading {
        case entry(StoredEntry)
        case removed
        case corrupt
    }

    /// Builds the index from hints and records, and cuts off what a crash left unfinished.
    mutating func load() throws(StoreError) {
        var numbers: [UInt32] = []
        for name in try FileSystem.names(in: FileSystem.characters(directory)) {
            if let number = LogSegment.number(in: name) { numbers.append(number) }
        }
        numbers.sort()
        var isLastAppendable = false
        for number in numbers {
            let segment = try LogSegment(number, in: directory)
            segments.append(segment)
            let (items, losses, isAppendable) = try segment.load()
            isLastAppendable = isAppendable
            apply(items, losses, segment)
            if number != numbers.last { segment.seal() }
            if number == numbers.last, isAppendable { try segment.truncate(to: segment.soundEnd) }
        }
        guard let last = segments.last else { return try addSegment(1) }
        if !isLastAppendable {
            last.seal()
            try addSegment(last.number + 1)
        }
    }

    /// Reads the record of an entry and checks all of it.
    func read(
        _ key: UnsafeRawBufferPointer, _ location: LogIndex.Location, headerBytes: Int = LogRecord.headerBytes
    ) throws(StoreError) -> Reading {
        // A hint may promise more than the segment has.
        guard let segment = segment(location.segment),
            location.offset + LogMark.offset + key.count + Int(location.valueBytes) <= segment.size
        else { return .corrupt }
        let prefixBytes = headerBytes + key.count
        let prefix = UnsafeMutableRawBufferPointer.allocate(byteCount: prefixBytes, alignment: 8)
        defer { prefix.deallocate() }
        var failure: StoreError?
        var count = 0
        let value = [UInt8](unsafeUninitializedCapacity: Int(location.valueBytes)) { buffer, filled in
            let room = UnsafeMutableRawBufferPointer(start: buffer.baseAddress, count: Int(location.valueBytes))
            do throws(StoreError) {
                count = try segment.read(at: location.offset, into: prefix, room)
                filled = max(0, count - prefixBytes)
            } catch { failure = error }
        }
        if let failure { throw failure }
        let place = LogPlace(segment: location.segment, offset: location.offset)
        let bytes = UnsafeRawBufferPointer(rebasing: prefix[..<min(count, prefixBytes)])
        guard let record = LogRecord(reading: bytes, at: place), record.keyBytes == key.count else { return .corrupt }
        // One of the first version, whose value begins earlier.
        if record.headerBytes < headerBytes { return try read(key, location, headerBytes: record.headerBytes) }
        guard UnsafeRawBufferPointer(rebasing: bytes[headerBytes...]).isEqual(to: key) else { return .corrupt }
        guard record.kind == .put else { return .removed }
        guard record.valueBytes == Int(location.valueBytes), value.count == record.valueBytes,
            value.withRawBytes({ Checksum64.checksum(of: $0) }) == record.valueChecksum
        else { return .corrupt }
        return .entry(StoredEntry(value, expiresAtNanoseconds: record.expiry))
    }

    /// Takes the records of a segment into the index, in order; a damaged one takes out what may be older than it.
    private mutating func apply(_ items: [LogItem], _ losses: [LogLoss], _ segment: LogSegment) {
        var suspects = LogSuspects(losses)
        if !losses.isEmpty { for key in index.keys() { suspects.note(key) } }
        var losses = losses[...]
        for item in items {
            // The hint's items may come twice, in the order in which they were written.
            while let loss = losses.first, loss.offset < item.offset {
                drop(loss, &suspects, segment)
                losses.removeFirst()
            }
            apply(item, segment)
            suspects.note(item.key)
        }
        for loss in losses { drop(loss, &suspects, segment) }
    }

    private mutating func apply(_ item: LogItem, _ segment: LogSegment) {
        segment.note(item)
        item.key.withRawBytes { key in
            if let old = index.location(of: key) { forget(key, old) }
            guard item.kind == .put else { return }
            index.set(
                key,
                LogIndex.Location(LogPlace(segment: segment.number, offset: item.offset), valueBytes: item.valueBytes))
            liveBytes += item.byteCount
            segment.liveCount += 1
        }
    }

    /// Takes out what a damaged record may have replaced or removed: one key, or all where it is not known which.
    private mutating func drop(_ loss: LogLoss, _ suspects: inout LogSuspects, _ segment: LogSegment) {
        for key in loss.keyHash.map({ suspects.keys(of: $0) }) ?? index.keys() {
            apply(LogItem(kind: .removal, key: key, offset: loss.offset, valueBytes: 0), segment)
        }
    }
}

/// The keys that damaged records may be about, by the hash that their marks have.
private struct LogSuspects {
    private var keys: [UInt64: Set<[UInt8]>] = [:]

    init(_ losses: [LogLoss]) {
        for loss in losses { if let hash = loss.keyHash { keys[hash] = [] } }
    }

    mutating func note(_ key: [UInt8]) {
        guard !keys.isEmpty else { return }
        let hash = key.withRawBytes(LogMark.hash)
        if keys[hash] != nil { keys[hash]!.insert(key) }
    }

    func keys(of hash: UInt64) -> [[UInt8]] { Array(keys[hash] ?? []) }
}
