import CacheCore
import Foundation
import Synchronization

/// How far a run is, how fast it goes and how long it will take.
final class ProgressLine: Sendable {
    /// What is counted, apart from the requests.
    private final class Progress: Sendable {
        let finishedCells = Atomic(0)
        let label = Mutex("")
    }

    private let progress = Progress()
    private let display: ProgressDisplay

    /// A line over `totalCells` combinations, or what `unit` calls them, and `totalRequests` simulated requests that `monitor` counts.
    convenience init(
        totalCells: Int, totalRequests: Int, unit: String = "combinations", monitor: ReplayMonitor, isEnabled: Bool
    ) {
        self.init(totals: (totalCells, totalRequests, unit), monitor: monitor, isEnabled: isEnabled)
    }

    /// A line over replays whose number is not known beforehand.
    convenience init(monitor: ReplayMonitor, isEnabled: Bool) {
        self.init(totals: nil, monitor: monitor, isEnabled: isEnabled)
    }

    private init(totals: (cells: Int, requests: Int, unit: String)?, monitor: ReplayMonitor, isEnabled: Bool) {
        let (start, progress) = (Date(), progress)
        display = ProgressDisplay(isEnabled: isEnabled) {
            let elapsed = Date().timeIntervalSince(start)
            let finished = progress.finishedCells.load(ordering: .relaxed)
            let requests = monitor.requests
            let rate = Self.scaled(Double(requests) / max(elapsed, 1e-3)) + " requests/s"
            let label = progress.label.withLock { $0.isEmpty ? "" : " · \($0)" }
            return totals.map { "\(Self.share($0, finished, requests, elapsed, rate))\(label)" }
                ?? "\(finished) replays · \(rate) · \(ProgressDisplay.duration(elapsed))\(label)"
        }
    }

    /// Counts a finished combination.
    func finish(_ cell: CellResult) { finishOne() }

    /// Counts a finished combination of any kind.
    func finishOne() {
        progress.finishedCells.add(1, ordering: .relaxed)
        display.update()
    }

    /// Names what is running now.
    func show(_ label: String) { progress.label.withLock { $0 = label } }

    /// Takes the line away.
    func end() { display.end() }

    /// How far a run is whose length is known. Simulations come first and are told by requests; live runs are only counted.
    private static func share(
        _ totals: (cells: Int, requests: Int, unit: String), _ finished: Int, _ requests: Int, _ elapsed: Double,
        _ rate: String
    ) -> String {
        let isSimulating = requests < totals.requests
        let share =
            isSimulating ? Double(requests) / Double(totals.requests) : Double(finished) / Double(max(1, totals.cells))
        let speed = isSimulating ? " · \(rate)" : ""
        let left = ProgressDisplay.left(share, elapsed)
        return "\(Int(share * 100)) % · \(finished)/\(totals.cells) \(totals.unit)\(speed) · \(left)"
    }

    private static func scaled(_ value: Double) -> String {
        switch value {
        case 1e6...: String(format: "%.1f M", value / 1e6)
        case 1e3...: String(format: "%.1f k", value / 1e3)
        default: String(format: "%.0f", value)
        }
    }
}
