import Dispatch
import Foundation
import Synchronization

/// Shows how far something long has come: on a terminal one line that is drawn over, and elsewhere a line on standard error after ten
/// seconds and then every half minute, or every `ASSAY_PROGRESS_SECONDS`. The observer hears it a few times a second.
final class ProgressDisplay: Sendable {
    private struct State {
        var isShown = false
        var isOver = false
        /// When the next line is due where there is no terminal.
        var due: Date
    }

    /// Sources may be cancelled from any thread, which their protocol does not say.
    private struct Timer: @unchecked Sendable {
        let source: any DispatchSourceTimer
    }

    private let progress: @Sendable () -> ProgressState
    private let observer = ProgressObservers.current
    private let isEnabled: Bool
    private let isTerminal = Console.hasTerminal
    private let state: Mutex<State>
    private let timer: Timer?

    /// The time between two lines, in seconds, where there is no terminal.
    private static let interval: Double = {
        let given = ProcessInfo.processInfo.environment["ASSAY_PROGRESS_SECONDS"].flatMap(Double.init)
        return given.map { max(0, min($0, 1e6)) } ?? 30
    }()

    /// A display of a line of text.
    convenience init(isEnabled: Bool, text: @escaping @Sendable () -> String) {
        self.init(isEnabled: isEnabled, progress: { ProgressState(line: text()) })
    }

    /// A display of what `progress` says, until ``end()``; on the terminal none unless enabled.
    init(isEnabled: Bool, progress: @escaping @Sendable () -> ProgressState) {
        self.progress = progress
        self.isEnabled = isEnabled
        state = Mutex(State(due: Date().addingTimeInterval(min(10, Self.interval))))
        guard isEnabled || observer != nil else {
            timer = nil
            return
        }
        let step = isTerminal || observer != nil ? 0.25 : max(0.2, min(10, Self.interval))
        let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "assay.progress"))
        self.timer = Timer(source: timer)
        timer.schedule(deadline: .now() + step, repeating: step)
        timer.setEventHandler { [weak self] in
            self?.tell(isLast: false)
            self?.update()
        }
        timer.resume()
    }

    deinit { end() }

    /// Shows the text, where there is no terminal only if a line is due.
    func update() {
        guard isEnabled else { return }
        state.withLock { state in
            // The timer may be about to draw once more.
            guard !state.isOver else { return }
            if isTerminal {
                Console.progress(progress().line)
                state.isShown = true
            } else if Date() >= state.due {
                Console.error("assay: " + progress().line)
                state.due = Date().addingTimeInterval(Self.interval)
            }
        }
    }

    /// Takes the line away until the next update.
    func hide() { hide(isOver: false) }

    /// Takes the line away for good.
    func end() {
        timer?.source.cancel()
        tell(isLast: true)
        hide(isOver: true)
    }

    private func tell(isLast: Bool) {
        guard let observer else { return }
        // The timer may be about to tell once more.
        state.withLock { state in
            guard !state.isOver else { return }
            observer.hear(progress(), isLast: isLast)
            state.isOver = isLast
        }
    }

    private func hide(isOver: Bool) {
        state.withLock { state in
            if state.isShown { Console.progress(nil) }
            state.isShown = false
            state.isOver = state.isOver || isOver
        }
    }
}
