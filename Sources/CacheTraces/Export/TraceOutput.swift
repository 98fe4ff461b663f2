internal import CacheCore

/// A new file that is written from its beginning to its end through a buffer.
struct TraceOutput: ~Copyable {
    private static let bufferBytes = 1 << 18

    private let file: PosixFile
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.bufferBytes, alignment: 16)
    private var used = 0

    /// Creates a file under one name; errors name the other.
    private init(creating unfinished: String, for path: String) throws(AssayError) {
        do throws(AssayError) {
            file = try PosixFile(creating: unfinished, isShared: true)
        } catch {
            var error = error
            error.location = AssayError.Location(path)
            throw error
        }
    }

    deinit { buffer.deallocate() }

    /// Creates a file, which `body` writes; nothing is left of it if that fails.
    ///
    /// - Throws: `AssayError` with code `inputOutput` if the file exists or cannot be written, `usage` for a name that promises
    ///   compression, and what `body` throws.
    static func create(
        _ path: String, _ body: (inout TraceOutput) throws(AssayError) -> Void
    ) throws(AssayError) {
        if let kind = Compression.allCases.first(where: { path.lowercased().hasSuffix("." + $0.fileExtension) }) {
            throw AssayError(
                .usage,
                "The name ends in .\(kind.fileExtension), but traces are written uncompressed. Leave the ending out, and compress "
                    + "the file afterwards.",
                at: AssayError.Location(path))
        }
        try FileTree.refuseExisting(path)
        // Until it is whole, under a name of its own, which remains if this process is killed.
        let unfinished = TemporaryName.beside(path)
        var output = try TraceOutput(creating: unfinished, for: path)
        defer { FileTree.remove(unfinished) }
        try body(&output)
        try output.flush()
        try FileTree.link(unfinished, as: path)
    }

    /// Appends bytes.
    mutating func write(_ bytes: UnsafeRawBufferPointer) throws(AssayError) {
        if bytes.count > Self.bufferBytes - used { try flush() }
        guard bytes.count <= Self.bufferBytes else { return try file.write(bytes) }
        UnsafeMutableRawBufferPointer(rebasing: buffer[used...]).copyMemory(from: bytes)
        used += bytes.count
    }

    /// Appends bytes.
    mutating func write(_ bytes: [UInt8]) throws(AssayError) {
        try withBytes(bytes) { (bytes) throws(AssayError) in try write(bytes) }
    }

    /// Appends a number, little-endian.
    @inline(__always)
    mutating func write<Number: FixedWidthInteger>(_ number: Number) throws(AssayError) {
        let width = MemoryLayout<Number>.size
        if width > Self.bufferBytes - used { try flush() }
        buffer.storeBytes(of: number.littleEndian, toByteOffset: used, as: Number.self)
        used += width
    }

    private mutating func flush() throws(AssayError) {
        try file.write(UnsafeRawBufferPointer(rebasing: buffer[..<used]))
        used = 0
    }
}
