import Foundation

/// A directory that is gone when the value is.
public final class TemporaryDirectory {
    /// The absolute path.
    public let path: String

    /// A new directory.
    public init() throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "assay-storage-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        path = url.path
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Every file below the directory, by its path.
    public func files() -> [String] {
        let names = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []
        return names.map { "\(path)/\($0)" }.filter { file in
            var isDirectory: ObjCBool = false
            return FileManager.default.fileExists(atPath: file, isDirectory: &isDirectory) && !isDirectory.boolValue
        }.sorted()
    }
}
