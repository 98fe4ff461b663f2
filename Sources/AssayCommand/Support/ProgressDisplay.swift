import Dispatch
import Foundation
import Synchronization

/// Shows how far something long has come: on a terminal one line that is drawn over, and elsewhere a line on standard error after ten
/// seconds and then every half minute, or every `ASSAY_PROGRESS_SECONDS`.
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

    private let text: @Sendable () -> String
    private let isEnabled: Bool
    private let isTerminal = Console.hasTerminal
    private let state: Mutex<State>
    private let timer: Timer?

    /// The time between two lines, in seconds, where there is no terminal.
    private static let interval: Double = {
        let given = ProcessInfo.processInfo.environment["ASSAY_PROGRESS_SECONDS"].flatMap(Double.init)
        return given.map { max(0, min($0, 1e6)) } ?? 30
    }()

    /// A display of what `text` says, until ``end()``; none unless enabled.
    init(isEnabled: Bool, text: @escaping @Sendable () -> String) {
        self.text = text
        self.isEnabled = isEnabled
        state = Mutex(State(due: Date().addingTimeInterval(min(10, Self.interval))))
        guard isEnabled else {
            timer = nil
            return
        }
        let step = isTerminal ? 0.2 : max(0.2, min(10, Self.interval))
        let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "assay.progress"))
        self.timer = Timer(source: timer)
        timer.schedule(deadline: .now() + step, repeating: step)
        timer.setEventHandler { [weak self] in self?.update() }
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
                Console.progress(text())
                state.isShown = true
            } else if Date() >= state.due {
                Console.error("assay: " + text())
                state.due = Date().addingTimeInterval(Self.interval)
            }
        }
    }

    /// Takes the line away until the next update.
    func hide() { hide(isOver: false) }

    /// Takes the line away for good.
    func end() {
        timer?.source.cancel()
        hide(isOver: true)
    }

    private func hide(isOver: Bool) {
        state.withLock { state in
            if state.isShown { Console.progress(nil) }
            state.isShown = false
            state.isOver = state.isOver || isOver
        }
    }

    /// The time that is left, when `share` of the work has taken `elapsed` seconds.
    static func left(_ share: Double, _ elapsed: Double) -> String {
        share > 0.01 ? duration(elapsed / share - elapsed) + " left" : "estimating"
    }

    /// `12 s`, `3:05 min`.
    static func duration(_ seconds: Double) -> String {
        let whole = Int(min(seconds.rounded(.up), 1e9))
        return whole < 60 ? "\(whole) s" : String(format: "%d:%02d min", whole / 60, whole % 60)
    }
}
