import CacheCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Patterns for names of files, as a shell has them.
enum FilePattern {
    /// The files that a pattern with `*`, `?` or `[` matches, sorted by name.
    ///
    /// - Throws: `AssayError` with code `usage` if it matches none.
    static func matches(_ pattern: String) throws(AssayError) -> [String] {
        var found = glob_t()
        defer { globfree(&found) }
        let status = glob(pattern, GLOB_NOSORT, nil, &found)
        let paths = (0..<Int(found.gl_pathc)).compactMap { found.gl_pathv[$0].map { String(cString: $0) } }
        guard status == 0, !paths.isEmpty else {
            throw AssayError(
                .usage, "No file matches the pattern. Check it; the folder must exist and be readable.",
                at: AssayError.Location(pattern))
        }
        return paths.sorted()
    }
}
