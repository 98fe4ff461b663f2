internal import CacheCore
package import Foundation
internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// A program that was started with pipes on its standard streams.
package final class SpawnedChild: Sendable {
    /// Why a program could not be started.
    package struct Failure: Error {
        /// What was wrong and what mends it.
        package var message: String
        /// Whether the machine had no descriptor, process or memory left for it.
        var lacksResource: Bool

        init(_ code: Int32) {
            message = "it could not be started: \(String(cString: strerror(code)))"
            lacksResource = [EMFILE, ENFILE, EAGAIN, ENOMEM].contains(code)
            if [EMFILE, ENFILE].contains(code) { message += "; raise 'ulimit -n'" }
        }
    }

    /// Its process.
    package let identifier: pid_t
    /// The end of its standard input that is written; closed by its owner.
    package let input: Int32
    /// The end of its standard output that is read; closed by its owner.
    package let output: Int32
    /// The end of its standard error that is read, closed by its owner; -1 if that is a file.
    let errors: Int32
    private let status = Mutex<Int32>(0)
    private let ended = DispatchSemaphore(value: 0)

    /// Starts a program by its path, with variables added to this process's environment.
    ///
    /// - Parameters:
    ///   - errors: A file for its standard error in the place of a pipe; closed in any case.
    ///   - leadsGroup: Whether it and what it starts are a group of processes of their own.
    package init(
        _ executable: String, _ arguments: [String], environment: [String: String], errors: Int32? = nil,
        leadsGroup: Bool = false
    ) throws(Failure) {
        var open = errors.map { [$0] } ?? []
        func pipe() throws(Failure) -> (read: Int32, write: Int32) {
            guard let pipe = ProcessStart.pipe() else {
                let code = errno
                for descriptor in open { close(descriptor) }
                throw Failure(code)
            }
            open += [pipe.read, pipe.write]
            return pipe
        }
        let (stdin, stdout) = (try pipe(), try pipe())
        let stderr = if let errors { (read: Int32(-1), write: errors) } else { try pipe() }
        let variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let (child, code) = ProcessStart.spawn(
            [executable] + arguments, environment: variables.map { "\($0.key)=\($0.value)" },
            descriptors: [(stdin.read, 0), (stdout.write, 1), (stderr.write, 2)], leadsGroup: leadsGroup)
        for descriptor in [stdin.read, stdout.write, stderr.write] { close(descriptor) }
        guard code == 0 else {
            for descriptor in [stdin.write, stdout.read, stderr.read] where descriptor >= 0 { close(descriptor) }
            throw Failure(code)
        }
        (identifier, input, output, self.errors) = (child, stdin.write, stdout.read, stderr.read)
        Thread.detachNewThread { [self] in
            var status: Int32 = 0
            while waitpid(identifier, &status, 0) < 0, errno == EINTR {}
            self.status.withLock { $0 = status }
            ended.signal()
        }
    }

    /// Writes to its standard input as much as it reads.
    package func write(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.write(input, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    /// Whether it has ended, or ends in that time.
    package func hasEnded(within time: DispatchTimeInterval) -> Bool {
        guard ended.wait(timeout: .now() + time) == .success else { return false }
        ended.signal()
        return true
    }

    /// How it ended, with what it printed. To be asked when it has ended.
    package func outcome(output: [UInt8]) -> ChildProcess.Outcome {
        let status = status.withLock { $0 }
        let signal = status & 0x7F
        return signal == 0 ? .exited(status: status >> 8 & 0xFF, output: output) : .signalled(signal)
    }
}
