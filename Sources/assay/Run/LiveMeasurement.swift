import ArgumentParser
import CacheCore
import CacheHarness
import Foundation
import Synchronization

/// Measures live combinations by starting this program again for each pass.
final class LiveMeasurement: Sendable {
    private let options: Options
    private let monitor: ReplayMonitor
    private let progress: ProgressLine
    private let floors = Mutex<[Double]>([])

    /// How the names of the temporary folders begin.
    private static let folderPrefix = "assay-live-"

    /// What all combinations have in common.
    struct Options: Sendable {
        var format: String?
        var compiledTraces: String?
        var seed: UInt64
        var valueBytes: Int
        var deadlineSeconds: Double
        var load = BenchLoad()
        var measuresLeak = false
        var measuresLifecycle = false
    }

    init(_ options: Options, monitor: ReplayMonitor, progress: ProgressLine) {
        self.options = options
        self.monitor = monitor
        self.progress = progress
        AbandonedFolders.clear(Self.folderPrefix)
    }

    /// The lowest cost of reading the clock twice over all passes so far, in nanoseconds; nil before the first.
    var timerFloorNanoseconds: Double? { floors.withLock { $0.min() } }

    /// Measures one combination in child processes, for a run.
    func measure(_ cell: PlannedCell, _ trace: SweepTrace) -> CellResult { bench(cell, trace).cell }

    /// Measures one combination in child processes. One that has no meaning says so.
    func bench(_ cell: PlannedCell, _ trace: SweepTrace) -> BenchSubject {
        if let reason = cell.inapplicability { return Self.inapplicable(cell.blank, reason) }
        return measure(cell.blank, trace, "\(cell.policy.text) on \(cell.backend?.text ?? "")") { order in
            order.policy = cell.policy.text
            order.admission = cell.admission?.text
            order.backend = cell.backend?.text ?? ""
        }
    }

    /// Measures a complete cache in child processes. One that has no meaning here says so.
    func bench(_ planned: WholeCacheSelection.Planned) -> BenchSubject {
        guard planned.blank.failure == nil else { return BenchSubject(cell: planned.blank, timing: nil) }
        let cache = planned.cache
        return measure(planned.blank, planned.trace, cache.name) { order in
            order.cache = cache.name
            order.measuresMemory = !cache.isElsewhere
            if cache.isElsewhere { order.measuresLifecycle = false }
        }
    }

    private static func inapplicable(_ blank: CellResult, _ reason: String) -> BenchSubject {
        var result = blank
        result.failure = CellFailure(.notApplicable, reason)
        return BenchSubject(cell: result, timing: nil)
    }

    private func measure(
        _ blank: CellResult, _ trace: SweepTrace, _ label: String, _ name: (inout LiveCellOrder) -> Void
    ) -> BenchSubject {
        progress.show(label)
        defer { progress.show("") }
        let folder: AbandonedFolders.Held
        do throws(StorageError) { folder = try AbandonedFolders.hold(Self.folderPrefix) } catch {
            var result = blank
            result.failure = CellFailure(
                AssayError(.inputOutput, "no temporary folder could be made", cause: error.description))
            return BenchSubject(cell: result, timing: nil)
        }
        defer { folder.remove() }
        var order = LiveCellOrder(
            pass: .timing, trace: trace.description.argument, format: options.format,
            compiledTraces: options.compiledTraces, policy: "", admission: nil,
            capacity: blank.capacityUnit == .bytes ? .bytes(blank.capacity) : .objects(blank.capacity), backend: "",
            seed: options.seed, valueBytes: options.valueBytes, directory: folder.path)
        order.load = options.load
        order.measuresLeak = options.measuresLeak
        order.measuresLifecycle = options.measuresLifecycle
        order.deadlineSeconds = options.deadlineSeconds
        name(&order)
        let runner = LiveCellRunner(
            executable: Bundle.main.executablePath ?? CommandLine.arguments[0],
            arguments: [MeasureCommand.configuration.commandName ?? "measure-cell"],
            deadlineSeconds: options.deadlineSeconds, monitor: monitor)
        let outcome = runner.run(order, blank: blank)
        if let floor = outcome.bench?.costs.timerFloorNanoseconds { floors.withLock { $0.append(floor) } }
        let isWhole = outcome.cell.failure == nil
        return BenchSubject(
            cell: outcome.cell, timing: isWhole ? outcome.bench : nil, lifecycle: isWhole ? outcome.lifecycle : nil)
    }
}
