import CacheConformance
import Testing

#if canImport(Glibc)
    import Glibc
#endif

/// Runs a check without root's right to write everywhere, which checks of permissions need.
enum AsOrdinaryUser {
    /// Runs `body`; on Linux as root, this thread's file access is that of `nobody` meanwhile.
    static func run<Result>(if isNeeded: Bool = true, _ body: () throws -> Result) throws -> Result {
        #if canImport(Glibc)
            guard isNeeded, geteuid() == 0 else { return try body() }
            typealias SetFileSystemUser = @convention(c) (UInt32) -> Int32
            let symbol = try #require(dlsym(nil, "setfsuid"))
            let setFileSystemUser = unsafeBitCast(symbol, to: SetFileSystemUser.self)
            _ = setFileSystemUser(65_534)
            defer { _ = setFileSystemUser(0) }
        #endif
        return try body()
    }
}
