#if Conformance
    import CacheConformance
    import Foundation
    import Synchronization

    /// Which check runs and how long the rest will take; a line a check on standard error if that is asked for.
    final class CheckProgress {
        /// What has been done so far.
        private struct State {
            var check = ""
            var finished = 0
            var failed = 0
        }

        /// Shared with the display, which reads it from another thread.
        private final class Shared: Sendable {
            let state = Mutex(State())
        }

        private let shared = Shared()
        private let display: ProgressDisplay
        private let tellsEach: Bool
        private let text: @Sendable () -> String

        /// Progress over so many checks of a subject.
        init(subject: String, checks: Int, tellsEach: Bool, isQuiet: Bool) {
            self.tellsEach = tellsEach && !Console.hasTerminal
            let (start, shared) = (Date(), shared)
            text = {
                let state = shared.state.withLock { $0 }
                let failures = state.failed == 0 ? "" : ", \(state.failed) failed"
                let share = Double(state.finished) / Double(max(1, checks))
                let left = ProgressDisplay.left(share, Date().timeIntervalSince(start))
                return "\(subject) · \(state.finished + 1)/\(checks)\(failures) · \(state.check) · \(left)"
            }
            display = ProgressDisplay(isEnabled: !self.tellsEach && !isQuiet, text: text)
        }

        deinit { display.end() }

        /// Says that a check begins.
        func begin(_ check: Check) {
            shared.state.withLock { $0.check = check.id }
            if tellsEach { Console.error(text()) } else { display.update() }
        }

        /// Counts a result, and takes the line away for what is printed about it.
        func finish(_ result: CheckResult) {
            shared.state.withLock { state in
                state.finished += 1
                if result.outcome.isNegative { state.failed += 1 }
            }
            display.hide()
        }
    }
#endif
