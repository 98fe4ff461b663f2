internal import Synchronization

/// Names for files that are renamed when they are whole, or removed.
enum TemporaryName {
    private static let counter = Atomic<Int>(0)
    private static let prefix = "unfinished-"
    private static let dayNanoseconds: Int64 = 86_400_000_000_000

    /// A name that no other thread or process uses, nor one before it that had the same number.
    static func next(in folder: String) -> String {
        let number = counter.wrappingAdd(1, ordering: .relaxed).newValue
        return "\(folder)/\(prefix)\(FileTree.processID)-\(FileTree.nowNanoseconds)-\(number)"
    }

    /// A name in the folder of another file that no other thread or process uses.
    static func beside(_ path: String) -> String {
        let slash = path.lastIndex(of: "/")
        return next(in: slash.map { $0 == path.startIndex ? "/." : String(path[..<$0]) } ?? ".")
    }

    /// Whether a file's name is one of these.
    static func isOne(_ name: String) -> Bool { name.hasPrefix(prefix) }

    /// Removes what processes that are gone left behind a day ago or more; younger files may belong to another machine
    /// that shares the folder.
    static func sweep(_ folder: String) {
        for name in FileTree.names(in: folder) where name.hasPrefix(prefix) {
            let path = folder + "/" + name
            guard let process = Int32(name.dropFirst(prefix.count).prefix { $0.isNumber }),
                !FileTree.isRunning(process), let file = try? PosixFile(reading: path),
                let identity = try? file.identity(),
                identity.modifiedNanoseconds < FileTree.nowNanoseconds - dayNanoseconds
            else { continue }
            FileTree.remove(path)
        }
    }
}
