internal import Foundation
internal import Synchronization

/// Runs a program with a deadline and collects what it prints.
package struct ChildProcess {
    /// How the program ended.
    package enum Outcome {
        /// It exited by itself.
        case exited(status: Int32, output: [UInt8])
        /// A signal ended it.
        case signalled(Int32)
        /// It passed its deadline and was killed.
        case hung
        /// The caller wished to stop, and it was killed.
        case stopped
        /// It could not be started.
        case notStarted(String)
    }

    /// The program.
    package var executable: String
    /// Its arguments.
    package var arguments: [String]
    /// Variables added to this process's environment.
    package var environment: [String: String] = [:]
    /// How long it may run, in seconds.
    package var deadlineSeconds: Double
    /// Whether the program's input ends only with this process or the program: so it can tell that nobody waits any more.
    package var keepsInputOpen = false

    /// A program that is not started yet.
    package init(
        executable: String, arguments: [String], environment: [String: String] = [:], deadlineSeconds: Double,
        keepsInputOpen: Bool = false
    ) {
        self.executable = executable
        self.arguments = arguments
        self.environment = environment
        self.deadlineSeconds = deadlineSeconds
        self.keepsInputOpen = keepsInputOpen
    }

    /// Keeps Swift's backtraces out of standard error, whose last lines become a crash's message.
    package static let plainCrashes = ["SWIFT_BACKTRACE": "enable=no"]

    /// How long to wait for what should follow at once.
    private static let patience = DispatchTimeInterval.seconds(2)

    /// Runs the program with `input` on its standard input. `isStopping` is asked ten times a second.
    ///
    /// Returns the outcome and the last lines that the program wrote to standard error.
    package func run(input: [UInt8], isStopping: () -> Bool) -> (outcome: Outcome, errors: String) {
        let process = Process()
        process.executableURL = URL(filePath: executable)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let (stdin, stdout, stderr) = (Pipe(), Pipe(), Pipe())
        process.standardInput = stdin
        process.standardOutput = stdout
        process.standardError = stderr
        let ended = DispatchSemaphore(value: 0)
        process.terminationHandler = { _ in ended.signal() }
        do { try process.run() } catch { return (.notStarted("\(error)"), "") }
        let output = Collector(stdout)
        let errors = Collector(stderr)
        // A child that dies early closes its end: the write fails and the outcome tells the rest.
        try? stdin.fileHandleForWriting.write(contentsOf: Data(input))
        if !keepsInputOpen { try? stdin.fileHandleForWriting.close() }
        let verdict = wait(for: process, ended: ended, isStopping: isStopping)
        if keepsInputOpen { try? stdin.fileHandleForWriting.close() }
        let lines = String(decoding: errors.finish(), as: UTF8.self).split(separator: "\n").suffix(5)
        return (verdict ?? outcome(of: process, output: output.finish()), lines.joined(separator: "\n"))
    }

    private func wait(for process: Process, ended: DispatchSemaphore, isStopping: () -> Bool) -> Outcome? {
        let start = MonotonicClock.nowNanoseconds()
        while ended.wait(timeout: .now() + .milliseconds(100)) == .timedOut {
            let isLate = Double(MonotonicClock.nowNanoseconds() - start) / 1e9 > deadlineSeconds
            guard isLate || isStopping() else { continue }
            kill(process.processIdentifier, SIGKILL)
            // Foundation tells of the end only once every process that the program left behind has ended too.
            _ = ended.wait(timeout: .now() + Self.patience)
            return isLate ? .hung : .stopped
        }
        return nil
    }

    private func outcome(of process: Process, output: [UInt8]) -> Outcome {
        process.terminationReason == .uncaughtSignal
            ? .signalled(process.terminationStatus)
            : .exited(status: process.terminationStatus, output: output)
    }

    /// Drains a pipe on a thread of its own, so that neither side waits for the other.
    private final class Collector: Sendable {
        private let bytes = Mutex<[UInt8]>([])
        private let done = DispatchSemaphore(value: 0)

        init(_ pipe: Pipe) {
            let handle = pipe.fileHandleForReading
            Thread.detachNewThread { [self] in
                while let data = try? handle.read(upToCount: 1 << 16), !data.isEmpty {
                    bytes.withLock { $0.append(contentsOf: data) }
                }
                done.signal()
            }
        }

        /// What was read until the end; what was read so far if a process that the program left behind holds the pipe.
        func finish() -> [UInt8] {
            _ = done.wait(timeout: .now() + ChildProcess.patience)
            return bytes.withLock { $0 }
        }
    }
}
