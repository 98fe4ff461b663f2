public import CacheCore
public import Foundation

/// The directory of a sharded sweep, which several processes and machines may work in at once.
///
/// `plan.json` is the plan. `results/B/N-DIGEST.json` is the result of shard N, named by the SHA-256 of its bytes, in one folder for each
/// 256 shards. `work/N` is the journal of a
/// shard that is not finished, and `failures/N.txt` says why one failed. A byte of the file `claims` is locked for each shard that runs.
public struct ShardFolder: Sendable {
    /// The directory's path.
    public let path: String
    /// The plan.
    public let plan: ShardedPlan

    private static let planName = "plan.json"
    /// The longest plan that is read, in bytes.
    private static let planBytesMax = 1 << 30

    /// Writes a plan into a directory, which is made if it is missing. The same plan may be there already.
    ///
    /// - Throws: `AssayError` with code `usage` if another plan is there, and `inputOutput` if the directory cannot be written.
    public init(creating path: String, _ plan: ShardedPlan) throws(AssayError) {
        self.path = path
        self.plan = plan
        let file = "\(path)/\(Self.planName)"
        if FileManager.default.fileExists(atPath: file) {
            guard try ShardFolder(path).plan == plan else {
                throw AssayError(
                    .usage, "Another plan is here. Choose another directory with --out, or remove this one.",
                    at: .init(file))
            }
            return
        }
        for folder in ["results", "work", "failures"] { try Self.make("\(path)/\(folder)") }
        try Self.write(try plan.text(), to: file)
    }

    /// Opens the directory of a sweep.
    ///
    /// - Throws: `AssayError` with code `badInput` if there is no plan or it is damaged, `inputOutput` if it cannot be read.
    public init(_ path: String) throws(AssayError) {
        let file = "\(path)/\(Self.planName)"
        guard FileManager.default.fileExists(atPath: file) else {
            throw AssayError(
                .badInput, "There is no plan here. Make one with: assay sweep plan PLAN.yaml --out \(path)",
                at: .init(path))
        }
        self.path = path
        plan = try ShardedPlan(
            decoding: Data(try InputFile.read(file, atMost: Self.planBytesMax, "plan")), from: file)
    }

    /// Where the journal of a shard is.
    public func journal(_ index: Int) -> String { "\(path)/work/\(index)" }

    // MARK: - Results

    /// The path of the result of each shard that has one. O(shards).
    ///
    /// - Throws: `AssayError` with code `badInput` if a shard has two that differ.
    public func results() throws(AssayError) -> [Int: String] {
        var found: [Int: String] = [:]
        for first in stride(from: 0, to: plan.shards.count, by: Self.shardsOfFolder) {
            found.merge(try results(beside: first)) { $1 }
        }
        return found
    }

    /// Whether a shard has its result.
    ///
    /// - Throws: as ``results()``.
    public func isDone(_ index: Int) throws(AssayError) -> Bool { try results(beside: index)[index] != nil }

    private static let shardsOfFolder = 256

    private func resultFolder(_ index: Int) -> String { "\(path)/results/\(index / Self.shardsOfFolder)" }

    private func results(beside index: Int) throws(AssayError) -> [Int: String] {
        let folder = resultFolder(index)
        var found: [Int: String] = [:]
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
            guard let number = Self.index(of: name), plan.shards.indices.contains(number),
                number / Self.shardsOfFolder == index / Self.shardsOfFolder
            else { continue }
            if let other = found.updateValue("\(folder)/\(name)", forKey: number) {
                throw AssayError(
                    .badInput, "Shard \(number) has another result too, \(other). Remove both, and run it again.",
                    at: .init("\(folder)/\(name)"))
            }
        }
        return found
    }

    /// The number in `NUMBER-DIGEST.json`; nil for other names, as temporary files have.
    private static func index(of name: String) -> Int? {
        let parts = name.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[1].utf8.count == 64 + 5, parts[1].hasSuffix(".json") else { return nil }
        return Int(parts[0])
    }

    /// Keeps the result of a shard under the digest of its bytes, on disk and whole or not at all.
    public func keep(_ result: Data, of index: Int) throws(AssayError) {
        try Self.make(resultFolder(index))
        try Self.write(result, to: "\(resultFolder(index))/\(index)-\(SHA256.hexadecimal(of: result)).json")
        try? FileManager.default.removeItem(atPath: failurePath(index))
    }

    /// The bytes of a result.
    ///
    /// - Throws: `AssayError` with code `badInput` if they are not those that its name stands for.
    public func result(_ path: String, of index: Int) throws(AssayError) -> Data {
        let data = Data(try InputFile.read(path, atMost: 1 << 30, "result"))
        guard path.hasSuffix("-\(SHA256.hexadecimal(of: data)).json") else { throw damaged(path, index) }
        return data
    }

    /// The error for a result that is not one of this plan.
    public func damaged(_ path: String, _ index: Int, cause: String? = nil) -> AssayError {
        AssayError(
            .badInput,
            "This result is damaged or of another plan. Remove it, then: assay sweep run \(self.path) --shard \(index)",
            at: .init(path), cause: cause)
    }

    // MARK: - Failures

    private func failurePath(_ index: Int) -> String { "\(path)/failures/\(index).txt" }

    /// Notes why a shard failed; its next success takes the note away.
    public func note(_ error: AssayError, of index: Int) {
        try? FileManager.default.createDirectory(atPath: "\(path)/failures", withIntermediateDirectories: true)
        try? Data(error.description.utf8).write(to: URL(filePath: failurePath(index)), options: .atomic)
    }

    /// Why a shard failed; nil if it did not.
    public func failure(_ index: Int) -> String? {
        guard FileManager.default.fileExists(atPath: failurePath(index)) else { return nil }
        guard let bytes = try? InputFile.read(failurePath(index), atMost: 1 << 16, "failure") else {
            return "its note cannot be read: \(failurePath(index))"
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    // MARK: - Claims

    private var claimsPath: String { "\(path)/claims" }

    /// Claims a shard for this process; nil if another one has it.
    ///
    /// - Throws: `AssayError` with code `inputOutput` if the file system has no locks, or cannot be written.
    public func claim(_ index: Int) throws(AssayError) -> ShardClaim? { try ShardClaim(claimsPath, index) }

    /// Whether a process has a shard now.
    public func isClaimed(_ index: Int) -> Bool { ShardClaim.isHeld(claimsPath, index) }

    private static func make(_ folder: String) throws(AssayError) {
        do { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) } catch {
            throw AssayError(
                .inputOutput, "The directory cannot be made. Choose another with --out, or free space.",
                at: .init(folder), cause: error.localizedDescription)
        }
    }

    /// Writes a file by way of another name, and waits until it is on disk.
    private static func write(_ data: Data, to path: String) throws(AssayError) {
        let temporary = "\(path).\(UUID().uuidString)"
        do {
            try data.write(to: URL(filePath: temporary))
            let handle = try FileHandle(forWritingTo: URL(filePath: temporary))
            try handle.synchronize()
            try handle.close()
            guard rename(temporary, path) == 0 else { throw CocoaError(.fileWriteUnknown) }
        } catch {
            try? FileManager.default.removeItem(atPath: temporary)
            throw AssayError(
                .inputOutput, "The file cannot be written. Check that its directory is writable and has room.",
                at: .init(path), cause: error.localizedDescription)
        }
    }
}

/// A process's hold on one shard: a lock on a byte of a file, which ends with this object or with the process, however that ends.
public final class ShardClaim: Sendable {
    private let descriptor: Int32

    #if os(Linux)
        private static let (set, get): (Int32, Int32) = (37, 36)
    #else
        private static let (set, get): (Int32, Int32) = (90, 92)
    #endif

    /// A lock of the byte with the shard's number, which belongs to an open file and not to a process as the older kind does: closing
    /// another descriptor of the file must not end it.
    private static func lock(_ index: Int) -> flock {
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        (lock.l_start, lock.l_len) = (off_t(index), 1)
        return lock
    }

    fileprivate init?(_ path: String, _ index: Int) throws(AssayError) {
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o666)
        var lock = Self.lock(index)
        guard descriptor < 0 || fcntl(descriptor, Self.set, &lock) != 0 else { return }
        let code = errno
        if descriptor >= 0, code == EAGAIN || code == EACCES { return nil }
        throw AssayError(
            .inputOutput,
            "Shards cannot be claimed here, so that two processes might run the same one. Take a directory that can be written to, on a "
                + "file system with locks.", at: .init(path), cause: String(cString: strerror(code)))
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    fileprivate static func isHeld(_ path: String, _ index: Int) -> Bool {
        let descriptor = open(path, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var lock = lock(index)
        return fcntl(descriptor, get, &lock) == 0 && lock.l_type != Int16(F_UNLCK)
    }
}
