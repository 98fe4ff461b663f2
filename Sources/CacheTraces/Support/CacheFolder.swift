internal import CacheCore

/// The folder that holds compiled traces, for this user alone: folders of mode 0700, files of mode 0600.
struct CacheFolder: Sendable {
    /// Its path, without a `/` at its end unless that is all.
    let path: String
    /// Whether the folder was chosen by this program, and not named by whoever runs it.
    let isChosen: Bool
    /// Why the folder is a temporary one and not in the user's cache; nil if it is where it should be.
    let fallbackReason: String?

    /// A folder that somebody has named.
    init(named path: String) {
        self.path = path
        isChosen = false
        fallbackReason = nil
    }

    /// `$XDG_CACHE_HOME/assay/traces`, or else `~/.cache/assay/traces`; where that cannot be, `assay-USER/traces` in the folder for
    /// temporary files.
    init(environment: (String) -> String? = FileTree.environment) {
        isChosen = true
        var reason = "neither XDG_CACHE_HOME nor HOME names a folder"
        // The XDG specification says that a relative path is to be ignored.
        if let base = environment("XDG_CACHE_HOME"), base.hasPrefix("/") {
            if FileTree.canWriteFolder(base + "/assay/traces") {
                (path, fallbackReason) = (base + "/assay/traces", nil)
                return
            }
            reason = "XDG_CACHE_HOME, '\(base)', cannot be written to"
        } else if let home = environment("HOME"), home.hasPrefix("/") {
            // A home that is not there is not for this program to make.
            if FileTree.isFolder(home), FileTree.canWriteFolder(home + "/.cache/assay/traces") {
                (path, fallbackReason) = (home + "/.cache/assay/traces", nil)
                return
            }
            reason = "HOME, '\(home)', \(FileTree.isFolder(home) ? "cannot be written to" : "is no folder")"
        }
        let base = environment("TMPDIR").flatMap { $0.hasPrefix("/") && FileTree.isFolder($0) ? $0 : nil } ?? "/tmp"
        path = "\(base)/assay-\(FileTree.userID)/traces"
        fallbackReason = reason
    }

    /// Creates the folders where they are missing, and takes from other users what earlier versions left open to them.
    ///
    /// - Throws: `AssayError` with code `unavailable` for a temporary folder of somebody else, `inputOutput` if a folder cannot be
    ///   created.
    func prepare() throws(AssayError) {
        if fallbackReason != nil { try prepareTemporary(String(path.dropLast("/traces".count))) }
        let folders = [path, path + "/sources", path + "/locks"]
        for folder in folders { try FileTree.createFolder(folder) }
        // Nobody else reaches what lies in a private folder, and a sweep prepares this one for each of thousands of traces.
        guard !FileTree.isPrivate(path) else { return }
        let contents = folders.map { FileTree.names(in: $0) }
        // A folder that somebody named may hold other things as well, and is theirs.
        let isOwn =
            isChosen || contents[0].contains(where: Self.isCompiledName) && contents[0].allSatisfy(Self.isOwnName)
        for (folder, names) in zip(folders, contents) {
            if isOwn { FileTree.makePrivate(folder) }
            for name in names where Self.isOwnFile(name) { FileTree.makePrivate(folder + "/" + name) }
        }
    }

    /// Anybody may create a folder of this name where all users have their temporary files.
    private func prepareTemporary(_ folder: String) throws(AssayError) {
        try FileTree.createFolder(folder)
        guard FileTree.isOwnFolder(folder) else {
            throw AssayError(
                .unavailable,
                "Compiled traces cannot be kept in the user's cache, since \(fallbackReason ?? ""), nor here: the folder belongs to "
                    + "somebody else. Name a folder with --compiled-traces, or set XDG_CACHE_HOME.",
                at: AssayError.Location(folder))
        }
        FileTree.makePrivate(folder)
    }

    /// Whether a name in the folder is one that this program gives: a compiled trace, a digest, a lock, a file in the making.
    private static func isOwnName(_ name: String) -> Bool { isOwnFile(name) || name == "sources" || name == "locks" }

    private static func isOwnFile(_ name: String) -> Bool {
        isCompiledName(name) || TemporaryName.isOne(name)
            || [2, 32].contains(name.count) && name.allSatisfy(\.isHexDigit)
    }

    private static func isCompiledName(_ name: String) -> Bool {
        name.prefix { $0.isHexDigit }.count == 64 && name.hasSuffix(".trace")
    }
}
