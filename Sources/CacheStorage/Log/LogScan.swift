import CacheCore

/// Finds the sound records of a segment, whatever lies between them.
enum LogScan {
    /// What a segment holds from some offset on.
    struct Result {
        var items: [LogItem] = []
        /// Where the last sound record ends, rounded up to 8.
        var end: Int
    }

    /// The sound records in `bytes`, which are those of `segment` from `start` on.
    ///
    /// A damaged record is passed over by looking for the next sound header at every multiple of 8. With `checkingValues`
    /// a record with a damaged value is reported as a removal, so that an older value does not come back in its stead.
    static func records(in bytes: UnsafeRawBufferPointer, of segment: UInt32, from start: Int) -> Result {
        var result = Result(end: start)
        var position = 0
        while position + LogRecord.headerBytes <= bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[position...])
            let place = LogPlace(segment: segment, offset: start + position)
            guard let record = LogRecord(reading: rest, at: place) else {
                position += 8
                continue
            }
            let valueStart = LogRecord.headerBytes + record.keyBytes
            // A value that the end of the file cut off was never acknowledged.
            guard rest.count >= valueStart + record.valueBytes else { break }
            let key = [UInt8](rest[LogRecord.headerBytes..<valueStart])
            let value = UnsafeRawBufferPointer(rebasing: rest[valueStart..<(valueStart + record.valueBytes)])
            let isSound = record.kind == .removal || Checksum64.checksum(of: value) == record.valueChecksum
            result.items.append(
                LogItem(
                    kind: isSound ? record.kind : .removal, key: key, offset: place.offset,
                    valueBytes: record.valueBytes))
            position += record.byteCount
            result.end = start + position
        }
        return result
    }
}
