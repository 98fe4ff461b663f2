package import CacheCore
import Foundation

/// The temporary folders of conformance runs.
package enum ConformanceFolders {
    private static let prefix = "assay-conform-"

    /// Makes an empty folder that this process holds.
    package static func hold() throws(StoreError) -> AbandonedFolders.Held { try AbandonedFolders.hold(prefix) }

    /// Removes the folders of processes that are gone.
    package static func clearAbandoned() { AbandonedFolders.clear(prefix) }
}

/// A fresh place for one store, removed with everything in it at its end.
///
/// Whoever makes one defers ``end()``: an optimised build releases a value after its last use, and the place would be gone under
/// a store that is still open.
/// The store's directory lies two levels deep, so that a backend that lets a key climb out of it is seen. What a killed process
/// leaves is cleared by ``ConformanceFolders/clearAbandoned()``.
final class Sandbox {
    private let held: AbandonedFolders.Held?
    private let root: String?
    /// The directory for the store, which does not exist yet; nil if the subject needs none.
    private(set) var directory: String?
    private var relocations = 0

    init(needsDirectory: Bool) throws(StoreError) {
        guard needsDirectory else {
            (held, root) = (nil, nil)
            return
        }
        let folder = try ConformanceFolders.hold()
        held = folder
        // Without links on the way: calls that fail are known by the path that a file is under.
        let root =
            realpath(folder.path, nil).map { name in
                defer { free(name) }
                return String(cString: name)
            } ?? folder.path
        self.root = root
        mkdir(root + "/outer", 0o700)
        mkdir(root + "/outer/inner", 0o700)
        directory = root + "/outer/inner/store"
    }

    deinit { end() }

    /// Removes the place and everything in it, once.
    func end() { held?.remove() }

    /// Another directory beside the store's.
    func sibling(_ name: String) -> String? { root.map { "\($0)/outer/inner/\(name)" } }

    /// Renames the store's directory.
    func relocate() {
        guard let old = directory else { return }
        relocations += 1
        let new = "\(old)-moved-\(relocations)"
        if rename(old, new) == 0 { directory = new }
    }

    /// What lies beside the store's directory or above it and should not.
    func strays() -> [String] {
        guard let root else { return [] }
        var strays: [String] = []
        for (parent, child) in [("", "outer"), ("/outer", "inner"), ("/outer/inner", "store")] {
            let own = child == "store" ? directory.map { String($0.split(separator: "/").last!) } : child
            strays += Directory.names(root + parent).filter { $0 != own }.map { "\(parent)/\($0)" }
        }
        return strays.sorted()
    }
}

/// The few file operations that checks need.
enum Directory {
    /// The names in a directory, without `.` and `..`.
    static func names(_ path: String) -> [String] {
        guard let stream = opendir(path) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let item = readdir(stream) {
            let name = withUnsafeBytes(of: &item.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    /// Deletes a file or a directory with everything in it.
    static func delete(_ path: String) { FileSystem.deleteAll(FileSystem.characters(path)) }

    /// Makes a directory.
    static func make(_ path: String) { mkdir(path, 0o700) }

    /// Takes write permission away; false if this process may write all the same.
    static func makeReadOnly(_ path: String) -> Bool {
        guard chmod(path, 0o500) == 0 else { return false }
        let probe = path + "/assay-write-probe"
        guard write([1], to: probe) else { return true }
        unlink(probe)
        return false
    }

    /// Writes a small file; false if that failed.
    static func write(_ bytes: [UInt8], to path: String) -> Bool {
        guard let file = fopen(path, "wb") else { return false }
        defer { fclose(file) }
        return fwrite(bytes, 1, bytes.count, file) == bytes.count
    }

    /// The bytes of a file, nil if it cannot be read.
    static func read(_ path: String) -> [UInt8]? {
        guard let file = fopen(path, "rb") else { return nil }
        defer { fclose(file) }
        var (bytes, part) = ([UInt8](), [UInt8](repeating: 0, count: 1 << 16))
        while case let count = fread(&part, 1, part.count, file), count > 0 { bytes += part[..<count] }
        return bytes
    }

    /// The paths of all files under a directory, in the order of their names.
    static func files(_ path: String) -> [String] {
        var status = stat()
        guard lstat(path, &status) == 0 else { return [] }
        guard status.st_mode & S_IFMT == S_IFDIR else { return [path] }
        return names(path).sorted().flatMap { files("\(path)/\($0)") }
    }

    /// How many files and directories there are of each permission, such as `files 0600`; the top directory counts.
    static func modes(_ path: String) -> [String: Int] {
        var status = stat()
        guard lstat(path, &status) == 0 else { return [:] }
        let isDirectory = status.st_mode & S_IFMT == S_IFDIR
        let digits = String(Int(status.st_mode & 0o7777), radix: 8)
        let mode = String(repeating: "0", count: max(0, 4 - digits.count)) + digits
        var modes = ["\(isDirectory ? "directories" : "files") \(mode)": 1]
        guard isDirectory else { return modes }
        for name in names(path) { modes.merge(Self.modes("\(path)/\(name)"), uniquingKeysWith: +) }
        return modes
    }

    /// The bytes of all files under a path.
    static func totalBytes(_ path: String) -> Int {
        var status = stat()
        guard lstat(path, &status) == 0 else { return 0 }
        guard status.st_mode & S_IFMT == S_IFDIR else { return Int(status.st_size) }
        return names(path).reduce(0) { $0 + totalBytes("\(path)/\($1)") }
    }
}
