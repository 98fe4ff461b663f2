#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Files that a person names and that are read whole.
package enum InputFile {
    /// The bytes of a file.
    ///
    /// - Parameters:
    ///   - limit: The most bytes that it may have. No more is ever read, whatever the file's size is said to be.
    ///   - what: The file's content in messages, as "history".
    /// - Throws: `AssayError` with code `inputOutput` if it cannot be read, and `badInput` if it has more bytes.
    package static func read(_ path: String, atMost limit: Int, _ what: String) throws(AssayError) -> [UInt8] {
        let bytes: [UInt8]?
        do throws(StoreError) { bytes = try whole(FileSystem.characters(path), limit) } catch {
            throw AssayError(
                .inputOutput, "The \(what) cannot be read. Check the path and its permissions.", at: .init(path),
                cause: error.message)
        }
        guard let bytes else {
            throw AssayError(
                .badInput,
                "The \(what) has more than \(limit >> 20) MiB, which is the most that is read. Give a smaller one.",
                at: .init(path))
        }
        return bytes
    }

    /// All bytes; nil if there are more than `limit`.
    private static func whole(_ path: [CChar], _ limit: Int) throws(StoreError) -> [UInt8]? {
        guard let descriptor = try FileSystem.openForReading(path) else {
            throw StoreError(.unavailable, String(cString: strerror(ENOENT)))
        }
        defer { FileSystem.closeFile(descriptor) }
        var bytes: [UInt8] = []
        while bytes.count <= limit {
            let piece = try [UInt8](unsafeUninitializedCapacity: 1 << 20) { (buffer, count) throws(StoreError) in
                count = try FileSystem.readOnce(descriptor, into: UnsafeMutableRawBufferPointer(buffer), path: path)
            }
            if piece.isEmpty { return bytes }
            bytes += piece
        }
        return nil
    }
}
