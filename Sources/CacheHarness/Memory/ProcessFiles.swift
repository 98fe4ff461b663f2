internal import Foundation

/// What the operating system says about this process's files.
enum ProcessFiles {
    /// The descriptors that are open now; nil where the system does not tell.
    static func openDescriptors() -> Int? {
        #if os(Linux)
            // The list is read through a descriptor of its own, which is in it.
            return (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count).map { $0 - 1 }
        #else
            return nil
        #endif
    }

    /// The bytes that this process has handed to the disk so far, in pages that it made dirty; nil where the system does
    /// not tell.
    static func bytesWritten() -> Int? {
        #if os(Linux)
            guard let account = try? String(contentsOfFile: "/proc/self/io", encoding: .utf8) else { return nil }
            let line = account.split(separator: "\n").first { $0.hasPrefix("write_bytes:") }
            return line.flatMap { $0.split(separator: " ").last }.flatMap { Int($0) }
        #else
            return nil
        #endif
    }
}
