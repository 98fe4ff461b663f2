import Foundation

/// What a person sees: results on standard output, everything else on standard error.
enum Console {
    /// Whether standard error is a terminal, so that a progress line makes sense.
    static var hasTerminal: Bool { isatty(STDERR_FILENO) == 1 }

    /// Writes a line of results.
    static func print(_ text: String) { FileHandle.standardOutput.write(Data((text + "\n").utf8)) }

    /// Writes a line about the run or an error.
    static func error(_ text: String) { FileHandle.standardError.write(Data((text + "\n").utf8)) }

    /// Writes without a line end, for the progress line.
    static func errorRaw(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }
}
