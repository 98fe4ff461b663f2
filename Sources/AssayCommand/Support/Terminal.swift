internal import Foundation

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// What the output is connected to.
enum Terminal {
    /// Whether standard output is a terminal rather than a file or a pipe.
    static var isInteractive: Bool { isatty(STDOUT_FILENO) == 1 }

    /// Whether to use colours: on a terminal, unless `NO_COLOR` is set or the terminal is `dumb`.
    static var isColored: Bool {
        let environment = ProcessInfo.processInfo.environment
        return isInteractive && (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
    }

    /// The width of standard output in characters; nil when it is not a terminal, so that nothing is cut.
    static var width: Int? { width(of: STDOUT_FILENO) }

    /// The width of the terminal behind a descriptor; nil when it is none.
    static func width(of descriptor: Int32) -> Int? {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }
}
