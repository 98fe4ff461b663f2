import CacheCore
import Foundation

/// What a child process of this program does about the end of the one that started it.
enum ParentWatch {
    /// Ends this process when the one that gave the order is gone, however it went, and takes the store with it.
    static func endWithParent(removing directory: String) {
        Thread.detachNewThread {
            // Standard input stays open, and silent, while the parent lives; this thread sleeps until it ends.
            while readLine() != nil {}
            // Another program takes this process over, which stops the subject before its files are removed.
            let script = #"rm -rf -- "$1"; rmdir -- "$2" 2>/dev/null"#
            let root = URL(filePath: directory).deletingLastPathComponent().path
            let words = ["/bin/sh", "-c", script, "sh", directory, root]
            execv(words[0], words.map { strdup($0) } + [nil])
            _exit(AssayError.Code.inputOutput.exitStatus)
        }
    }
}
