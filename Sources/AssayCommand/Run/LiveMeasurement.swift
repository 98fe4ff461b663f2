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

    /// The variable by which a gate over times tells its blocks to leave out what it does not judge: memory, lifecycle, and what
    /// measuring costs.
    static let timesAlone = "ASSAY_TIMES_ALONE"
    /// Whether everything is measured.
    static let measuresAll = ProcessInfo.processInfo.environment[timesAlone] == nil

    /// How the names of the temporary folders begin.
    private static let folderPrefix = "assay-live-"

    /// What all combinations have in common.
    struct Options: Sendable {
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
        if let reason = cell.inapplicability(on: trace) { return Self.inapplicable(cell.blank, reason) }
        return measure(cell.blank, subject(cell, trace))
    }

    /// What is measured, in the words of an order.
    struct Subject {
        let label: String
        let order: LiveCellOrder
    }

    /// A combination as it is ordered.
    func subject(_ cell: PlannedCell, _ trace: SweepTrace) -> Subject {
        var order = order(cell.blank, trace)
        order.policy = cell.policy.text
        order.admission = cell.admission?.text
        order.backend = cell.backend?.text ?? ""
        return Subject(label: "\(cell.policy.text) on \(order.backend)", order: order)
    }

    /// A complete cache as it is ordered.
    func subject(_ planned: BenchmarkedCacheSelection.Planned) -> Subject {
        var order = order(planned.blank, planned.trace)
        order.cache = planned.cache.name
        if planned.cache.isElsewhere { order.measuresMemory = false }
        if planned.cache.isElsewhere { order.measuresLifecycle = false }
        return Subject(label: planned.cache.name, order: order)
    }

    /// Measures a complete cache in child processes. One that has no meaning here says so.
    func bench(_ planned: BenchmarkedCacheSelection.Planned) -> BenchSubject {
        guard planned.blank.failure == nil else { return BenchSubject(cell: planned.blank, timing: nil) }
        return measure(planned.blank, subject(planned))
    }

    private static func inapplicable(_ blank: CellResult, _ reason: String) -> BenchSubject {
        var result = blank
        result.failure = CellFailure(.notApplicable, reason)
        return BenchSubject(cell: result, timing: nil)
    }

    private func order(_ blank: CellResult, _ trace: SweepTrace) -> LiveCellOrder {
        var order = LiveCellOrder(
            pass: .timing, trace: trace.compiledPath ?? "", policy: "", admission: nil,
            capacity: blank.capacityUnit == .bytes ? .bytes(blank.capacity) : .objects(blank.capacity), backend: "",
            seed: blank.seed, valueBytes: options.valueBytes, directory: "")
        order.load = options.load
        if let warmUp = blank.warmUp {
            order.load.warmUp = .requests(warmUp.requests)
            order.load.requests = trace.columns.ids.count - warmUp.requests
        }
        (order.measuresMemory, order.measuresCosts) = (Self.measuresAll, Self.measuresAll)
        order.measuresLeak = options.measuresLeak
        order.measuresLifecycle = options.measuresLifecycle
        order.deadlineSeconds = options.deadlineSeconds
        return order
    }

    private func measure(_ blank: CellResult, _ subject: Subject) -> BenchSubject {
        var blank = blank
        do throws(CellFailure) {
            let outcome = try inFolder(subject) { $0.run($1, blank: blank) }
            if let floor = outcome.bench?.costs.timerFloorNanoseconds, Self.measuresAll {
                floors.withLock { $0.append(floor) }
            }
            let isWhole = outcome.cell.failure == nil
            return BenchSubject(
                cell: outcome.cell, timing: isWhole ? outcome.bench : nil, lifecycle: isWhole ? outcome.lifecycle : nil)
        } catch {
            blank.failure = error
            return BenchSubject(cell: blank, timing: nil)
        }
    }

    /// Runs one more throughput pass of what was measured; its requests a second.
    func repeatThroughput(_ subject: Subject) throws(CellFailure) -> Double {
        try inFolder(subject) { $0.repeatThroughput($1) }.get()
    }

    private func inFolder<Result>(
        _ subject: Subject, _ body: (LiveCellRunner, LiveCellOrder) -> Result
    ) throws(CellFailure) -> Result {
        progress.show(subject.label)
        defer { progress.show("") }
        let folder: AbandonedFolders.Held
        do throws(AssayError) {
            folder = try AssayError.madeFolder { () throws(StoreError) in
                try AbandonedFolders.hold(Self.folderPrefix)
            }
        } catch { throw CellFailure(error) }
        defer { folder.remove() }
        var order = subject.order
        order.directory = folder.path
        let runner = LiveCellRunner(
            executable: Bundle.main.executablePath ?? CommandLine.arguments[0],
            arguments: [MeasureCommand.configuration.commandName ?? "measure-cell"] + PluginSelection.arguments,
            deadlineSeconds: options.deadlineSeconds, monitor: monitor)
        return body(runner, order)
    }
}
