import CacheConformance
import CacheCore

/// What begins a file of version 2 and later: a word that begins no record, the version, and a checksum of that.
enum JournalHeader {
    static let byteCount = 24
    private static let word = -0x4A4F_5552

    static func bytes(_ version: Int) -> [UInt8] {
        var header = RecordWriter()
        header.add(word)
        header.add(version)
        header.add(RecordReader.sum(of: version))
        return header.bytes
    }

    /// The version of a file; nil for one without a header, or with one that does not check.
    static func version(of bytes: [UInt8]) -> Int? {
        var reader = RecordReader(bytes: bytes)
        guard reader.number() == word, let version = reader.number(), reader.number() == RecordReader.sum(of: version)
        else { return nil }
        return version
    }
}

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
        add(record.id.group == nil ? 0 : 1)
        add(Array((record.id.group ?? "").utf8))
        add(record.id.key)
        add(record.entry == nil ? 0 : 1)
        guard let entry = record.entry else { return }
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
    private(set) var position: Int

    init(bytes: [UInt8], from position: Int = 0) {
        self.bytes = bytes
        self.position = position
    }

    static func checksum(_ bytes: [UInt8]) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return mix64(hash)
    }

    /// The checksum of a record's length.
    static func sum(of count: Int) -> Int { Int(truncatingIfNeeded: mix64(UInt64(truncatingIfNeeded: count))) }

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
    mutating func next() -> Next {
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
        return UInt64(UInt(bitPattern: sum)) == Self.checksum(body) ? .whole(body) : .damaged(body)
    }

    /// A record as a program of that version wrote it.
    mutating func record(format: Int) -> ReferenceJournal.Record? {
        guard let hasGroup = number(), let group = field(), let key = field(), let isThere = number() else {
            return nil
        }
        let id = ReferenceContents.EntryID(
            group: hasGroup == 0 ? nil : String(decoding: group, as: UTF8.self), key: key)
        guard isThere == 1 else { return ReferenceJournal.Record(id: id, entry: nil) }
        guard let value = field(), let moment = time(), let writtenAt = time() ?? nil, let end = time(),
            let life = time(), let cost = number(), let tagCount = number(), tagCount >= 0, tagCount < 1_000
        else { return nil }
        var tags: [String] = []
        for _ in 0..<tagCount {
            guard let tag = field() else { return nil }
            tags.append(String(decoding: tag, as: UTF8.self))
        }
        guard let stamp = number(), let reads = number() else { return nil }
        return ReferenceJournal.Record(
            id: id,
            entry: ReferenceContents.Entry(
                stored: StoredEntry(value, expiresAtNanoseconds: moment),
                terms: PutTerms(timeToLiveNanoseconds: life, cost: cost, tags: tags),
                deadline: format == 1 ? end.map { writtenAt &+ $0 } : end, stamp: stamp, reads: reads,
                writtenAt: writtenAt))
    }
}
