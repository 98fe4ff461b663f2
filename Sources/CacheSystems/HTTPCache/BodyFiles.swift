internal import CacheCore
internal import Synchronization

/// The long bodies of a cache: a file each, in a directory of their own, known by the number of their answer.
///
/// A body is written under another name, and moved into place when it is whole. Who reads one keeps its file open, so that it may be
/// deleted meanwhile.
final class BodyFiles: Sendable {
    private let directory: String
    private let lock: Mutex<Int32?>

    /// Takes a directory, and deletes what was not finished in it.
    init(_ directory: String) throws(StorageError) {
        self.directory = directory
        lock = Mutex(try FileSystem.claimDirectory(directory, for: "body", isDurable: false))
        for name in try names() where name.hasPrefix("new-") { _ = try FileSystem.delete(path(name)) }
    }

    deinit { close() }

    private func path(_ name: String) -> [CChar] { FileSystem.characters("\(directory)/\(name)") }
    private static func name(_ number: UInt64) -> String { "body-\(number)" }

    private func names() throws(StorageError) -> [String] {
        try FileSystem.names(in: FileSystem.characters(directory)).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The numbers of all bodies.
    func numbers() throws(StorageError) -> [UInt64] {
        try names().compactMap { $0.hasPrefix("body-") ? UInt64($0.dropFirst(5)) : nil }
    }

    /// A file for a body that comes.
    func create(_ number: UInt64) throws(StorageError) -> BodyFile {
        let path = path("new-\(number)")
        _ = try FileSystem.delete(path)
        return BodyFile(try FileSystem.openForUpdating(path), path)
    }

    /// Puts a body into its place, whole.
    func publish(_ number: UInt64) throws(StorageError) {
        guard try FileSystem.move(path("new-\(number)"), to: path(Self.name(number))) else {
            throw StorageError(
                .unavailable, "the file of a body was deleted while it was written; keep others out of \(directory)")
        }
    }

    /// The file of a body; nil if it is not there or not as long as it was.
    func open(_ number: UInt64, length: Int) throws(StorageError) -> BodyFile? {
        let path = path(Self.name(number))
        guard let descriptor = try FileSystem.openForReading(path) else { return nil }
        let file = BodyFile(descriptor, path)
        return try FileSystem.size(descriptor, path: path) == length ? file : nil
    }

    /// Deletes a body, finished or not. Once the directory is let go it is somebody else's, with bodies of the same numbers.
    func delete(_ number: UInt64) {
        guard lock.withLock({ $0 != nil }) else { return }
        for name in [Self.name(number), "new-\(number)"] { _ = try? FileSystem.delete(path(name)) }
    }

    /// Lets go of the directory.
    func close() {
        let descriptor = lock.withLock { lock in
            defer { lock = nil }
            return lock
        }
        if let descriptor { FileSystem.unlock(descriptor) }
    }
}

/// An open file, closed with its last reader.
final class BodyFile: Sendable {
    private let descriptor: Int32
    private let path: [CChar]

    init(_ descriptor: Int32, _ path: [CChar]) {
        self.descriptor = descriptor
        self.path = path
    }

    deinit { FileSystem.closeFile(descriptor) }

    func write(_ bytes: [UInt8], at offset: Int) throws(StorageError) {
        let outcome = bytes.withUnsafeBytes { buffer in
            Result { () throws(StorageError) in
                try FileSystem.write(descriptor, at: offset, buffer, path: path)
            }
        }
        try outcome.get()
    }

    /// So many bytes from a place; fewer if the file ends before.
    func read(at offset: Int, count: Int) throws(StorageError) -> [UInt8] {
        var failure: StorageError?
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            do throws(StorageError) {
                filled = try FileSystem.read(
                    descriptor, at: offset, into: UnsafeMutableRawBufferPointer(buffer), path: path)
            } catch { failure = error }
        }
        if let failure { throw failure }
        return bytes
    }
}
