import CacheCore
import Foundation
import Synchronization

/// How far a run is, how fast it goes and how long it will take.
final class ProgressLine: Sendable {
    /// Shared with the display, which reads it from another thread.
    private final class Shared: Sendable {
        let state = Mutex(ProgressState())
    }

    private let shared = Shared()
    private let display: ProgressDisplay

    /// A line over `totalCells` combinations, or what `unit` calls them, and `totalRequests` simulated requests that `monitor` counts.
    convenience init(
        totalCells: Int, totalRequests: Int, unit: String = "combinations", monitor: ReplayMonitor, isEnabled: Bool
    ) {
        self.init(totals: (totalCells, totalRequests), unit: unit, monitor: monitor, isEnabled: isEnabled)
    }

    /// A line over replays whose number is not known beforehand.
    convenience init(monitor: ReplayMonitor, isEnabled: Bool) {
        self.init(totals: nil, unit: "replays", monitor: monitor, isEnabled: isEnabled)
    }

    private init(totals: (cells: Int, requests: Int)?, unit: String, monitor: ReplayMonitor, isEnabled: Bool) {
        let (start, shared) = (Date(), shared)
        shared.state.withLock { ($0.unit, $0.total) = (unit, totals?.cells) }
        display = ProgressDisplay(
            isEnabled: isEnabled,
            progress: {
                var state = shared.state.withLock { $0 }
                state.elapsedSeconds = Date().timeIntervalSince(start)
                state.tell(totals, requests: monitor.requests)
                return state
            })
    }

    /// Says that a combination begins.
    func start(_ cell: CellResult) {
        shared.state.withLock { $0.running.append(ProgressState.Finding.label(cell)) }
    }

    /// Counts a finished combination.
    func finish(_ cell: CellResult) {
        shared.state.withLock { state in
            let label = ProgressState.Finding.label(cell)
            if let index = state.running.firstIndex(of: label) { state.running.remove(at: index) }
            state.finish(ProgressState.Finding(cell))
        }
        display.update()
    }

    /// Counts something finished of any kind.
    func finishOne(_ finding: ProgressState.Finding? = nil) {
        shared.state.withLock { if let finding { $0.finish(finding) } else { $0.finish() } }
        display.update()
    }

    /// Names what is running now; empty for nothing.
    func show(_ label: String) { shared.state.withLock { $0.running = label.isEmpty ? [] : [label] } }

    /// Takes the line away.
    func end() { display.end() }
}

extension ProgressState {
    /// Fills in how far a run is. Simulations come first and are told by requests; live runs are only counted.
    fileprivate mutating func tell(_ totals: (cells: Int, requests: Int)?, requests: Int) {
        let rate = Double(requests) / max(elapsedSeconds, 1e-3)
        let speed = Self.scaled(rate) + " requests/s"
        // What is shown is one live run; simulations side by side would not fit.
        let label = running.count == 1 ? " · \(running[0])" : ""
        guard let totals else {
            requestsPerSecond = rate
            line = "\(done) replays · \(speed) · \(Self.duration(elapsedSeconds))\(label)"
            return
        }
        let isSimulating = requests < totals.requests
        if isSimulating { requestsPerSecond = rate }
        estimate(
            isSimulating ? Double(requests) / Double(totals.requests) : Double(done) / Double(max(1, totals.cells)))
        let progress = "\(Int((share ?? 0) * 100)) % · \(done)/\(totals.cells) \(unit)"
        line = "\(progress)\(isSimulating ? " · \(speed)" : "") · \(left)\(label)"
    }

    private static func scaled(_ value: Double) -> String {
        switch value {
        case 1e6...: String(format: "%.1f M", value / 1e6)
        case 1e3...: String(format: "%.1f k", value / 1e3)
        default: String(format: "%.0f", value)
        }
    }
}
