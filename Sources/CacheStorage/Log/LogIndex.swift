import CacheCore

/// Where the newest record of each key is: 12 bytes beside the key, no object an entry.
struct LogIndex: ~Copyable {
    private var table = SlabTable()

    /// Where an entry's record is and how long its value is.
    struct Location: Equatable {
        var segment: UInt32
        /// The offset in units of 8 bytes.
        var unit: UInt32
        var valueBytes: UInt32

        init(_ place: LogPlace, valueBytes: Int) {
            segment = place.segment
            unit = UInt32(place.offset / 8)
            self.valueBytes = UInt32(valueBytes)
        }

        var offset: Int { Int(unit) * 8 }

        /// The bytes of the record of a key here.
        func recordBytes(keyBytes: Int) -> Int {
            LogRecord.byteCount(keyBytes: keyBytes, valueBytes: Int(valueBytes))
        }
    }

    /// The number of entries.
    var count: Int { table.count }

    /// The location of a key's record.
    func location(of key: UnsafeRawBufferPointer) -> Location? {
        table.withValue(key) { bytes, _ in bytes.loadUnaligned(as: Location.self) }
    }

    /// Sets the location of a key's record.
    mutating func set(_ key: UnsafeRawBufferPointer, _ location: Location) {
        let isStored = withUnsafeBytes(of: location) { table.put(key, $0) }
        precondition(isStored, "the index of a log is limited to 64 GiB")
    }

    /// Takes a key out.
    mutating func remove(_ key: UnsafeRawBufferPointer) { _ = table.remove(key) }

    /// Takes every key out.
    mutating func removeAll() { table.removeAll() }

    /// The keys whose location satisfies a condition.
    func keys(where isWanted: (Location) -> Bool = { _ in true }) -> [[UInt8]] {
        var keys: [[UInt8]] = []
        table.forEach { key, bytes in
            if isWanted(bytes.loadUnaligned(as: Location.self)) { keys.append([UInt8](key)) }
        }
        return keys
    }
}
