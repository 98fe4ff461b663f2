import CacheCore
import Foundation
import Synchronization

/// One line on a terminal that says how far a run is, how fast it goes and how long it will take; nothing when piped.
final class ProgressLine: Sendable {
    private struct State {
        var finishedCells = 0
        var label = ""
        var isShown = false
        var isOver = false
    }

    /// Sources may be cancelled from any thread, which their protocol does not say.
    private struct Timer: @unchecked Sendable {
        let source: any DispatchSourceTimer
    }

    private let totalCells: Int
    private let totalRequests: Int
    private let monitor: ReplayMonitor
    private let start = Date()
    private let state = Mutex(State())
    private let timer: Timer?

    /// A line over `totalCells` combinations and `totalRequests` simulated requests that `monitor` counts.
    init(totalCells: Int, totalRequests: Int, monitor: ReplayMonitor, isEnabled: Bool) {
        self.totalCells = totalCells
        self.totalRequests = totalRequests
        self.monitor = monitor
        guard isEnabled else {
            timer = nil
            return
        }
        let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "assay.progress"))
        self.timer = Timer(source: timer)
        timer.schedule(deadline: .now() + 0.2, repeating: 0.2)
        timer.setEventHandler { [weak self] in self?.draw() }
        timer.resume()
    }

    /// Counts a finished combination.
    func finish(_ cell: CellResult) {
        state.withLock { $0.finishedCells += 1 }
    }

    /// Names what is running now.
    func show(_ label: String) {
        state.withLock { $0.label = label }
    }

    /// Takes the line away.
    func end() {
        timer?.source.cancel()
        state.withLock { state in
            if state.isShown { Console.errorRaw("\r\u{1B}[K") }
            state.isShown = false
            // The timer may be about to draw once more.
            state.isOver = true
        }
    }

    private func draw() {
        let elapsed = Date().timeIntervalSince(start)
        let requests = monitor.requests
        state.withLock { state in
            guard !state.isOver else { return }
            // Simulations come first and are told by requests; live runs are only counted.
            let isSimulating = requests < totalRequests
            let share =
                isSimulating
                ? Double(requests) / Double(totalRequests) : Double(state.finishedCells) / Double(max(1, totalCells))
            let rate = Self.scaled(Double(requests) / max(elapsed, 1e-3))
            let left = share > 0.01 ? Self.duration(elapsed / share - elapsed) + " left" : "estimating"
            let speed = isSimulating ? " · \(rate) requests/s" : ""
            let label = state.label.isEmpty ? "" : " · \(state.label)"
            let text =
                "\(Int(share * 100)) % · \(state.finishedCells)/\(totalCells) combinations\(speed) · \(left)\(label)"
            Console.errorRaw("\r\u{1B}[K" + text.prefix((Terminal.width(of: STDERR_FILENO) ?? 80) - 1))
            state.isShown = true
        }
    }

    private static func scaled(_ value: Double) -> String {
        switch value {
        case 1e6...: String(format: "%.1f M", value / 1e6)
        case 1e3...: String(format: "%.1f k", value / 1e3)
        default: String(format: "%.0f", value)
        }
    }

    private static func duration(_ seconds: Double) -> String {
        let whole = Int(seconds.rounded(.up))
        return whole < 60 ? "\(whole) s" : String(format: "%d:%02d min", whole / 60, whole % 60)
    }
}
