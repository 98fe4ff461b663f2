internal import CacheCore
internal import Synchronization

/// The long bodies of a cache: a file each, in a directory of their own, known by the number of their answer.
///
/// A body is written under another name, and moved into place when it is whole. Who reads one keeps its file open, so that it may be
/// deleted meanwhile.
final class BodyFiles: Sendable {
    private let directory: String
    private let sealing: any BodySealing
    private let lock: Mutex<Int32?>

    /// Takes a directory, and deletes what was not finished in it.
    init(_ directory: String, _ sealing: any BodySealing) throws(StoreError) {
        self.directory = directory
        self.sealing = sealing
        lock = Mutex(try FileSystem.claimDirectory(directory, for: "body", isDurable: false))
        for name in try names() where name.hasPrefix("new-") { _ = try FileSystem.delete(path(name)) }
    }

    deinit { close() }

    private func path(_ name: String) -> [CChar] { FileSystem.characters("\(directory)/\(name)") }
    private static func name(_ number: UInt64) -> String { "body-\(number)" }

    private func names() throws(StoreError) -> [String] {
        try FileSystem.names(in: FileSystem.characters(directory)).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The numbers of all bodies.
    func numbers() throws(StoreError) -> [UInt64] {
        try names().compactMap { $0.hasPrefix("body-") ? UInt64($0.dropFirst(5)) : nil }
    }

    /// A file for a body that comes.
    func create(_ number: UInt64) throws(StoreError) -> BodyFile {
        try whileHeld { () throws(StoreError) in
            let path = path("new-\(number)")
            _ = try FileSystem.delete(path)
            return try BodyFile(creating: number, path, sealing)
        }
    }

    /// Does something unless the directory was let go: it is somebody else's then, with bodies of the same numbers.
    private func whileHeld<Result: Sendable>(
        _ body: () throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        try lock.withLock { (lock) throws(StoreError) in
            guard lock != nil else { throw .closed }
            return try body()
        }
    }

    /// Puts a body into its place, whole.
    func publish(_ number: UInt64) throws(StoreError) {
        let isMoved = try whileHeld { () throws(StoreError) in
            try FileSystem.move(path("new-\(number)"), to: path(Self.name(number)))
        }
        guard isMoved else {
            throw StoreError(
                .unavailable, "the file of a body was deleted while it was written; keep others out of \(directory)")
        }
    }

    /// The file of a body; nil if it is not there, not as long as it was, or begins with something else.
    func open(
        _ number: UInt64, length: Int, onDamage: @escaping @Sendable () -> Void
    ) throws(StoreError) -> BodyFile? {
        do throws(StoreError) {
            return try BodyFile(opening: number, path(Self.name(number)), sealing, length: length, onDamage: onDamage)
        } catch {
            if error.code == .corrupt { return nil }
            throw error
        }
    }

    /// Deletes a body, finished or not.
    func delete(_ number: UInt64) {
        for name in [Self.name(number), "new-\(number)"] {
            _ = try? whileHeld { () throws(StoreError) in try FileSystem.delete(path(name)) }
        }
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
