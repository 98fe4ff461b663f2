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
        /// It could not be started; `lacksResource` says whether the machine had no descriptor, process or memory left for it.
        case notStarted(String, lacksResource: Bool)
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
    /// Whether it is killed with every process that it started.
    package var leadsGroup = false
    /// Whether what it writes to standard error is shown at once, and not returned.
    package var showsErrors = false

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
        let child: SpawnedChild
        do throws(SpawnedChild.Failure) {
            child = try SpawnedChild(
                executable, arguments, environment: environment, errors: showsErrors ? dup(STDERR_FILENO) : nil,
                leadsGroup: leadsGroup)
        } catch {
            return (.notStarted(error.message, lacksResource: error.lacksResource), "")
        }
        let output = Collector(child.output)
        let errors = showsErrors ? nil : Collector(child.errors)
        // A child that dies early closes its end: the write fails and the outcome tells the rest.
        child.write(input)
        if !keepsInputOpen { close(child.input) }
        let verdict = wait(for: child, isStopping: isStopping)
        if keepsInputOpen { close(child.input) }
        let lines = String(decoding: errors?.finish() ?? [], as: UTF8.self).split(separator: "\n").suffix(5)
        let outcome = verdict ?? child.outcome(output: output.finish())
        return (Self.isStopped(outcome, isStopping) ? .stopped : outcome, lines.joined(separator: "\n"))
    }

    private func wait(for child: SpawnedChild, isStopping: () -> Bool) -> Outcome? {
        let start = MonotonicClock.nowNanoseconds()
        while !child.hasEnded(within: .milliseconds(100)) {
            let isLate = Double(MonotonicClock.nowNanoseconds() - start) / 1e9 > deadlineSeconds
            guard isLate || isStopping() else { continue }
            kill(leadsGroup ? -child.identifier : child.identifier, SIGKILL)
            _ = child.hasEnded(within: Self.patience)
            return isLate ? .hung : .stopped
        }
        return nil
    }

    /// Whether a program was ended by a signal that was meant for its whole group, as `timeout` and a terminal send them, and of which
    /// this process may hear a moment later.
    private static func isStopped(_ outcome: Outcome, _ isStopping: () -> Bool) -> Bool {
        guard case .signalled(let signal) = outcome, [SIGINT, SIGTERM, SIGHUP].contains(signal) else { return false }
        for _ in 0..<20 where !isStopping() { usleep(50_000) }
        return isStopping()
    }

    /// Drains a pipe on a thread of its own, so that neither side waits for the other, and closes it.
    private final class Collector: Sendable {
        private let bytes = Mutex<[UInt8]>([])
        private let isGivenUp = Atomic(false)
        private let done = DispatchSemaphore(value: 0)

        init(_ descriptor: Int32) {
            Thread.detachNewThread { [self] in
                drain(descriptor)
                close(descriptor)
                done.signal()
            }
        }

        private func drain(_ descriptor: Int32) {
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            while !isGivenUp.load(ordering: .relaxed) {
                var end = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                guard poll(&end, 1, 100) != 0 else { continue }
                let count = read(descriptor, &buffer, buffer.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return }
                bytes.withLock { $0.append(contentsOf: buffer[..<count]) }
            }
        }

        /// What was read until the end; what was read so far if a process that the program left behind holds the pipe.
        func finish() -> [UInt8] {
            _ = done.wait(timeout: .now() + ChildProcess.patience)
            isGivenUp.store(true, ordering: .relaxed)
            return bytes.withLock { $0 }
        }
    }
}
