internal import Foundation

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// The space that a directory takes on disk.
package struct DiskUsage: Hashable {
    /// The allocated blocks of all regular files, in bytes.
    package var allocatedBytes = 0
    /// The number of regular files.
    package var files = 0

    /// Counts every regular file below a directory; nothing for one that does not exist.
    package static func of(_ directory: String) -> DiskUsage {
        var usage = DiskUsage()
        guard let walk = FileManager.default.enumerator(atPath: directory) else { return usage }
        for case let name as String in walk {
            var status = stat()
            guard lstat(directory + "/" + name, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { continue }
            usage.files += 1
            // POSIX counts blocks of 512 bytes whatever the file system's block size is.
            usage.allocatedBytes += Int(status.st_blocks) * 512
        }
        return usage
    }
}
