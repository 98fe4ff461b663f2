public import CacheConformance
public import CacheCore

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
/// and does not check empties it. What cannot be appended is cut off again. A durable one waits for the device before a change is
/// acknowledged. Open, so that a defect can be put around a step, and unchecked for the same reason as ``ReferenceCache``, whose
/// lock protects it.
open class ReferenceJournal: @unchecked Sendable {
    /// What became of an entry.
    public struct Record: Sendable {
        package var id: ReferenceContents.EntryID
        /// What is there; nil if it was removed.
        package var entry: ReferenceContents.Entry?

        package init(id: ReferenceContents.EntryID, entry: ReferenceContents.Entry?) {
            self.id = id
            self.entry = entry
        }
    }

    /// The version that is written now.
    public static let newest = 2

    package let directory: String
    package let format: Int
    package let isDurable: Bool
    package var path: String { directory + "/journal" }
    package var file: Int32 = -1
    /// The bytes in the file.
    package var byteCount = 0
    /// What the file held when it was opened.
    package var records: [Record] = []

    package init(directory: String, format: Int, isDurable: Bool) {
        self.directory = directory
        self.format = format
        self.isDurable = isDurable
    }

    /// Unlocks first: a child that was forked meanwhile holds the file open, and with it the lock.
    deinit { end() }

    /// Lets go of the file, which another instance may then open.
    open func end() {
        guard file >= 0 else { return }
        flock(file, LOCK_UN)
        close(file)
        file = -1
    }

    // MARK: Opening

    /// Opens the file as the program of the journal's version does, and reads it.
    package func open() throws(StoreError) {
        mkdir(directory, 0o700)
        file = openFile(path, O_RDWR | O_CREAT | O_APPEND)
        // What may not be written can still be read.
        if file < 0 { file = openFile(path, O_RDONLY) }
        guard file >= 0 else { throw StoreError(.unavailable, "the journal cannot be opened; look at its directory") }
        guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
            throw StoreError(.unavailable, "the journal is in use; close the other instance")
        }
        let parent = directory.split(separator: "/").dropLast().joined(separator: "/")
        guard !isDurable || synchronise(directory) && synchronise("/" + parent) else {
            throw StoreError(.inputOutput, "the journal's directory cannot be made durable")
        }
        var bytes = try bytesOfFile()
        let version = JournalHeader.version(of: bytes)
        if let version, version > format {
            guard takesUnknown(version) else {
                throw StoreError(
                    .unsupported,
                    "the store is of version \(version), and this program knows \(format); use a newer one")
            }
            bytes = try bytesOfFile()
        }
        var reader = RecordReader(bytes: bytes, from: version == nil ? 0 : min(JournalHeader.byteCount, bytes.count))
        let isWhole = collect(&reader, version ?? 1)
        byteCount = reader.position
        cutOff(to: byteCount, of: bytes.count)
        let isOld = (version ?? 1) < format
        if !isWhole || isOld || isLong { try rewrite(isUpgrade: isOld) }
    }

    /// Every byte of the file.
    open func bytesOfFile() throws(StoreError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Int(lseek(file, 0, SEEK_END)))
        var done = 0
        while done < bytes.count {
            let count = bytes[done...].withUnsafeMutableBytes { pread(file, $0.baseAddress, $0.count, off_t(done)) }
            if count < 0 { throw StoreError(.inputOutput, "the journal cannot be read", errno: errno) }
            if count == 0 { break }
            done += count
        }
        return Array(bytes.prefix(done))
    }

    /// Whether a file of a newer version is opened all the same.
    open func takesUnknown(_ version: Int) -> Bool { false }

    /// Cuts off the record that was not written to its end.
    open func cutOff(to end: Int, of count: Int) { ftruncate(file, off_t(end)) }

    /// What is done about a record that does not check: the answer is whether to go on without it. What came before would be
    /// older than what is lost, and so by default nothing is kept.
    open func goesOn(after damaged: Record?) -> Bool { false }

    /// Takes the records; false if one of them does not check, so that nothing is left.
    private func collect(_ reader: inout RecordReader, _ version: Int) -> Bool {
        while true {
            switch reader.next() {
            case .end: return true
            case .whole(let body):
                var fields = RecordReader(bytes: body)
                if let record = fields.record(format: version) { records.append(record) }
            case .damaged(let body):
                var fields = RecordReader(bytes: body)
                guard !goesOn(after: fields.record(format: version)) else { continue }
                records = []
                reader = RecordReader(bytes: [])
                return false
            }
        }
    }

    /// Whether there is more in the file than is worth reading.
    open var isLong: Bool { records.count > 64 && byteCount > 1 << 16 || byteCount > 1 << 20 }

    /// The last record of each entry that is still there.
    open func live(isUpgrade: Bool) -> [Record] {
        let last = Dictionary(records.enumerated().map { ($1.id, $0) }, uniquingKeysWith: { $1 })
        return records.enumerated().filter { last[$1.id] == $0 && $1.entry != nil }.map(\.element)
    }

    /// Writes what is still there to a new file, which takes the place of the old one in one step.
    open func rewrite(isUpgrade: Bool) throws(StoreError) {
        let new = openFile(path + ".new", O_RDWR | O_CREAT | O_TRUNC | O_APPEND)
        guard new >= 0, flock(new, LOCK_EX | LOCK_NB) == 0 else { return }
        let bytes = live(isUpgrade: isUpgrade).reduce(into: begin()) { $0 += encoded($1) }
        guard writeAll(new, bytes), !isDurable || fdatasync(new) == 0 else {
            close(new)
            unlink(path + ".new")
            throw StoreError(.full, "there is no room to bring the journal up to date")
        }
        byteCount = bytes.count
        rename(path + ".new", path)
        if isDurable { _ = synchronise(directory) }
        close(file)
        file = new
    }

    /// A new file's header.
    package func begin() -> [UInt8] { format >= 2 ? JournalHeader.bytes(format) : [] }

    /// Makes the file again if it was deleted; whether it was.
    open func startAnewIfGone() -> Bool {
        guard isGone else { return false }
        mkdir(directory, 0o700)
        let new = openFile(path, O_RDWR | O_CREAT | O_APPEND)
        guard new >= 0, flock(new, LOCK_EX | LOCK_NB) == 0 else { return false }
        close(file)
        file = new
        byteCount = 0
        return true
    }

    package var isGone: Bool {
        var status = stat()
        return fstat(file, &status) == 0 && status.st_nlink == 0
    }

    // MARK: Writing

    /// Appends the changes of an operation; they are in the file when this returns true, and not when it returns false. The last
    /// operation before a close, and a flush, are an end: nothing may wait beyond it.
    open func write(_ changes: [Record], of operation: CacheOperation, isEnd: Bool) -> Bool {
        guard !changes.isEmpty else { return true }
        let bytes = changes.reduce(into: byteCount == 0 ? begin() : []) { $0 += encoded($1) }
        if append(bytes) { return true }
        ftruncate(file, off_t(byteCount))
        return false
    }

    /// Appends bytes, and waits for the device if the journal is durable; false where that fails.
    package func append(_ bytes: [UInt8]) -> Bool {
        guard writeAll(file, bytes), synchroniseFile() else { return false }
        byteCount += bytes.count
        return true
    }

    /// Waits until what was written is on the device; false where that fails.
    open func synchroniseFile() -> Bool { !isDurable || fdatasync(file) == 0 }

    /// Lets everything go, which needs no room.
    package func empty() {
        ftruncate(file, 0)
        byteCount = 0
        _ = synchroniseFile()
    }

    /// A record's bytes.
    package func encoded(_ record: Record) -> [UInt8] {
        var body = RecordWriter()
        body.add(record, format: format)
        var head = RecordWriter()
        head.add(body.bytes.count)
        head.add(RecordReader.sum(of: body.bytes.count))
        head.add(Int(bitPattern: UInt(RecordReader.checksum(body.bytes))))
        return head.bytes + body.bytes
    }

    private func synchronise(_ directory: String) -> Bool {
        let descriptor = openFile(directory, O_RDONLY)
        defer { close(descriptor) }
        return descriptor >= 0 && fsync(descriptor) == 0
    }

    package func openFile(_ path: String, _ flags: Int32) -> Int32 {
        #if canImport(Glibc)
            Glibc.open(path, flags, 0o600)
        #elseif canImport(Musl)
            Musl.open(path, flags, 0o600)
        #else
            Darwin.open(path, flags, 0o600)
        #endif
    }

    private func writeAll(_ file: Int32, _ bytes: [UInt8]) -> Bool {
        var done = 0
        while done < bytes.count {
            let count = bytes[done...].withUnsafeBytes { systemWrite(file, $0) }
            guard count > 0 else { return false }
            done += count
        }
        return true
    }
}

private func systemWrite(_ file: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    write(file, bytes.baseAddress, bytes.count)
}
