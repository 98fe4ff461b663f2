import CacheCore

/// Finds the sound records of a segment, whatever lies between them.
enum LogScan {
    /// What a segment holds from some offset on.
    struct Result {
        var items: [LogItem] = []
        /// Records that are damaged, in order.
        var losses: [LogLoss] = []
        /// Where the last record ends of which something is known, rounded up to 8.
        var end: Int
    }

    /// The sound records in `bytes`, which are those of `segment` from `start` on.
    ///
    /// A damaged record is passed over by its ``LogMark``, and without that by looking for the next sound header at every
    /// multiple of 8. With a damaged value it is reported as a removal, so that an older value does not come back in its stead.
    /// What is at the end and has neither header nor mark is taken for what a crash cut off.
    static func records(in bytes: UnsafeRawBufferPointer, of segment: UInt32, from start: Int) -> Result {
        var result = Result(end: start)
        var position = 0
        var unknownFrom: Int?
        func found(_ end: Int) {
            if let unknown = unknownFrom { result.losses.append(LogLoss(offset: start + unknown, keyHash: nil)) }
            unknownFrom = nil
            position = end
            result.end = start + end
        }
        while position + LogMark.offset <= bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[position...])
            let place = LogPlace(segment: segment, offset: start + position)
            if let record = LogRecord(reading: rest, at: place) {
                let valueStart = record.headerBytes + record.keyBytes
                // A value that the end of the file cut off was never acknowledged.
                guard rest.count >= valueStart + record.valueBytes else { break }
                let key = [UInt8](rest[record.headerBytes..<valueStart])
                let value = UnsafeRawBufferPointer(rebasing: rest[valueStart..<(valueStart + record.valueBytes)])
                let isSound = record.kind == .removal || Checksum64.checksum(of: value) == record.valueChecksum
                found(position + record.byteCount)
                result.items.append(
                    LogItem(
                        kind: isSound ? record.kind : .removal, key: key, offset: place.offset,
                        valueBytes: record.valueBytes))
            } else if let mark = LogMark(reading: rest, at: place) {
                guard rest.count >= mark.contentBytes else { break }
                found(position + (mark.contentBytes + 7) & ~7)
                result.losses.append(LogLoss(offset: place.offset, keyHash: mark.keyHash))
            } else {
                unknownFrom = unknownFrom ?? position
                position += 8
            }
        }
        return result
    }
}

/// A record that is damaged: whatever was written before it may be older than what it said.
struct LogLoss: Equatable {
    var offset: Int
    /// The key that it was about; nil where that is not known.
    var keyHash: UInt64?
}
