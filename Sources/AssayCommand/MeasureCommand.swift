import ArgumentParser
import CacheCore
import CacheHarness
import CacheTraces
import Foundation

/// `assay measure-cell`: one pass of one live combination, for `assay run`, which starts it as a child process.
struct MeasureCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "measure-cell",
        abstract: "Measure one pass of one live combination; the order is read from standard input.",
        shouldDisplay: false)

    @OptionGroup var plugins: PluginSelection

    func run() throws {
        let order: LiveCellOrder
        do {
            order = try JSONDecoder().decode(LiveCellOrder.self, from: Data((readLine() ?? "").utf8))
        } catch {
            throw AssayError(.usage, "this command is started by 'assay run' alone", cause: "\(error)")
        }
        ParentWatch.endWithParent(removing: order.directory)
        Interrupt.leaveToParent()
        let answer: LiveCellAnswer
        do throws(AssayError) { answer = try Self.measure(order) } catch { answer = .failure(CellFailure(error)) }
        try FileHandle.standardOutput.write(contentsOf: JSONEncoder().encode(answer))
    }

    private static func measure(_ order: LiveCellOrder) throws(AssayError) -> LiveCellAnswer {
        let trace = try TraceStore.open(compiled: order.trace)
        let columns = trace.columns
        let whole = try order.cache.map { (name) throws(AssayError) in
            try BenchmarkedCacheSelection(name, deadlineSeconds: order.deadlineSeconds)
        }
        defer { whole?.endProcess() }
        let subject = try subject(order, columns, whole)
        let keys = (0..<trace.objects).map { trace.key(of: ObjectID($0)) }
        let run = LiveRun(
            subject, columns: columns, keys: keys, valueBytes: trace.hasSizes ? nil : order.valueBytes, load: order.load
        )
        return try measure(order, run)
    }

    private static func subject(
        _ order: LiveCellOrder, _ columns: RequestColumns, _ whole: BenchmarkedCacheSelection?
    ) throws(AssayError) -> LiveRun.Subject {
        func configuration(_ parameters: ParameterValues) -> PolicyConfiguration {
            PolicyConfiguration(
                capacity: order.capacity, objects: columns.objects, parameters: parameters, seed: order.seed,
                keys: columns.keys)
        }
        if let whole {
            return LiveRun.Subject(
                whole.entry, configuration: configuration(ParameterValues(defaults: [])))
        }
        guard let policy = try Selection.policies([order.policy]).first,
            let backend = try Selection.backends([order.backend]).first
        else { throw AssayError(.usage, "the order names no policy or no backend") }
        var configured = configuration(policy.parameters)
        configured.admission = try order.admission.flatMap { (text) throws(AssayError) in
            try Selection.admissions([text])[0]
        }
        return LiveRun.Subject(
            policy: policy.entry, configuration: configured, backend: backend.entry,
            backendParameters: backend.parameters)
    }

    private static func measure(_ order: LiveCellOrder, _ run: LiveRun) throws(AssayError) -> LiveCellAnswer {
        switch order.pass {
        case .timing: return .timing(try run.timing(directory: order.directory, measuresCosts: order.measuresCosts))
        case .throughput: return .throughput(try run.throughputAgain(directory: order.directory))
        case .memory: return .memory(try run.memory(directory: order.directory, measuresLeak: order.measuresLeak))
        case .crash:
            try run.fillAndDie(directory: order.directory)
            return .lifecycle(nil)
        case .recovery: return .lifecycle(try run.recovery(directory: order.directory))
        }
    }
}
