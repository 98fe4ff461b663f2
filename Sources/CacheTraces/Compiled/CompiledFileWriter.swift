internal import CacheCore

/// Writes a compiled trace under a temporary name, column after column, and gives it its name when it is whole.
struct CompiledFileWriter: ~Copyable {
    private let file: PosixFile
    private let path: String
    private let bodyHash = XXH3Hash()
    private var length = 0
    private var isFinished = false

    /// Starts a file with room for the header.
    static func start(temporary path: String) throws(AssayError) -> CompiledFileWriter {
        var writer = CompiledFileWriter(try PosixFile(creating: path), path)
        try withBytes([UInt8](repeating: 0, count: CompiledTraceHeader.byteCount)) { (bytes) throws(AssayError) in
            try writer.file.write(bytes)
        }
        writer.length = CompiledTraceHeader.byteCount
        return writer
    }

    private init(_ file: consuming PosixFile, _ path: String) {
        self.file = file
        self.path = path
    }

    deinit { if !isFinished { FileTree.remove(path) } }

    /// Writes bytes.
    mutating func write(_ bytes: UnsafeRawBufferPointer) throws(AssayError) {
        try file.write(bytes)
        bodyHash.update(bytes)
        length += bytes.count
    }

    /// Writes a column by `body` where columns may begin, and notes its place.
    mutating func column(
        _ column: CompiledTraceHeader.Column, _ header: inout CompiledTraceHeader,
        _ body: (inout CompiledFileWriter) throws(AssayError) -> Void
    ) throws(AssayError) {
        try write(zeros: (64 - length % 64) % 64)
        let start = length
        try body(&self)
        header[column] = CompiledTraceHeader.Extent(offset: start, length: length - start)
    }

    /// Notes that whatever was written since the start is a column.
    func noteFirstColumn(_ column: CompiledTraceHeader.Column, _ header: inout CompiledTraceHeader) {
        header[column] = CompiledTraceHeader.Extent(
            offset: CompiledTraceHeader.byteCount, length: length - CompiledTraceHeader.byteCount)
    }

    /// Writes a column that is in memory.
    mutating func column<Element: BitwiseCopyable>(
        _ column: CompiledTraceHeader.Column, _ header: inout CompiledTraceHeader, _ elements: [Element]
    ) throws(AssayError) {
        try self.column(column, &header) { (file) throws(AssayError) in
            try withBytes(elements) { (bytes) throws(AssayError) in try file.write(bytes) }
        }
    }

    /// Maps what was written so far.
    func map() throws(AssayError) -> MappedFile { try MappedFile(file) }

    /// Writes the header and renames the file.
    ///
    /// Does not wait for the disk: whoever opens a compiled trace checks the whole of it, and compiles again what a power
    /// cut has left damaged.
    mutating func finish(_ header: CompiledTraceHeader, as name: String) throws(AssayError) {
        var header = header
        header.fileBytes = length
        header.bodyChecksum = bodyHash.low64
        header.contentDigest = header.digestOfContent(body: bodyHash.hexadecimal)
        try file.seek(to: 0)
        try withBytes(header.encoded()) { (bytes) throws(AssayError) in try file.write(bytes) }
        try FileTree.rename(path, to: name)
        isFinished = true
    }

    private mutating func write(zeros count: Int) throws(AssayError) {
        try withBytes([UInt8](repeating: 0, count: count)) { (bytes) throws(AssayError) in try write(bytes) }
    }
}

extension MappedFile {
    /// The checksum of what follows the header of a compiled trace.
    func bodyChecksum() -> UInt64 {
        let hash = XXH3Hash()
        withBytes { hash.update(UnsafeRawBufferPointer(rebasing: $0[CompiledTraceHeader.byteCount...])) }
        return hash.low64
    }
}
