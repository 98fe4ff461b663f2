internal import CacheCore

/// A file that is read from its position to its end, and whose bytes a hash takes in on the way.
final class HashedFile {
    private let file: PosixFile
    private let hash: (any FileHash)?
    /// How many bytes were read.
    private(set) var bytesRead = 0

    /// Keeps a file open.
    init(_ file: consuming PosixFile, _ hash: (any FileHash)?) {
        self.file = file
        self.hash = hash
    }

    /// The name that errors give.
    var path: String { file.path }

    /// Fills the buffer and returns how much was read, 0 at the end.
    ///
    /// - Throws: `AssayError` with code `inputOutput` if it cannot be read.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(AssayError) -> Int {
        let count = try file.read(into: buffer)
        hash?.update(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        bytesRead += count
        return count
    }
}
