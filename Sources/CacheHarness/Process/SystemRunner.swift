public import CacheCore
internal import Foundation

/// What a child process is asked to measure: one pass of one system under one workload, in words that the command line also takes.
public struct SystemOrder: Codable, Sendable, Hashable {
    /// Which pass to run.
    public enum Pass: String, Codable, Sendable, Hashable {
        /// Throughput, then latency.
        case timing
        /// Memory and disk.
        case memory
        /// Experiments beside the workload.
        case probes
    }

    /// The pass.
    public var pass = Pass.timing
    /// The path of the workload's file.
    public var workload: String
    /// The policy, by name.
    public var policy: String
    /// The backend with its parameters; nil for a system that keeps nothing in one.
    public var backend: String?
    /// The seed of everything random.
    public var seed: UInt64
    /// How large the workload is, as a part of what its file says.
    public var scale: Double
    /// A directory that the child may fill; the parent removes it.
    public var directory: String

    /// An order for a system under a workload.
    public init(
        workload: String, policy: String, backend: String?, seed: UInt64, scale: Double, directory: String
    ) {
        self.workload = workload
        self.policy = policy
        self.backend = backend
        self.seed = seed
        self.scale = scale
        self.directory = directory
    }
}

/// What the child process answers.
public enum SystemAnswer: Codable, Sendable, Hashable {
    /// The timing passes' figures.
    case timing(SystemRun.Timing)
    /// The memory pass's figures.
    case memory(SystemRun.Memory)
    /// The figures of the experiments.
    case probes([SystemFigure])
    /// The pass ended with an error.
    case failure(CellFailure)
}

/// Measures one system in three child processes, one for timing and one for probes with the system's allocator, and one for memory with
/// jemalloc, so that one that traps or hangs is a result and harms nobody else.
public struct SystemRunner: Sendable {
    private let question: ChildQuestion

    /// A runner that starts `executable` with `arguments` and writes a ``SystemOrder``, one line of JSON, to its standard input.
    public init(executable: String, arguments: [String], deadlineSeconds: Double, monitor: ReplayMonitor) {
        question = ChildQuestion(
            executable: executable, arguments: arguments, deadlineSeconds: deadlineSeconds, monitor: monitor)
    }

    /// Runs all passes; returns the result with its figures or its failure, and the floor of its times in nanoseconds.
    public func run(_ order: SystemOrder, blank: SystemResult) -> (result: SystemResult, timerFloor: Double?) {
        var result = blank
        var floor: Double?
        switch pass(.timing, order) {
        case .success(.timing(let timing)):
            result.counts = timing.counts
            result.callsPerSecond = timing.callsPerSecond
            result.alternatives = timing.alternatives
            result.latency = timing.latency
            result.figures = timing.figures
            floor = timing.timerFloorNanoseconds
        case .success(let other): return (failed(blank, .failed, unexpected(other)), nil)
        case .failure(let failure): return (failed(blank, failure.kind, failure.message), nil)
        }
        switch pass(.memory, order) {
        case .success(.memory(let memory)):
            result.memory = memory.figures
            if let counts = result.counts, memory.counts != counts {
                let differences = memory.counts.differences(from: counts)
                let message = "the memory pass counted otherwise than the timing passes (\(differences))"
                return (failed(blank, .failed, message), floor)
            }
        case .success(let other): return (failed(blank, .failed, unexpected(other)), floor)
        case .failure(let failure): return (failed(blank, failure.kind, "memory pass: \(failure.message)"), floor)
        }
        switch pass(.probes, order) {
        case .success(.probes(let figures)): result.figures += figures
        case .success(let other): return (failed(blank, .failed, unexpected(other)), floor)
        case .failure(let failure): return (failed(blank, failure.kind, "probes: \(failure.message)"), floor)
        }
        return (result, floor)
    }

    private func pass(_ pass: SystemOrder.Pass, _ order: SystemOrder) -> Result<SystemAnswer, ChildQuestion.Failure> {
        var order = order
        order.pass = pass
        order.directory += "/\(pass.rawValue)"
        defer { try? FileManager.default.removeItem(atPath: order.directory) }
        let answer = question.answer(
            question.ending(order, countsMemory: pass == .memory), as: SystemAnswer.self)
        if case .success(.failure(let failure)) = answer {
            return .failure(ChildQuestion.Failure(kind: failure.kind, message: failure.message))
        }
        return answer
    }

    private func unexpected(_ answer: SystemAnswer) -> String { "the child answered another question: \(answer)" }

    private func failed(_ blank: SystemResult, _ kind: CellFailure.Kind, _ message: String) -> SystemResult {
        var result = blank
        result.failure = CellFailure(kind, message)
        return result
    }
}
