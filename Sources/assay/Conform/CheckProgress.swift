import CacheConformance
import Foundation

/// One line on standard error that says which check runs: drawn over on a terminal, and where there is none a line a check if
/// it is asked for.
final class CheckProgress {
    private let subject: String
    private let total: Int
    private let isTerminal = Console.hasTerminal
    private let isShown: Bool
    private var finished = 0
    private var failed = 0

    /// A line over so many checks of a subject.
    init(subject: String, checks: Int, isWanted: Bool) {
        self.subject = subject
        total = checks
        isShown = isWanted || isTerminal
    }

    /// Says that a check begins.
    func begin(_ check: Check) {
        guard isShown else { return }
        let failures = failed == 0 ? "" : ", \(failed) failed"
        let text = "\(subject) · \(finished + 1)/\(total)\(failures) · \(check.id)"
        guard isTerminal else { return Console.error(text) }
        Console.errorRaw("\r\u{1B}[K" + text.prefix((Terminal.width(of: STDERR_FILENO) ?? 80) - 1))
    }

    /// Counts a result, and takes the line away for what is printed about it.
    func finish(_ result: CheckResult) {
        finished += 1
        if result.outcome.isNegative { failed += 1 }
        if isShown, isTerminal { Console.errorRaw("\r\u{1B}[K") }
    }
}
