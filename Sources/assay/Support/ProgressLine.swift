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

    /// Nil for a search, of which nobody knows beforehand how long it takes.
    private let totals: (cells: Int, requests: Int)?
    private let monitor: ReplayMonitor
    private let start = Date()
    private let state = Mutex(State())
    private let timer: Timer?

    /// A line over `totalCells` combinations and `totalRequests` simulated requests that `monitor` counts.
    convenience init(totalCells: Int, totalRequests: Int, monitor: ReplayMonitor, isEnabled: Bool) {
        self.init(totals: (totalCells, totalRequests), monitor: monitor, isEnabled: isEnabled)
    }

    /// A line over replays whose number is not known beforehand.
    convenience init(monitor: ReplayMonitor, isEnabled: Bool) {
        self.init(totals: nil, monitor: monitor, isEnabled: isEnabled)
    }

    private init(totals: (Int, Int)?, monitor: ReplayMonitor, isEnabled: Bool) {
        self.totals = totals
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
    func finish(_ cell: CellResult) { finishOne() }

    /// Counts a finished combination of any kind.
    func finishOne() { state.withLock { $0.finishedCells += 1 } }

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
            let rate = Self.scaled(Double(requests) / max(elapsed, 1e-3)) + " requests/s"
            let label = state.label.isEmpty ? "" : " · \(state.label)"
            let text =
                totals.map { "\(Self.share($0, state, requests, elapsed, rate))\(label)" }
                ?? "\(state.finishedCells) replays · \(rate) · \(Self.duration(elapsed))\(label)"
            Console.errorRaw("\r\u{1B}[K" + text.prefix((Terminal.width(of: STDERR_FILENO) ?? 80) - 1))
            state.isShown = true
        }
    }

    /// How far a run is whose length is known. Simulations come first and are told by requests; live runs are only counted.
    private static func share(
        _ totals: (cells: Int, requests: Int), _ state: State, _ requests: Int, _ elapsed: Double, _ rate: String
    ) -> String {
        let isSimulating = requests < totals.requests
        let share =
            isSimulating
            ? Double(requests) / Double(totals.requests) : Double(state.finishedCells) / Double(max(1, totals.cells))
        let left = share > 0.01 ? duration(elapsed / share - elapsed) + " left" : "estimating"
        let speed = isSimulating ? " · \(rate)" : ""
        return "\(Int(share * 100)) % · \(state.finishedCells)/\(totals.cells) combinations\(speed) · \(left)"
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
