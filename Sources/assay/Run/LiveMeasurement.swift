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

    /// Measures a complete cache in child processes.
    func bench(
        _ cache: WholeCacheSelection, _ capacity: (Capacity, requested: String), _ trace: SweepTrace
    ) -> BenchSubject {
        let blank = CellResult(
            trace: trace.description.name, policy: "its own", parameters: "", backend: cache.name,
            capacity: capacity.0, capacityRequested: capacity.requested, seed: options.seed)
        if let reason = cache.inapplicability(capacity.0, threads: options.load.threads) {
            return Self.inapplicable(blank, reason)
        }
        return measure(blank, trace, cache.name) { $0.cache = cache.name }
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
        let directory = FileManager.default.temporaryDirectory.appending(path: "assay-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: directory) }
        var order = LiveCellOrder(
            pass: .timing, trace: trace.description.argument, format: options.format,
            compiledTraces: options.compiledTraces, policy: "", admission: nil,
            capacity: blank.capacityUnit == .bytes ? .bytes(blank.capacity) : .objects(blank.capacity), backend: "",
            seed: options.seed, valueBytes: options.valueBytes, directory: directory)
        name(&order)
        order.load = options.load
        order.measuresLeak = options.measuresLeak
        order.measuresLifecycle = options.measuresLifecycle
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
