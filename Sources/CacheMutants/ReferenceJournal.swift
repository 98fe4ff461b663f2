import CacheConformance
import CacheCore
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A file to which every change of the reference cache is appended before it is acknowledged.
///
/// It begins with a header that says the version; a file of version 1 has none. A record is its length, a checksum of that,
/// one of its bytes, and these. A record that was not written to its end is cut off when the file is opened; one that was
/// and does not check empties it. What cannot be appended is cut off again. The owner's lock protects it. A durable one waits for the
/// device before a change is acknowledged.
final class ReferenceJournal: @unchecked Sendable {
    /// What became of a place.
    struct Record {
        var place: ReferenceContents.Place
        /// What is there; nil if it was removed.
        var entry: ReferenceContents.Entry?
    }

    /// The version that is written now.
    static let newest = 2

    private let bug: Mutant?
    private let directory: String
    private let format: Int
    private let isDurable: Bool
    private var path: String { directory + "/journal" }
    private var file: Int32
    private var waiting: [UInt8] = []
    private var isDead = false
    private var losesMoments = false
    /// The bytes in the file.
    private(set) var byteCount = 0
    /// What the file held when it was opened.
    private(set) var records: [Record] = []
    /// Keys of records that do not check.
    private(set) var damaged: [[UInt8]] = []

    /// Opens the file as the program of a version does, the newest unless one is named.
    init(directory: String, bug: Mutant?, format: Int?, isDurable: Bool) throws(StoreError) {
        self.bug = bug
        self.isDurable = isDurable
        self.directory = directory
        self.format = format ?? Self.newest
        mkdir(directory, 0o700)
        file = open(directory + "/journal", O_RDWR | O_CREAT | O_APPEND, 0o600)
        guard file >= 0 else { throw StoreError(.unavailable, "the journal cannot be opened; look at its directory") }
        guard flock(file, LOCK_EX | LOCK_NB) == 0 || isRefusedAgain else {
            throw StoreError(.unavailable, "the journal is in use; close the other instance")
        }
        let parent = directory.split(separator: "/").dropLast().joined(separator: "/")
        guard !isDurable || synchronise(directory) && synchronise("/" + parent) else {
            throw StoreError(.inputOutput, "the journal's directory cannot be made durable")
        }
        try read()
    }

    /// Lets go of the file, which another instance may then open.
    func end() {
        guard file >= 0 else { return }
        flock(file, LOCK_UN)
        if bug == .closesFileLate { return }
        close(file)
        file = -1
    }

    /// Unlocks first: a child that was forked meanwhile holds the file open, and with it the lock.
    deinit {
        guard file >= 0 else { return }
        if bug?.writesAtTheEnd == true { _ = writeAll(file, waiting) }
        flock(file, LOCK_UN)
        close(file)
    }

    // MARK: Opening

    /// Where somebody was refused, for a defect that takes the lock away then.
    private static let refusals = Mutex<Set<String>>([])

    private var isRefusedAgain: Bool {
        bug == .refusalUnlocks && !Self.refusals.withLock { $0.insert(directory).inserted }
    }

    private func read() throws(StoreError) {
        var bytes = [UInt8](repeating: 0, count: Int(lseek(file, 0, SEEK_END)))
        if let count = readAll(file, &bytes) {
            bytes.removeSubrange(count...)
        } else {
            guard bug == .failedReadEmpties else {
                throw StoreError(.inputOutput, "the journal cannot be read", errno: errno)
            }
            bytes = []
        }
        let version = JournalHeader.version(of: bytes)
        if let version, version > format, bug != .opensUnknown {
            guard bug == .oldProgramEmpties, format == 1 else {
                throw StoreError(
                    .unsupported,
                    "the store is of version \(version), and this program knows \(format); use a newer one")
            }
            ftruncate(file, 0)
            bytes = []
        }
        var reader = RecordReader(bytes: bytes)
        if version != nil { reader.skip(JournalHeader.byteCount) }
        let isWhole = collect(&reader, version ?? 1)
        if bug == .tornDiscardsAll, reader.position < bytes.count { records = [] }
        byteCount = reader.position
        if bug != .tornTailStays { ftruncate(file, off_t(byteCount)) }
        let isOld = (version ?? 1) < format
        if !isWhole || isOld {
            guard bug == .upgradesInPlace, !records.isEmpty else { return try rewrite(isUpgrade: isOld) }
            return compact()
        }
        if bug == .badCompaction, records.count > 6 { return compact() }
        if bug != .neverCompacts, records.count > 64 && byteCount > 1 << 16 || byteCount > 1 << 20 {
            if bug == .compactsInPlace { compact() } else { try rewrite() }
        }
    }

    /// Takes the records; false if one of them does not check, so that nothing is left.
    private func collect(_ reader: inout RecordReader, _ version: Int) -> Bool {
        while true {
            switch reader.next(format: version, bug: bug) {
            case .end: return true
            case .whole(let body):
                var fields = RecordReader(bytes: body)
                if let record = fields.record(format: version, bug: bug) { records.append(record) }
            case .damaged(let body):
                var fields = RecordReader(bytes: body)
                let record = fields.record(format: version)
                if bug == .checksNothing, let record { records.append(record) }
                if bug == .truncatedIsStuck || bug == .undecodableStays, let record { damaged.append(record.place.key) }
                if bug == .checksNothing || bug == .truncatedIsStuck || bug == .undecodableStays { continue }
                if bug == .damagedRemovalSkipped, let record, record.entry == nil { continue }
                // What came before would be older than what is lost, and so nothing is kept.
                records = []
                reader.rewind()
                return false
            }
        }
    }

    /// Writes what is still there to a new file, which takes the place of the old one in one step.
    private func rewrite(isUpgrade: Bool = false) throws(StoreError) {
        var last: [ReferenceContents.Place: Int] = [:]
        for (index, record) in records.enumerated() {
            if bug == .compactionKeepsFirst, record.entry != nil, last[record.place] != nil { continue }
            if bug == .compactionRevives, record.entry == nil { continue }
            last[record.place] = index
        }
        var live = records.enumerated().filter { last[$1.place] == $0 && $1.entry != nil }.map(\.element)
        if bug == .compactionLosesMoment {
            for index in live.indices { live[index].entry?.stored.expiresAtNanoseconds = nil }
        }
        if bug == .compactionLosesNewest, let last = live.last, records.count(where: { $0.place == last.place }) == 1 {
            live.removeLast()
        }
        if bug == .compactionLosesGroups { live.removeAll { $0.place.group != nil } }
        if bug == .compactionForgetsOrder {
            for index in live.indices { live[index].entry?.stamp = -index }
        }
        if bug == .compactionRestartsAge {
            let latest = live.compactMap(\.entry?.writtenAt).max()
            for index in live.indices { live[index].entry?.writtenAt = latest! }
        }
        if bug == .upgradeFileLosesTags, isUpgrade {
            for index in live.indices { live[index].entry?.terms.tags = [] }
        }
        let new = open(path + ".new", O_RDWR | O_CREAT | O_TRUNC | O_APPEND, 0o600)
        guard new >= 0, flock(new, LOCK_EX | LOCK_NB) == 0 else { return }
        begin()
        for record in live { append(record) }
        defer { waiting = [] }
        guard writeAll(new, waiting), !isDurable || fdatasync(new) == 0 else {
            close(new)
            unlink(path + ".new")
            throw StoreError(.full, "there is no room to bring the journal up to date")
        }
        rename(path + ".new", path)
        if isDurable { _ = synchronise(directory) }
        close(file)
        file = new
    }

    /// With a defect, what writes the file anew in its place, so that a crash in the middle loses it.
    private func compact() {
        ftruncate(file, 0)
        begin()
        usleep(20_000)
        write(records, isEnd: true)
    }

    /// A new file's header.
    private func begin() {
        waiting = format >= 2 ? JournalHeader.bytes(format) : []
        byteCount = waiting.count
    }

    /// Makes the file again if it was deleted; whether it was.
    func startAnewIfGone() -> Bool {
        var status = stat()
        guard fstat(file, &status) == 0, status.st_nlink == 0, bug != .deletionEndsIt, bug != .maintainDetaches else {
            return false
        }
        mkdir(directory, 0o700)
        let new = open(path, O_RDWR | O_CREAT | O_APPEND, 0o600)
        guard new >= 0, flock(new, LOCK_EX | LOCK_NB) == 0 else { return false }
        close(file)
        file = new
        begin()
        return true
    }

    // MARK: Writing

    /// Appends changes; they are in the file when this returns true, and not when it returns false.
    @discardableResult
    func write(_ changes: [Record], isEnd: Bool, isHeldBack: Bool = false) -> Bool {
        if isDead { return changes.isEmpty }
        if bug == .deletionEndsIt, isGone { return changes.isEmpty }
        let start = byteCount - waiting.count
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
            isHeldBack || bug == .buffersWrites || (bug == .buffersRemovals && !changes.contains { $0.entry != nil })
        guard !waiting.isEmpty, isEnd || !isHeldBack else { return true }
        defer { waiting = [] }
        let isApart = bug == .leavesUnfinished && waiting.count > 100_000
        if isApart { writeApart() }
        defer { if isApart { unlink(unfinished) } }
        if writeAll(file, waiting), isSynchronised || bug == .failedSyncForgotten { return true }
        if bug == .failedWriteForgotten { return true }
        if bug == .momentOnlyAtFirst {
            ftruncate(file, off_t(start))
            (waiting, byteCount, losesMoments) = ([], start, true)
            for change in changes { append(change) }
            return writeAll(file, waiting)
        }
        if bug == .fullEndsIt { isDead = true }
        ftruncate(file, off_t(start))
        byteCount = start
        return false
    }

    /// With a defect, what an operation does to the file besides.
    func slip(after operation: CacheOperation) {
        switch (bug, operation) {
        case (.clearLeavesHole, .removeAll):
            ftruncate(file, 0)
            ftruncate(file, off_t(byteCount))
        case (.maintainUnlocks, .maintain): flock(file, LOCK_UN)
        case (.maintainDetaches, .maintain):
            var bytes = [UInt8](repeating: 0, count: byteCount)
            let count = pread(file, &bytes, byteCount, 0)
            let new = open(path + ".new", O_RDWR | O_CREAT | O_TRUNC, 0o600)
            guard new >= 0, count == byteCount, writeAll(new, bytes) else { return }
            close(new)
            rename(path + ".new", path)
        default: break
        }
    }

    /// Where a defect writes what is long first, and whence nobody takes it who opens the journal after a crash.
    private var unfinished: String { directory + "/unfinished-\(getpid())" }

    private func writeApart() {
        let new = open(unfinished, O_RDWR | O_CREAT | O_TRUNC, 0o600)
        guard new >= 0 else { return }
        _ = writeAll(new, waiting)
        close(new)
    }

    /// Lets everything go, which needs no room.
    func empty() {
        ftruncate(file, 0)
        byteCount = 0
        _ = isSynchronised
    }

    /// Whether what was written is on the device, where that is waited for.
    private var isSynchronised: Bool { !isDurable || fdatasync(file) == 0 }

    private func synchronise(_ directory: String) -> Bool {
        let descriptor = open(directory, O_RDONLY)
        defer { close(descriptor) }
        return descriptor >= 0 && fsync(descriptor) == 0
    }

    private var isGone: Bool {
        var status = stat()
        return fstat(file, &status) == 0 && status.st_nlink == 0
    }

    private func append(_ change: Record) {
        var change = change
        if losesMoments { change.entry?.stored.expiresAtNanoseconds = nil }
        var body = RecordWriter()
        body.add(change, format: format)
        var record = RecordWriter()
        record.add(body.bytes.count)
        record.add(RecordReader.sum(of: body.bytes.count))
        let sum = RecordReader.checksum(ofRecord: body.bytes, format: format, bug: bug)
        record.add(Int(bitPattern: UInt(sum)))
        waiting += record.bytes + body.bytes
        byteCount += record.bytes.count + body.bytes.count
    }
}

/// How many bytes there were, nil if they cannot be read.
private func readAll(_ file: Int32, _ bytes: inout [UInt8]) -> Int? {
    var done = 0
    while done < bytes.count {
        let count = bytes[done...].withUnsafeMutableBytes { pread(file, $0.baseAddress, $0.count, off_t(done)) }
        if count < 0 { return nil }
        if count == 0 { break }
        done += count
    }
    return done
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
