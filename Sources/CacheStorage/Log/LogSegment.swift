import CacheCore

/// One file of a log with what is known about it. Used by one thread at a time.
final class LogSegment {
    let number: UInt32
    let path: [CChar]
    private let hintPath: [CChar]
    private let descriptor: Int32
    /// Where the next record goes: bytes written and waiting, rounded up to 8.
    private(set) var size: Int
    /// Where the last sound record ended when the segment was loaded.
    private(set) var soundEnd = 0
    /// The bytes that are in the file; what follows waits in memory.
    private var writtenBytes: Int
    private var waiting: [UInt8] = []
    /// The number of entries whose record is here.
    var liveCount = 0
    /// Whether the hint file that is there covers every record.
    private var isHinted = false
    /// The records, for the hint file; nil once the segment is sealed.
    private var hint: LogHint? = LogHint()

    /// Opens or makes the file of a segment.
    init(_ number: UInt32, in directory: String) throws(StoreError) {
        self.number = number
        let digits = String(number, radix: 16)
        let name = "\(directory)/\(String(repeating: "0", count: 8 - digits.count))\(digits)"
        path = FileSystem.characters(name + ".seg")
        hintPath = FileSystem.characters(name + ".hint")
        descriptor = try FileSystem.openForUpdating(path)
        do {
            size = try (FileSystem.size(descriptor, path: path) + 7) & ~7
        } catch {
            FileSystem.closeFile(descriptor)
            throw error
        }
        writtenBytes = size
    }

    deinit { FileSystem.closeFile(descriptor) }

    /// The number in a segment's file name; nil for any other name.
    static func number(in name: [UInt8]) -> UInt32? {
        guard name.count == 12, name[8...].elementsEqual(".seg".utf8),
            name[..<8].allSatisfy({ (48...57).contains($0) || (97...102).contains($0) })
        else { return nil }
        return UInt32(String(decoding: name[..<8], as: UTF8.self), radix: 16)
    }

    /// Reads the records: those that the hint covers from there, the others from the segment.
    ///
    /// Whoever takes them over calls ``note(_:)`` for each.
    ///
    /// - Returns: the records in order, the damaged ones among them, and whether more may be appended: not if the file is
    ///   shorter than the hint says, because its places are promised to the records that are lost.
    func load() throws(StoreError) -> (items: [LogItem], losses: [LogLoss], isAppendable: Bool) {
        var items: [LogItem] = []
        var covered = 0
        if let file = try readHint(), let read = LogHint.read(file, segment: number) {
            items = read.items
            covered = read.coveredBytes
            isHinted = covered >= size
        }
        guard size >= covered else { return (items, [], false) }
        let scan = try scan(from: covered)
        soundEnd = scan.end
        return (items + scan.items, scan.losses, true)
    }

    /// Takes a record that was found into the hint file.
    func note(_ item: LogItem) { hint?.append(item) }

    /// Cuts off what a crash left unfinished at the end.
    func truncate(to end: Int) throws(StoreError) {
        guard end < size else { return }
        try FileSystem.truncate(descriptor, to: end, path: path)
        size = end
        writtenBytes = end
    }

    /// The sound records from an offset on.
    func scan(from start: Int) throws(StoreError) -> LogScan.Result {
        guard size > start else { return LogScan.Result(end: start) }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: size - start, alignment: 8)
        defer { buffer.deallocate() }
        let count = try read(at: start, into: buffer)
        return LogScan.records(in: UnsafeRawBufferPointer(rebasing: buffer[..<count]), of: number, from: start)
    }

    /// Fills two pieces one after the other and returns how many bytes there were.
    func read(
        at offset: Int, into first: UnsafeMutableRawBufferPointer,
        _ second: UnsafeMutableRawBufferPointer = .init(start: nil, count: 0)
    ) throws(StoreError) -> Int {
        if offset < writtenBytes || waiting.isEmpty {
            return try FileSystem.read(descriptor, at: offset, into: first, second, path: path)
        }
        return waiting.withRawBytes { bytes in
            let rest = UnsafeRawBufferPointer(rebasing: bytes[min(offset - writtenBytes, bytes.count)...])
            let head = min(first.count, rest.count)
            first.copyMemory(from: UnsafeRawBufferPointer(rebasing: rest[..<head]))
            let tail = min(second.count, rest.count - head)
            second.copyMemory(from: UnsafeRawBufferPointer(rebasing: rest[head..<(head + tail)]))
            return head + tail
        }
    }

    /// Appends a record and returns its offset; with `isBuffered` it may wait in memory for ``writeWaiting()``.
    func append(
        _ record: LogRecord, _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, isBuffered: Bool
    ) throws(StoreError) -> Int {
        let offset = size
        let prefix = record.prefix(key, at: LogPlace(segment: number, offset: offset))
        if isBuffered {
            waiting.append(contentsOf: prefix)
            waiting.append(contentsOf: value)
            while waiting.count % 8 != 0 { waiting.append(0) }
        } else {
            do {
                try prefix.withRawBytes { (bytes) throws(StoreError) in
                    try FileSystem.write(descriptor, at: offset, bytes, value, path: path)
                }
            } catch {
                try? FileSystem.truncate(descriptor, to: offset, path: path)
                throw error
            }
            writtenBytes = offset + record.byteCount
        }
        size = offset + record.byteCount
        isHinted = false
        hint?.append(record.kind, key, offset: offset, valueBytes: record.valueBytes)
        return offset
    }

    /// Takes back the record that was appended last, which could not be made durable.
    func takeBack(_ offset: Int) {
        try? FileSystem.truncate(descriptor, to: offset, path: path)
        size = offset
        writtenBytes = min(writtenBytes, offset)
        // It already tells of the record.
        hint = nil
    }

    /// The bytes that wait in memory.
    var waitingBytes: Int { waiting.count }

    /// Writes what waits in memory; if that fails it goes on waiting.
    func writeWaiting() throws(StoreError) {
        guard !waiting.isEmpty else { return }
        try waiting.withRawBytes { (bytes) throws(StoreError) in
            try FileSystem.write(descriptor, at: writtenBytes, bytes, path: path)
        }
        writtenBytes += waiting.count
        waiting.removeAll(keepingCapacity: true)
    }

    /// Turns the record at an offset into a removal without taking space.
    func overwriteAsRemoval(_ key: UnsafeRawBufferPointer, at offset: Int, valueBytes: Int) throws(StoreError) {
        let place = LogPlace(segment: number, offset: offset)
        let record = LogRecord(
            removing: key.count, valueBytes: valueBytes, isFirst: try isFirst(at: place, keyBytes: key.count))
        let prefix = record.prefix(key, at: place)
        // The hint would still tell of the entry.
        _ = try FileSystem.delete(hintPath)
        hint?.append(.removal, key, offset: offset, valueBytes: valueBytes)
        guard offset < writtenBytes || waiting.isEmpty else {
            let start = offset - writtenBytes
            waiting.replaceSubrange(start..<(start + prefix.count), with: prefix)
            return
        }
        try prefix.withRawBytes { (bytes) throws(StoreError) in
            try FileSystem.write(descriptor, at: offset, bytes, path: path)
        }
    }

    /// Whether the record at a place is one of the first version.
    private func isFirst(at place: LogPlace, keyBytes: Int) throws(StoreError) -> Bool {
        let head = UnsafeMutableRawBufferPointer.allocate(byteCount: LogMark.offset + keyBytes, alignment: 8)
        defer { head.deallocate() }
        let count = try read(at: place.offset, into: head)
        let record = LogRecord(reading: UnsafeRawBufferPointer(rebasing: head[..<count]), at: place)
        return record?.isFirst ?? false
    }

    /// Asks the device to make the records durable.
    func synchronise() throws(StoreError) { try FileSystem.synchroniseBytes(descriptor, path: path) }

    /// Writes the hint file. A store without it opens slower, so a failure is not an error.
    func writeHint() {
        guard let hint else { return }
        let temporary = Array(hintPath.dropLast()) + FileSystem.characters(".new")
        do throws(StoreError) {
            guard let file = try FileSystem.create(temporary) else { return }
            do {
                try FileSystem.write(file, hint.file(segment: number, size: size), [], path: temporary)
                try FileSystem.closeWritten(file, path: temporary)
            } catch {
                FileSystem.closeFile(file)
                throw error
            }
            _ = try FileSystem.move(temporary, to: hintPath)
        } catch {
            _ = try? FileSystem.delete(temporary)
        }
    }

    /// Ends the time in which records are appended: the hint file is written, unless the one that is there is right.
    func seal() {
        if !isHinted { writeHint() }
        hint = nil
    }

    /// Removes every record.
    func clear() throws(StoreError) {
        _ = try FileSystem.delete(hintPath)
        try FileSystem.truncate(descriptor, to: 0, path: path)
        (size, writtenBytes, liveCount) = (0, 0, 0)
        waiting = []
        hint = LogHint()
        isHinted = false
    }

    /// Deletes both files; reading through this instance stays possible.
    func delete() throws(StoreError) {
        _ = try FileSystem.delete(path)
        _ = try FileSystem.delete(hintPath)
    }

    private func readHint() throws(StoreError) -> [UInt8]? {
        guard let file = try FileSystem.openForReading(hintPath) else { return nil }
        defer { FileSystem.closeFile(file) }
        let count = try FileSystem.size(file, path: hintPath)
        var failure: StoreError?
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            do throws(StoreError) {
                filled = try FileSystem.read(file, into: UnsafeMutableRawBufferPointer(buffer), path: hintPath)
            } catch { failure = error }
        }
        if let failure { throw failure }
        return bytes
    }
}
