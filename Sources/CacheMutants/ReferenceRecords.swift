import CacheConformance
import CacheCore

/// Puts the fields of a record together.
struct RecordWriter {
    private(set) var bytes: [UInt8] = []

    mutating func add(_ number: Int) { withUnsafeBytes(of: Int64(number).littleEndian) { bytes += $0 } }

    mutating func add(_ field: [UInt8]) {
        add(field.count)
        bytes += field
    }

    mutating func add(_ time: Int64?) {
        add(time == nil ? 0 : 1)
        add(Int(time ?? 0))
    }

    /// Adds a record as a program of that version wrote it.
    ///
    /// Version 1 kept when an entry was written and how long it lived from then on, version 2 when it was written and when it ends.
    mutating func add(_ record: ReferenceJournal.Record, format: Int) {
        add(record.place.group == nil ? 0 : 1)
        add(Array((record.place.group ?? "").utf8))
        add(record.place.key)
        add(record.entry == nil ? 0 : 1)
        guard let entry = record.entry else { return }
        add(entry.name)
        add(entry.stored.value)
        add(entry.stored.expiresAtNanoseconds)
        add(Int64?.some(entry.writtenAt))
        add(format == 1 ? entry.deadline.map { $0 &- entry.writtenAt } : entry.deadline)
        add(entry.terms.timeToLiveNanoseconds)
        add(entry.terms.cost)
        add(entry.terms.tags.count)
        for tag in entry.terms.tags { add(Array(tag.utf8)) }
        add(entry.stamp)
        add(entry.reads)
    }
}

/// Takes the fields of a record apart; nil where there are too few bytes.
struct RecordReader {
    let bytes: [UInt8]
    private(set) var position = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    static func checksum(_ bytes: [UInt8]) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return mix64(hash)
    }

    /// The checksum that a record is written with; with a defect one of all but its end, that and its tags, or its group.
    static func checksum(ofRecord body: [UInt8], format: Int, bug: Mutant?) -> UInt64 {
        var fields = RecordReader(bytes: body)
        guard let bug, [.checksumSkipsTerms, .checksumSkipsEnds, .checksumSkipsGroup].contains(bug),
            var record = fields.record(format: format)
        else { return checksum(body) }
        if bug == .checksumSkipsGroup {
            record.place.group = record.place.group == nil ? nil : ""
            var bare = RecordWriter()
            bare.add(record, format: format)
            return checksum(bare.bytes)
        }
        record.entry?.deadline = nil
        record.entry?.terms.timeToLiveNanoseconds = nil
        if bug == .checksumSkipsTerms { record.entry?.terms.tags = [] }
        var bare = RecordWriter()
        bare.add(record, format: format)
        return checksum(bare.bytes)
    }

    mutating func number() -> Int? {
        guard position + 8 <= bytes.count else { return nil }
        defer { position += 8 }
        return bytes.withUnsafeBytes {
            Int(Int64(littleEndian: $0.loadUnaligned(fromByteOffset: position, as: Int64.self)))
        }
    }

    mutating func field() -> [UInt8]? {
        guard let count = number(), count >= 0, count <= bytes.count - position else { return nil }
        defer { position += count }
        return Array(bytes[position..<position + count])
    }

    mutating func time() -> Int64?? {
        guard let isThere = number(), let time = number() else { return nil }
        return .some(isThere == 0 ? nil : Int64(time))
    }

    /// What comes next in a file of records.
    enum Next {
        case whole([UInt8])
        /// A record that was written whole and is not what was written.
        case damaged([UInt8])
        /// The end, or a record that was not written to its end.
        case end
    }

    /// The next record; at the end the position stays behind the last whole one.
    mutating func next(format: Int, bug: Mutant?) -> Next {
        let start = position
        guard let count = number(), let headSum = number(), let sum = number() else {
            position = start
            return .end
        }
        guard headSum == Self.sum(of: count), count >= 0 else { return .damaged([]) }
        guard count <= bytes.count - position else {
            position = start
            return .end
        }
        let body = Array(bytes[position..<position + count])
        position += count
        let isWhole = UInt64(UInt(bitPattern: sum)) == Self.checksum(ofRecord: body, format: format, bug: bug)
        return isWhole ? .whole(body) : .damaged(body)
    }

    /// Leaves bytes out.
    mutating func skip(_ count: Int) { position += count }

    /// Goes back to the beginning.
    mutating func rewind() { position = 0 }

    /// The checksum of a record's length.
    static func sum(of count: Int) -> Int { Int(truncatingIfNeeded: mix64(UInt64(truncatingIfNeeded: count))) }

    /// A record as a program of that version wrote it.
    mutating func record(format: Int, bug: Mutant? = nil) -> ReferenceJournal.Record? {
        guard let hasGroup = number(), let group = field(), let key = field(), let isThere = number() else {
            return nil
        }
        let place = ReferenceContents.Place(
            group: hasGroup == 0 ? nil : String(decoding: group, as: UTF8.self), key: key)
        guard isThere == 1 else { return ReferenceJournal.Record(place: place, entry: nil) }
        guard let name = field(), let value = field(), let moment = time(), let end = end(format, bug),
            let life = time(),
            let cost = number(),
            let tagCount = number(), tagCount >= 0, tagCount < 1_000
        else { return nil }
        var tags: [String] = []
        for _ in 0..<tagCount {
            guard let tag = field() else { return nil }
            tags.append(String(decoding: tag, as: UTF8.self))
        }
        if bug == .upgradeDropsField, format == 1 { tags = [] }
        guard let stamp = number(), let reads = number() else { return nil }
        let terms = PutTerms(timeToLiveNanoseconds: life, cost: cost, tags: tags)
        return ReferenceJournal.Record(
            place: place,
            entry: ReferenceContents.Entry(
                name: name, stored: StoredEntry(value, expiresAtNanoseconds: moment), terms: terms,
                deadline: end.deadline,
                stamp: stamp, reads: reads, writtenAt: end.writtenAt))
    }

    /// When an entry ends, and when it was written.
    private mutating func end(_ format: Int, _ bug: Mutant?) -> (deadline: Int64?, writtenAt: Int64)? {
        guard let writtenAt = time() ?? nil, let end = time() else { return nil }
        guard format == 1 else { return (end, writtenAt) }
        if bug == .expiresAtUpgrade { return (writtenAt, writtenAt) }
        return (end.map { writtenAt &+ $0 }, writtenAt)
    }
}
