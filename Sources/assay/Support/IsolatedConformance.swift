import ArgumentParser
import CacheConformance
import CacheCore
import CacheHarness
import Foundation

/// What a child process is asked to check: one check of one backend, in words that the command line also takes.
struct CheckOrder: Codable {
    /// The backend with its parameters.
    var backend: String
    /// The check's id.
    var check: String
    /// The seed of random programs.
    var seed: UInt64
    /// Claims in the place of the backend's own.
    var claims: Claims?
    /// A directory that the child may fill; the parent removes it.
    var directory: String
}

/// Puts checks to a backend in child processes, one each, so that one that ends or hangs its process has an answer too.
struct IsolatedConformance {
    let backend: String
    let seed: UInt64
    let deadlineSeconds: Double
    let claims: Claims?
    /// Whether a child ended without an answer so far.
    private(set) var hasEndedChild = false

    init(backend: String, seed: UInt64, deadlineSeconds: Double, claims: Claims?) {
        self.backend = backend
        self.seed = seed
        self.deadlineSeconds = deadlineSeconds
        self.claims = claims
    }

    /// Runs one check in a child process.
    mutating func ask(_ check: Check) -> CheckAnswer {
        let root = FileManager.default.temporaryDirectory.appending(path: "assay-\(UUID().uuidString)").path
        let directory = root + "/check"
        defer { try? FileManager.default.removeItem(atPath: root) }
        let order = CheckOrder(backend: backend, check: check.id, seed: seed, claims: claims, directory: directory)
        do {
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
            let child = ChildProcess(
                executable: Bundle.main.executablePath ?? CommandLine.arguments[0],
                arguments: [ConformCheckCommand.configuration.commandName ?? "conform-check"],
                environment: ChildProcess.plainCrashes.merging(["TMPDIR": directory]) { $1 },
                deadlineSeconds: deadlineSeconds, keepsInputOpen: true)
            let input = try [UInt8](JSONEncoder().encode(order)) + [UInt8(ascii: "\n")]
            let (outcome, errors) = child.run(input: input) { false }
            return answer(check, outcome, errors)
        } catch {
            return ended(check, .inconclusive("its process could not be prepared: \(error.localizedDescription)"))
        }
    }

    private mutating func answer(_ check: Check, _ outcome: ChildProcess.Outcome, _ errors: String) -> CheckAnswer {
        let words = errors.isEmpty ? "" : ". \(errors)"
        switch outcome {
        case .exited(let status, let output):
            if let answer = try? JSONDecoder().decode(CheckAnswer.self, from: Data(output)) { return answer }
            return ended(check, .crashed("its process ended with status \(status) and without an answer\(words)"))
        case .signalled(let signal): return ended(check, .crashed("signal \(signal) ended its process\(words)"))
        case .hung: return ended(check, .hung("no answer within \(Int(deadlineSeconds)) s\(words)"))
        case .stopped: return ended(check, .inconclusive("its process was stopped"))
        case .notStarted(let reason): return ended(check, .inconclusive("its process could not be started: \(reason)"))
        }
    }

    private mutating func ended(_ check: Check, _ outcome: CheckOutcome) -> CheckAnswer {
        hasEndedChild = true
        return CheckAnswer(check, endedWith: outcome)
    }
}
