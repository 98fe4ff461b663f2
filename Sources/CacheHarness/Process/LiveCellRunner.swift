public import CacheCore
internal import Foundation

/// Measures one live combination in child processes: one for timing with the system's allocator, one for memory with
/// jemalloc, so that a subject that traps, hangs or corrupts its memory is a result and harms nobody else.
public struct LiveCellRunner: Sendable {
    private let question: ChildQuestion

    /// A runner that starts `executable` with `arguments` and writes a ``LiveCellOrder``, one line of JSON, to its standard
    /// input, which stays open for as long as the answer is awaited.
    public init(executable: String, arguments: [String], deadlineSeconds: Double, monitor: ReplayMonitor) {
        question = ChildQuestion(
            executable: executable, arguments: arguments, deadlineSeconds: deadlineSeconds, monitor: monitor)
    }

    /// What the passes of one combination found out: the result, and what else was measured.
    public struct Outcome: Sendable {
        /// The combination with its figures or its failure.
        public var cell: CellResult
        /// What the timing passes found out besides; nil if they failed.
        public var bench: BenchTiming?
        /// How long opening, closing and recovering take; nil if it was not asked for, or the store keeps nothing.
        public var lifecycle: LifecycleFigures?
    }

    /// Runs the timing pass and then the memory pass of an order whose `pass` is overwritten.
    ///
    /// Under the load of `assay run`, one thread and the trace once, both must count the same.
    public func run(_ order: LiveCellOrder, blank: CellResult) -> Outcome {
        var outcome = Outcome(cell: blank)
        switch pass(.timing, order) {
        case .success(.timing(let timing)):
            outcome.cell.counts = timing.counts
            outcome.cell.requestsPerSecond = timing.requestsPerSecond
            outcome.cell.latency = timing.latency
            outcome.bench = timing.bench
            if let refused = timing.refusedOffers {
                outcome.cell.notes = (outcome.cell.notes ?? []) + [Self.refusal(refused, order.backend)]
            }
        case .success(let other): return failed(outcome, .failed, unexpected(other))
        case .failure(let failure): return failed(outcome, failure.kind, failure.message)
        }
        guard order.measuresMemory else { return outcome }
        switch pass(.memory, order) {
        case .success(.memory(let memory)):
            outcome.cell.memory = memory.figures
            if order.load.isOnePass, memory.counts != outcome.cell.counts {
                return failed(outcome, .failed, "the memory pass counted other hits than the timing pass")
            }
        case .success(let other): return failed(outcome, .failed, unexpected(other))
        case .failure(let failure): return failed(outcome, failure.kind, "memory pass: \(failure.message)")
        }
        guard order.measuresLifecycle else { return outcome }
        switch lifecycle(order) {
        case .success(.lifecycle(let figures)): outcome.lifecycle = figures
        case .success(let other): return failed(outcome, .failed, unexpected(other))
        case .failure(let failure): return failed(outcome, failure.kind, "lifecycle pass: \(failure.message)")
        }
        return outcome
    }

    /// Runs one more throughput pass of an order; its requests a second, or why there are none.
    public func repeatThroughput(_ order: LiveCellOrder) -> Result<Double, CellFailure> {
        switch pass(.throughput, order) {
        case .success(.throughput(let rate)): .success(rate)
        case .success(let other): .failure(CellFailure(.failed, unexpected(other)))
        case .failure(let failure): .failure(CellFailure(failure.kind, failure.message))
        }
    }

    private static func refusal(_ offers: Int, _ backend: String) -> String {
        let remedy =
            backend.isEmpty ? "" : ", for instance by \(backend)\(backend.contains(":") ? "," : ":")value-bytes-max=N"
        return
            "\(offers) stores were refused because the key or the value was too long: each of these objects is a miss whenever it "
            + "is asked for. Raise the store's limit\(remedy) if it has one."
    }

    private func pass(_ pass: LiveCellOrder.Pass, _ order: LiveCellOrder) -> Result<
        LiveCellAnswer, ChildQuestion.Failure
    > {
        var order = order
        order.pass = pass
        order.directory += "/\(pass.rawValue)"
        defer { try? FileManager.default.removeItem(atPath: order.directory) }
        return answer(child(order))
    }

    /// Has one process fill a store and be killed, and another one open it.
    private func lifecycle(_ order: LiveCellOrder) -> Result<LiveCellAnswer, ChildQuestion.Failure> {
        var order = order
        order.directory += "/lifecycle"
        defer { try? FileManager.default.removeItem(atPath: order.directory) }
        order.pass = .crash
        let crash = child(order)
        guard case .signalled(SIGKILL) = crash.outcome else { return answer(crash) }
        order.pass = .recovery
        return answer(child(order))
    }

    private func child(_ order: LiveCellOrder) -> ChildQuestion.Ending {
        question.ending(order, countsMemory: order.pass == .memory)
    }

    private func answer(_ ending: ChildQuestion.Ending) -> Result<LiveCellAnswer, ChildQuestion.Failure> {
        let answer = question.answer(ending, as: LiveCellAnswer.self)
        if case .success(.failure(let failure)) = answer {
            return .failure(ChildQuestion.Failure(kind: failure.kind, message: failure.message))
        }
        return answer
    }

    private func unexpected(_ answer: LiveCellAnswer) -> String { "the child answered another question: \(answer)" }

    private func failed(_ outcome: Outcome, _ kind: CellFailure.Kind, _ message: String) -> Outcome {
        var outcome = outcome
        outcome.cell.failure = CellFailure(kind, message)
        return outcome
    }
}
