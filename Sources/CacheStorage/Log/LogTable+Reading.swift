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
    mutating func load() throws(StorageError) {
        var numbers: [UInt32] = []
        for name in try FileSystem.names(in: FileSystem.characters(directory)) {
            if let number = LogSegment.number(in: name) { numbers.append(number) }
        }
        numbers.sort()
        var isLastAppendable = false
        for number in numbers {
            let segment = try LogSegment(number, in: directory)
            segments.append(segment)
            let (items, isAppendable) = try segment.load()
            isLastAppendable = isAppendable
            for item in items { apply(item, segment) }
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
        _ key: UnsafeRawBufferPointer, _ location: LogIndex.Location
    ) throws(StorageError) -> Reading {
        guard let segment = segment(location.segment) else { return .corrupt }
        let prefixBytes = LogRecord.headerBytes + key.count
        let prefix = UnsafeMutableRawBufferPointer.allocate(byteCount: prefixBytes, alignment: 8)
        defer { prefix.deallocate() }
        var failure: StorageError?
        var count = 0
        let value = [UInt8](unsafeUninitializedCapacity: Int(location.valueBytes)) { buffer, filled in
            let room = UnsafeMutableRawBufferPointer(start: buffer.baseAddress, count: Int(location.valueBytes))
            do throws(StorageError) {
                count = try segment.read(at: location.offset, into: prefix, room)
                filled = max(0, count - prefixBytes)
            } catch { failure = error }
        }
        if let failure { throw failure }
        let place = LogPlace(segment: location.segment, offset: location.offset)
        let bytes = UnsafeRawBufferPointer(rebasing: prefix[..<min(count, prefixBytes)])
        guard let record = LogRecord(reading: bytes, at: place), record.keyBytes == key.count,
            UnsafeRawBufferPointer(rebasing: bytes[LogRecord.headerBytes...]).isEqual(to: key)
        else { return .corrupt }
        guard record.kind == .put else { return .removed }
        guard record.valueBytes == Int(location.valueBytes), value.count == record.valueBytes,
            value.withRawBytes({ Checksum64.checksum(of: $0) }) == record.valueChecksum
        else { return .corrupt }
        return .entry(StoredEntry(value, expiresAtNanoseconds: record.expiry))
    }

    private mutating func apply(_ item: LogItem, _ segment: LogSegment) {
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
}
