internal import Foundation

/// The files of a cache under a directory, as its checks touch them from outside.
enum DiskFiles {
    /// The paths of the files that hold objects: not locks, which are empty.
    static func all(under directory: String) -> [String] {
        let names = FileManager.default.enumerator(atPath: directory)?.compactMap { $0 as? String } ?? []
        return names.map { "\(directory)/\($0)" }.filter { path in
            guard let attributes = try? FileManager.default.attributesOfItem(atPath: path) else { return false }
            return attributes[.type] as? FileAttributeType == .typeRegular && (attributes[.size] as? Int ?? 0) > 0
        }
    }

    /// Changes the last byte of every file.
    static func damage(under directory: String) throws {
        for path in all(under: directory) {
            var bytes = try Data(contentsOf: URL(filePath: path))
            bytes[bytes.count - 1] ^= 0x55
            try bytes.write(to: URL(filePath: path))
        }
    }
}
