import CEmbeddedFiles
package import CacheCore
import Foundation

/// Calls of the operating system that are made to fail one at a time, in a process that was started with the library for it.
///
/// The library is `FailingCalls/failing_calls.c`. It has to be preloaded when a process starts, so whoever runs checks in child
/// processes compiles it with ``library(in:)`` and names it in ``preloadVariable``; without it, checks that need it are blocked.
package enum FailingCalls {
    /// Kinds of calls on files of a store, which can be added.
    struct Kinds: OptionSet {
        let rawValue: Int32
        /// Writes of bytes.
        static let writes = Kinds(rawValue: 1)
        /// Changes of a file's length, and blocks that are set aside for it.
        static let lengths = Kinds(rawValue: 2)
        /// Requests to make bytes durable.
        static let syncs = Kinds(rawValue: 4)
        /// Files made, renamed and deleted.
        static let names = Kinds(rawValue: 8)
        /// Reads of bytes.
        static let reads = Kinds(rawValue: 16)
        /// Files opened that must be there.
        static let opens = Kinds(rawValue: 32)
        /// Files closed.
        static let closes = Kinds(rawValue: 64)
    }

    /// How a call fails: the number of the error, which is 0 for half of the bytes and -2 for an end before the call, and words.
    struct Failure {
        fileprivate let code: Int32
        let words: String

        static let noRoom = Failure(code: ENOSPC, words: "fail with ENOSPC")
        static let device = Failure(code: EIO, words: "fail with EIO")
        static let half = Failure(code: 0, words: "do half of its work")
        static let noDescriptor = Failure(code: EMFILE, words: "fail with EMFILE")
        static let noRights = Failure(code: EACCES, words: "fail with EACCES")
        static let killed = Failure(code: -2, words: "kill the process")
    }

    /// The variable of the environment by which the dynamic linker is told to preload a library.
    package static let preloadVariable = "LD_PRELOAD"
    /// The variable that says why a process was started without the library.
    package static let absenceVariable = "ASSAY_NO_FAILING_CALLS"

    /// Compiles the library into a directory and returns its path.
    ///
    /// - Throws: `unavailable` where libraries cannot be preloaded or no C compiler is found.
    package static func library(in directory: String) throws(StoreError) -> String {
        #if canImport(Glibc)
            let (source, library) = ("\(directory)/failing_calls.c", "\(directory)/failing_calls.so")
            guard Directory.write(Array(embedded_failing_calls_c().bytes), to: source) else {
                throw StoreError(.unavailable, "the library of failing calls cannot be written to \(directory)")
            }
            let compiler = Process()
            compiler.executableURL = URL(filePath: "/bin/sh")
            compiler.arguments = [
                "-c", "for c in clang cc gcc; do $c -O1 -shared -fPIC -o \"$1\" \"$0\" -ldl && exit 0; done; exit 1",
                source, library,
            ]
            (compiler.standardOutput, compiler.standardError) = (FileHandle.nullDevice, FileHandle.nullDevice)
            try? compiler.run()
            compiler.waitUntilExit()
            guard compiler.terminationStatus == 0 else {
                throw StoreError(
                    .unavailable, "no C compiler makes the library of failing calls; install clang or gcc")
            }
            return library
        #else
            throw StoreError(
                .unavailable, "calls are made to fail by a preloaded library, which needs Linux with glibc")
        #endif
    }

    /// Nil if calls can be made to fail; otherwise why not.
    static var absence: String? {
        guard arming == nil else { return nil }
        return getenv(absenceVariable).map { String(cString: $0) }
            ?? "this process was started without the library that makes calls fail, as 'assay conform' starts its own"
    }

    private typealias Arm = @convention(c) (Int32, Int, Int, Int32, UnsafePointer<CChar>) -> Void
    private typealias Count = @convention(c) () -> Int

    private static var arming: Arm? {
        dlsym(nil, "assay_failing_calls_arm").map { unsafeBitCast($0, to: Arm.self) }
    }

    /// Has the calls of these kinds on files below a directory fail from now on whose numbers are these, the first being 1.
    static func arm(_ kinds: Kinds, _ failure: Failure, calls: ClosedRange<Int>, below directory: String) {
        arming?(kinds.rawValue, calls.lowerBound, calls.upperBound, failure.code, directory)
    }

    /// Lets every call through again.
    static func disarm() { arming?(0, 1, 1, 0, "") }

    /// How many of the calls have failed since they were made to.
    static var failed: Int { count("assay_failing_calls_failed") }

    /// How many writes came after the last of them.
    static var writesSinceFailure: Int { count("assay_failing_calls_written") }

    private static func count(_ name: String) -> Int {
        dlsym(nil, name).map { unsafeBitCast($0, to: Count.self)() } ?? 0
    }
}
