internal import CacheCore
internal import Foundation

/// Asks this program, started again as a child process, one question in a line of JSON, and reads its answer.
struct ChildQuestion: Sendable {
    /// Why there is no answer.
    struct Failure: Error {
        var kind: CellFailure.Kind
        var message: String
    }

    typealias Ending = (outcome: ChildProcess.Outcome, errors: String)

    let executable: String
    let arguments: [String]
    let deadlineSeconds: Double
    let monitor: ReplayMonitor

    /// Starts a child and waits for its end. Its input stays open as long, so that it can tell that nobody waits any more.
    ///
    /// - Parameter countsMemory: whether the child is to count its allocations with jemalloc.
    func ending(_ order: some Encodable, countsMemory: Bool) -> Ending {
        guard let input = try? JSONEncoder().encode(order) else {
            return (.notStarted("the order could not be encoded", lacksResource: false), "")
        }
        let child = ChildProcess(
            executable: executable, arguments: arguments,
            environment: ChildProcess.plainCrashes.merging(countsMemory ? AllocationMeter.environment : [:]) { $1 },
            deadlineSeconds: deadlineSeconds, keepsInputOpen: true)
        return child.run(input: [UInt8](input) + [UInt8(ascii: "\n")]) { monitor.isStopping }
    }

    /// The answer that a child has written before it ended by itself.
    func answer<Answer: Decodable>(_ ending: Ending, as type: Answer.Type = Answer.self) -> Result<Answer, Failure> {
        let errors = ending.errors
        switch ending.outcome {
        case .exited(_, let output):
            guard let answer = try? JSONDecoder().decode(Answer.self, from: Data(output)) else {
                return .failure(Failure(kind: .crashed, message: "it ended without an answer. \(errors)"))
            }
            return .success(answer)
        case .signalled(let signal):
            return .failure(Failure(kind: .crashed, message: "signal \(signal) ended it. \(errors)"))
        case .hung:
            let message = "it did not end within \(Int(deadlineSeconds)) s; give it more with --deadline"
            return .failure(Failure(kind: .hung, message: message))
        case .stopped: return .failure(Failure(kind: .failed, message: "the run was stopped"))
        case .notStarted(let reason, let lacksResource):
            return .failure(Failure(kind: lacksResource ? .lackedResource : .failed, message: reason))
        }
    }
}
