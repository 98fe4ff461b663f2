internal import Foundation

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// What standard output is connected to.
enum Terminal {
    /// Whether standard output is a terminal rather than a file or a pipe.
    static var isInteractive: Bool { isatty(STDOUT_FILENO) == 1 }

    /// Whether to use colours: on a terminal, unless `NO_COLOR` is set or the terminal is `dumb`.
    static var isColored: Bool {
        let environment = ProcessInfo.processInfo.environment
        return isInteractive && (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
    }

    /// The terminal's width in characters; nil when standard output is not a terminal, so that nothing is cut.
    static var width: Int? {
        guard isInteractive else { return nil }
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }
}
