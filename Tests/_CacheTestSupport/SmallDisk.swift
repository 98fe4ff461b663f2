public import CacheCore
import Foundation

#if canImport(Glibc)
    import Glibc
#endif

/// A file system of its own of a few megabytes, for tests of what happens when it is full. Needs Linux and root.
public final class SmallDisk {
    /// Whether this process may mount one.
    public static let isPossible: Bool = {
        #if canImport(Glibc)
            guard geteuid() == 0, let directory = try? TemporaryDirectory() else { return false }
            guard mount("tmpfs", directory.path, "tmpfs", 0, "size=64k") == 0 else { return false }
            umount(directory.path)
            return true
        #else
            return false
        #endif
    }()

    /// What a test says that needs one where there is none.
    public static let skippedText = "skipped: mounting a small tmpfs needs root on Linux"

    private let directory: TemporaryDirectory
    /// Where it is mounted.
    public var path: String { directory.path }

    /// A disk of `megabytes`.
    public init(megabytes: Int) throws {
        directory = try TemporaryDirectory()
        #if canImport(Glibc)
            guard mount("tmpfs", directory.path, "tmpfs", 0, "size=\(megabytes)m") == 0 else {
                throw StoreError(.unavailable, "cannot mount a tmpfs", errno: errno)
            }
        #endif
    }

    deinit {
        #if canImport(Glibc)
            umount2(directory.path, Int32(MNT_DETACH))
        #endif
    }

    /// Fills a store until it says that it is full and reports what is wrong then.
    ///
    /// Checked: the error is typed, every entry that was acknowledged is whole, a failed overwrite leaves the old value or
    /// none, entries can be removed (with `removesWhenFull`), and after ``StorageBackend/removeAll()`` there is room again
    /// (with `healsByClearing`).
    public static func problems(
        filling store: any StorageBackend, valueBytes: Int = 10_000, removesWhenFull: Bool = true,
        healsByClearing: Bool = true
    ) throws -> [String] {
        var problems: [String] = []
        var stored: [[UInt8]] = []
        var failure: StoreError?
        func value(_ key: [UInt8]) -> StoredEntry {
            StoredEntry([UInt8](repeating: key[0] ^ key[1], count: valueBytes))
        }
        for index in 0..<20_000 where failure == nil {
            let key = [UInt8(index >> 8), UInt8(index & 0xFF)]
            do throws(StoreError) {
                try store.put(value(key), for: key)
                stored.append(key)
            } catch { failure = error }
        }
        if failure?.code != .full { problems.append("filling ends with \(failure.map { "\($0)" } ?? "no error")") }
        if stored.count < 20 { problems.append("full after \(stored.count) entries") }
        for key in stored where try store.get(key) != value(key) { problems.append("\(key) is not whole") }
        guard let first = stored.first, let second = stored.dropFirst().first else { return problems }
        do throws(StoreError) {
            try store.put(StoredEntry([UInt8](repeating: 1, count: 15_000_000)), for: first)
            problems.append("an overwrite with more than the disk succeeds")
        } catch {
            if error.code != .full { problems.append("an overwrite throws \(error)") }
        }
        let left = try store.get(first)
        if left != nil, left != value(first) { problems.append("a failed overwrite tears the old value") }
        if removesWhenFull {
            if try !store.remove(second) { problems.append("nothing to remove") }
            if try store.get(second) != nil { problems.append("what was removed is there") }
        }
        guard healsByClearing else { return problems }
        try store.removeAll()
        if try store.count() != 0 { problems.append("clearing leaves entries") }
        try store.put(value(second), for: second)
        if try store.get(second) != value(second) { problems.append("a put after clearing is lost") }
        return problems
    }
}
