#if Conformance
    import CacheConformance
    import Foundation
    import Synchronization

    /// Which check runs and how long the rest will take; a line a check on standard error if that is asked for.
    final class CheckProgress {
        /// Shared with the display, which reads it from another thread.
        private final class Shared: Sendable {
            let state = Mutex(ProgressState())
        }

        private let shared = Shared()
        private let display: ProgressDisplay
        private let subject: String
        private let tellsEach: Bool
        private let progress: @Sendable () -> ProgressState

        /// Progress over so many checks of a subject.
        init(subject: String, checks: Int, tellsEach: Bool, isQuiet: Bool) {
            self.subject = subject
            self.tellsEach = tellsEach && !isQuiet && !Console.hasTerminal
            let (start, shared) = (Date(), shared)
            shared.state.withLock { ($0.unit, $0.total) = ("checks of \(subject)", checks) }
            progress = {
                var state = shared.state.withLock { $0 }
                state.elapsedSeconds = Date().timeIntervalSince(start)
                state.estimate(Double(state.done) / Double(max(1, checks)))
                let failures = state.failed == 0 ? "" : ", \(state.failed) failed"
                let check = state.running.first ?? ""
                state.line = "\(subject) · \(state.done + 1)/\(checks)\(failures) · \(check) · \(state.left)"
                return state
            }
            display = ProgressDisplay(isEnabled: !self.tellsEach && !isQuiet, progress: progress)
        }

        deinit { display.end() }

        /// Says that a check begins.
        func begin(_ check: Check) {
            shared.state.withLock { $0.running = [check.id] }
            if tellsEach { Console.error(progress().line) } else { display.update() }
        }

        /// Counts a result, and takes the line away for what is printed about it.
        func finish(_ result: CheckResult) {
            shared.state.withLock { state in
                state.running = []
                state.finish(
                    ProgressState.Finding(
                        name: result.id, place: subject, detail: result.assertion, verdict: result.outcome.name,
                        failure: result.outcome.isNegative ? result.outcome.detail ?? result.outcome.name : nil))
            }
            display.hide()
        }
    }
#endif
