import Foundation

/// What a person sees: results on standard output, everything else on standard error.
enum Console {
    /// Whether standard error is a terminal, so that a progress line makes sense.
    static var hasTerminal: Bool { isatty(STDERR_FILENO) == 1 }

    /// The width of the terminal on standard output, nil when it is piped.
    static var width: Int? {
        guard isatty(STDOUT_FILENO) == 1 else { return nil }
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }

    /// Writes a line of results.
    static func print(_ text: String) { FileHandle.standardOutput.write(Data((text + "\n").utf8)) }

    /// Writes a line about the run or an error.
    static func error(_ text: String) { FileHandle.standardError.write(Data((text + "\n").utf8)) }

    /// Writes without a line end, for the progress line.
    static func errorRaw(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }
}
