import CacheCore
import CacheReports
import Foundation
import Synchronization

/// What a person sees: results on standard output, everything else on standard error.
///
/// Everything passes here, and so what came from outside, such as keys, file names and answers, loses the power to steer a terminal
/// here. Characters are shown as escapes that JSON reads as the same characters.
///
/// A reader that went away, as `head` does, is no reason to stop: the rest of the output is dropped. Any other failure to
/// write is remembered and becomes the exit status once the work is done.
package enum Console {
    private enum Output {
        case open
        case dropped
        case failed(Int32)
    }

    private static let output = Mutex(Output.open)

    /// Whether standard error is a terminal that can redraw a line, so that a progress line makes sense.
    static var hasTerminal: Bool {
        isatty(STDERR_FILENO) == 1 && ProcessInfo.processInfo.environment["TERM"] != "dumb"
    }

    /// Writes a line of results; the styles of reports stay if they may be there.
    package static func print(_ text: String, terminator: String = "\n", isStyled: Bool = false) {
        output.withLock { output in
            guard case .open = output else { return }
            let text = isStyled ? text.terminalSafeInStyle : text.terminalSafe
            let code = write(text + terminator, to: STDOUT_FILENO)
            if code != 0 { output = code == EPIPE ? .dropped : .failed(code) }
        }
    }

    /// Writes a document as a terminal shows it.
    static func print(_ document: ReportDocument) {
        let text = TerminalReport.render(document, width: Terminal.width, isColored: Terminal.isColored)
        print(text, terminator: "", isStyled: true)
    }

    /// Writes the paths of the reports that were written, a line each, unless silent, and tells the observer of their pages.
    static func printReports(_ paths: [String], isSilent: Bool = false) {
        if !paths.isEmpty, !isSilent { print(paths.joined(separator: "\n")) }
        ProgressObservers.hear(files: paths)
    }

    /// Writes a line about the run or an error.
    static func error(_ text: String) { _ = write(text.terminalSafe + "\n", to: STDERR_FILENO) }

    /// Draws the progress line of a terminal over the one before, cut to its width; nil takes it away.
    static func progress(_ text: String?) {
        let line = text.map {
            $0.replacing("\n", with: " ").terminalSafe.prefix((Terminal.width(of: STDERR_FILENO) ?? 80) - 1)
        }
        _ = write("\r\u{1B}[K" + (line ?? ""), to: STDERR_FILENO)
    }

    /// Ends with an error if results could not be printed.
    static func throwIfOutputFailed() throws(AssayError) {
        guard case .failed(let code) = output.withLock({ $0 }) else { return }
        throw AssayError(
            .inputOutput, "standard output cannot be written; free space or send it elsewhere",
            cause: String(cString: strerror(code)))
    }

    /// Writes everything and returns 0, or the error number of what went wrong.
    private static func write(_ text: String, to descriptor: Int32) -> Int32 {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let written = bytes.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if written < 0, errno == EINTR { continue }
            guard written > 0 else { return written == 0 ? EIO : errno }
            bytes = bytes.dropFirst(written)
        }
        return 0
    }
}
