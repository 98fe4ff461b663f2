internal import Synchronization

/// Names for files that are renamed when they are whole, or removed.
enum TemporaryName {
    private static let counter = Atomic<Int>(0)
    private static let prefix = "unfinished-"

    /// A name that no other thread or process uses.
    static func next(in folder: String) -> String {
        let number = counter.wrappingAdd(1, ordering: .relaxed).newValue
        return "\(folder)/\(prefix)\(FileTree.processID)-\(number)"
    }

    /// Removes what processes that are gone left behind.
    static func sweep(_ folder: String) {
        for name in FileTree.names(in: folder) where name.hasPrefix(prefix) {
            let process = name.dropFirst(prefix.count).prefix { $0.isNumber }
            if let process = Int32(process), !FileTree.isRunning(process) { FileTree.remove(folder + "/" + name) }
        }
    }
}
