import ArgumentParser
import CacheCore
import CacheHarness
import Foundation
import Synchronization

/// Measures live combinations by starting this program again for each pass.
final class LiveMeasurement: Sendable {
    private let selection: LiveSelection
    private let monitor: ReplayMonitor
    private let progress: ProgressLine
    private let floors = Mutex<[Double]>([])

    private struct LiveSelection: Sendable {
        var format: String?
        var compiledTraces: String?
        var seed: UInt64
        var valueBytes: Int
        var deadlineSeconds: Double
    }

    init(selection: RunSelection, monitor: ReplayMonitor, progress: ProgressLine) {
        self.selection = LiveSelection(
            format: selection.format, compiledTraces: selection.compiledTraces, seed: selection.seed,
            valueBytes: selection.valueBytes, deadlineSeconds: selection.deadline)
        self.monitor = monitor
        self.progress = progress
    }

    /// The lowest cost of reading the clock twice over all passes so far, in nanoseconds; nil before the first.
    var timerFloorNanoseconds: Double? { floors.withLock { $0.min() } }

    /// Measures one combination in child processes.
    func measure(_ cell: PlannedCell, _ trace: SweepTrace) -> CellResult {
        progress.show("\(cell.policy.text) on \(cell.backend?.text ?? "")")
        defer { progress.show("") }
        let directory = FileManager.default.temporaryDirectory.appending(path: "assay-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let order = LiveCellOrder(
            pass: .timing, trace: trace.description.argument, format: selection.format,
            compiledTraces: selection.compiledTraces, policy: cell.policy.text,
            admission: cell.admission?.text, capacity: cell.capacity,
            backend: cell.backend?.text ?? "", seed: selection.seed, valueBytes: selection.valueBytes,
            directory: directory)
        let runner = LiveCellRunner(
            executable: Bundle.main.executablePath ?? CommandLine.arguments[0],
            arguments: [MeasureCommand.configuration.commandName ?? "measure-cell"],
            deadlineSeconds: selection.deadlineSeconds, monitor: monitor)
        let outcome = runner.run(order, blank: cell.blank)
        if let floor = outcome.timerFloorNanoseconds { floors.withLock { $0.append(floor) } }
        return outcome.cell
    }
}
