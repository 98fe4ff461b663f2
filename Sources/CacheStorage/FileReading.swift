import CacheCore

/// Reads an entry's file in as few system calls as its size allows.
enum FileReading {
    /// Files up to this size are read in one call, before their size is known.
    private static let firstReadBytes = 16 << 10

    /// What a file holds for a key.
    enum Result {
        case missing
        case corrupt(String)
        case entry(StoredEntry)
    }

    /// The entry of `key` in the file at `path`.
    static func entry(at path: [CChar], key: [UInt8]) throws(StoreError) -> Result {
        guard let descriptor = try FileSystem.openForReading(path) else { return .missing }
        defer { FileSystem.closeFile(descriptor) }
        switch try reading(descriptor, path) {
        case .whole(let entry, let stored):
            return stored == key ? .entry(entry) : .corrupt("it holds another key")
        case .incomplete(let total): return .corrupt("it ends before its \(total) bytes")
        case .corrupt(let reason): return .corrupt(reason)
        }
    }

    /// The key in a file, nil if the file is missing or its header is damaged.
    static func key(at path: [CChar]) throws(StoreError) -> [UInt8]? {
        switch try wholeFile(path) {
        case .whole(_, let key): return key
        case .incomplete, .corrupt, nil: return nil
        }
    }

    private static func wholeFile(_ path: [CChar]) throws(StoreError) -> FileEnvelope.Reading? {
        guard let descriptor = try FileSystem.openForReading(path) else { return nil }
        defer { FileSystem.closeFile(descriptor) }
        return try reading(descriptor, path)
    }

    private static func reading(_ descriptor: Int32, _ path: [CChar]) throws(StoreError) -> FileEnvelope.Reading {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: firstReadBytes, alignment: 8)
        defer { buffer.deallocate() }
        let count = try firstRead(descriptor, buffer, path)
        let first = UnsafeRawBufferPointer(rebasing: buffer[..<count])
        let reading = FileEnvelope.read(first)
        guard count == buffer.count, let total = FileEnvelope.totalBytes(first), total >= count else { return reading }
        // One byte more than the header promises, to see what was appended to the file.
        let rest = UnsafeMutableRawBufferPointer.allocate(byteCount: total + 1, alignment: 8)
        defer { rest.deallocate() }
        rest.copyMemory(from: first)
        let tail = UnsafeMutableRawBufferPointer(rebasing: rest[count...])
        let more = try FileSystem.read(descriptor, into: tail, path: path)
        return FileEnvelope.read(UnsafeRawBufferPointer(rebasing: rest[..<(count + more)]))
    }

    /// Fills the buffer, but asks no second time when the header says that all bytes are there.
    private static func firstRead(
        _ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer, _ path: [CChar]
    ) throws(StoreError) -> Int {
        var count = 0
        while count < buffer.count {
            let free = UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
            let n = try FileSystem.readOnce(descriptor, into: free, path: path)
            if n == 0 { break }
            count += n
            if let total = FileEnvelope.totalBytes(UnsafeRawBufferPointer(rebasing: buffer[..<count])), count >= total {
                break
            }
        }
        return count
    }
}
