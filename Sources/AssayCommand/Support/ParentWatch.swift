import CacheCore
import Foundation
import Synchronization

/// What a child process of this program does about the end of the one that started it.
enum ParentWatch {
    /// Ends this process when the one that gave the order is gone, however it went, and takes the store with it.
    static func endWithParent(removing directory: String) {
        Thread.detachNewThread {
            // Standard input stays open, and silent, while the parent lives; this thread sleeps until it ends.
            while readLine() != nil {}
            end(removing: directory)
        }
    }

    /// The lines that the parent writes, for as long as it lives; then this process ends, and takes the directory with it
    /// that `directory` finds in one of them.
    static func lines(directory: @escaping @Sendable (String) -> String?) -> ParentLines {
        let lines = ParentLines()
        Thread.detachNewThread {
            var found: String?
            while let line = readLine() {
                found = found ?? directory(line)
                lines.append(line)
            }
            end(removing: found)
        }
        return lines
    }

    private static func end(removing directory: String?) {
        guard let directory else { exit(0) }
        // Another program takes this process over, which stops the subject before its files are removed.
        let script = #"rm -rf -- "$1"; rmdir -- "$2" 2>/dev/null"#
        let root = URL(filePath: directory).deletingLastPathComponent().path
        let words = ["/bin/sh", "-c", script, "sh", directory, root]
        execv(words[0], words.map { strdup($0) } + [nil])
        _exit(AssayError.Code.inputOutput.exitStatus)
    }
}

/// Lines that one thread reads and another takes.
final class ParentLines: Sendable {
    private let lines = Mutex<[String]>([])
    private let available = DispatchSemaphore(value: 0)

    fileprivate func append(_ line: String) {
        lines.withLock { $0.append(line) }
        available.signal()
    }

    /// The next line, waited for; there is always one, or this process ends.
    func next() -> String? {
        available.wait()
        return lines.withLock { $0.removeFirst() }
    }
}
