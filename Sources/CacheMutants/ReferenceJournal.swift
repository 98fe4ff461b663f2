import CacheConformance
import CacheCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A file to which every change of the reference cache is appended before it is acknowledged.
///
/// A record is its length, a checksum of that, one of its bytes, and these. A record that was not written to its end is cut
/// off when the file is opened; one that was and does not check empties it. The owner's lock protects it.
final class ReferenceJournal: @unchecked Sendable {
    /// What became of a place.
    struct Record {
        var place: ReferenceContents.Place
        /// What is there; nil if it was removed.
        var entry: ReferenceContents.Entry?
    }

    private let bug: Mutant?
    private let path: String
    private var file: Int32
    private var waiting: [UInt8] = []
    /// The bytes in the file.
    private(set) var byteCount = 0
    /// What the file held when it was opened.
    private(set) var records: [Record] = []
    /// Keys of records that do not check.
    private(set) var damaged: [[UInt8]] = []

    init(directory: String, bug: Mutant?) throws(StorageError) {
        self.bug = bug
        mkdir(directory, 0o700)
        path = directory + "/journal"
        file = open(path, O_RDWR | O_CREAT | O_APPEND, 0o600)
        guard file >= 0 else { throw StorageError(.unavailable, "the journal cannot be opened; look at its directory") }
        guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
            throw StorageError(.unavailable, "the journal is in use; close the other instance")
        }
        read()
    }

    /// Lets go of the file, which another instance may then open.
    func end() { flock(file, LOCK_UN) }

    deinit { close(file) }

    private func read() {
        var bytes = [UInt8](repeating: 0, count: Int(lseek(file, 0, SEEK_END)))
        let count = pread(file, &bytes, bytes.count, 0)
        bytes.removeSubrange(max(0, count)...)
        var reader = RecordReader(bytes: bytes)
        reading: while true {
            switch reader.next() {
            case .end: break reading
            case .whole(let body):
                var fields = RecordReader(bytes: body)
                if let record = fields.record() { records.append(record) }
            case .damaged(let body):
                var fields = RecordReader(bytes: body)
                let record = fields.record()
                if bug == .checksNothing, let record { records.append(record) }
                if bug == .truncatedIsStuck, let record { damaged.append(record.place.key) }
                if bug == .checksNothing || bug == .truncatedIsStuck { continue }
                // What came before would be older than what is lost, and so nothing is kept.
                records = []
                reader.rewind()
                break reading
            }
        }
        if bug == .tornDiscardsAll, reader.position < bytes.count { records = [] }
        byteCount = reader.position
        ftruncate(file, off_t(byteCount))
        if bug == .badCompaction, records.count > 6 { return compact() }
        if bug != .neverCompacts, records.count > 64, byteCount > 1 << 16 { rewrite() }
    }

    /// Writes what is still there to a new file, which takes the place of the old one in one step.
    private func rewrite() {
        var last: [ReferenceContents.Place: Int] = [:]
        for (index, record) in records.enumerated() { last[record.place] = index }
        let live = records.enumerated().filter { last[$1.place] == $0 && $1.entry != nil }.map(\.element)
        let new = open(path + ".new", O_RDWR | O_CREAT | O_TRUNC | O_APPEND, 0o600)
        guard new >= 0, flock(new, LOCK_EX | LOCK_NB) == 0 else { return }
        byteCount = 0
        for record in live { append(record) }
        _ = writeAll(new, waiting)
        waiting = []
        rename(path + ".new", path)
        close(file)
        file = new
    }

    /// With a defect, what makes the file smaller in place, so that a crash in the middle loses it.
    private func compact() {
        ftruncate(file, 0)
        byteCount = 0
        usleep(20_000)
        write(records, isEnd: true)
    }

    /// Appends changes; they are in the file when this returns.
    func write(_ changes: [Record], isEnd: Bool) {
        for change in changes {
            if bug == .tearsValues, let entry = change.entry, entry.stored.value.count > 48 {
                var half = change
                half.entry?.stored = StoredEntry(entry.stored.value.dropLast(24))
                append(half)
                _ = writeAll(file, waiting)
                waiting = []
                usleep(500)
            }
            append(change)
        }
        let isHeldBack =
            bug == .buffersWrites || (bug == .buffersRemovals && !changes.contains { $0.entry != nil })
        guard !waiting.isEmpty, isEnd || !isHeldBack else { return }
        _ = writeAll(file, waiting)
        waiting = []
    }

    private func append(_ change: Record) {
        var body = RecordWriter()
        body.add(change)
        var record = RecordWriter()
        record.add(body.bytes.count)
        record.add(RecordReader.sum(of: body.bytes.count))
        record.add(Int(bitPattern: UInt(RecordReader.checksum(body.bytes))))
        waiting += record.bytes + body.bytes
        byteCount += record.bytes.count + body.bytes.count
    }
}

private func writeAll(_ file: Int32, _ bytes: [UInt8]) -> Bool {
    var done = 0
    while done < bytes.count {
        let count = bytes[done...].withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
        guard count > 0 else { return false }
        done += count
    }
    return true
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

    mutating func add(_ record: ReferenceJournal.Record) {
        add(record.place.group == nil ? 0 : 1)
        add(Array((record.place.group ?? "").utf8))
        add(record.place.key)
        add(record.entry == nil ? 0 : 1)
        guard let entry = record.entry else { return }
        add(entry.name)
        add(entry.stored.value)
        add(entry.stored.expiresAtNanoseconds)
        add(entry.deadline)
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

    /// Goes back to the beginning.
    mutating func rewind() { position = 0 }

    /// The checksum of a record's length.
    static func sum(of count: Int) -> Int { Int(truncatingIfNeeded: mix64(UInt64(truncatingIfNeeded: count))) }

    mutating func record() -> ReferenceJournal.Record? {
        guard let hasGroup = number(), let group = field(), let key = field(), let isThere = number() else {
            return nil
        }
        let place = ReferenceContents.Place(
            group: hasGroup == 0 ? nil : String(decoding: group, as: UTF8.self), key: key)
        guard isThere == 1 else { return ReferenceJournal.Record(place: place, entry: nil) }
        guard let name = field(), let value = field(), let moment = time(), let deadline = time(), let life = time(),
            let cost = number(),
            let tagCount = number(), tagCount >= 0, tagCount < 1_000
        else { return nil }
        var tags: [String] = []
        for _ in 0..<tagCount {
            guard let tag = field() else { return nil }
            tags.append(String(decoding: tag, as: UTF8.self))
        }
        guard let stamp = number(), let reads = number() else { return nil }
        let terms = PutTerms(timeToLiveNanoseconds: life, cost: cost, tags: tags)
        return ReferenceJournal.Record(
            place: place,
            entry: ReferenceContents.Entry(
                name: name, stored: StoredEntry(value, expiresAtNanoseconds: moment), terms: terms, deadline: deadline,
                stamp: stamp, reads: reads))
    }
}

// What is written of the contents, and read back.
extension ReferenceContents {
    /// What has changed since this was asked.
    mutating func takeChanges() -> [ReferenceJournal.Record] {
        defer { changed = [] }
        return changed.sorted { (entries[$0]?.stamp ?? 0) < (entries[$1]?.stamp ?? 0) }
            .map { ReferenceJournal.Record(place: $0, entry: entries[$0]) }
    }

    mutating func restore(_ records: [ReferenceJournal.Record], damaged: [[UInt8]]) {
        for record in records {
            entries[record.place] = record.entry
            if bug == .deadlineRestarts, let terms = record.entry?.terms {
                let restarted = deadline(terms)
                entries[record.place]?.deadline = restarted
            }
            if bug == .forgetsTerms { entries[record.place]?.terms.tags = [] }
            if bug == .losesValues, (record.entry?.stored.value.count ?? 0) > 10_000 {
                entries[record.place]?.deadline = nil
                lost.insert(record.place)
            }
        }
        stuck = Set(damaged)
        clock = entries.values.map(\.stamp).max() ?? 0
        if bug == .forgetsOrder { for place in entries.keys { entries[place]!.stamp = -Int(place.key.last ?? 0) } }
        cost = entries.values.reduce(0) { $0 + $1.terms.cost }
        if bug == .countsFromZero { uncounted = entries.count }
        if bug == .defaultTrimsFirst {
            while entries.count > 5, let oldest = entries.min(by: { $0.value.stamp < $1.value.stamp })?.key {
                leave(oldest, .evicted)
            }
        }
        makeRoom(sparing: nil)
        told = []
    }
}
