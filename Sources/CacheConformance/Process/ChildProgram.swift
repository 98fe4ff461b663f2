import CacheCore
import Foundation

/// A program that runs with pipes on its standard streams, in a process group of its own so that it can be ended with
/// everything that it started.
struct ChildProgram: Sendable {
    let identifier: pid_t
    /// The end of its standard input that is written.
    let input: Int32
    /// The end of its standard output that is read.
    let output: Int32
    /// The end of its standard error that is read.
    let errors: Int32

    /// Starts a command line of the shell, in which `$1`, `$2` … are the arguments.
    init(command: String, arguments: [String] = []) throws(StoreError) {
        let (stdin, stdout, stderr) = (try Self.pipe(), try Self.pipe(), try Self.pipe())
        // A dead program's pipe must be an error to its writer and not a signal.
        #if canImport(Darwin)
            _ = fcntl(stdin.write, F_SETNOSIGPIPE, 1)
        #endif
        let before = Self.setTimerSlack(1)
        let status: Int32
        (identifier, status) = ProcessStart.spawn(
            ["/bin/sh", "-c", command, "sh"] + arguments,
            descriptors: [(stdin.read, 0), (stdout.write, 1), (stderr.write, 2)])
        if let before { _ = Self.setTimerSlack(before) }
        (input, output, errors) = (stdin.write, stdout.read, stderr.read)
        for descriptor in [stdin.read, stdout.write, stderr.write] { close(descriptor) }
        guard status == 0 else {
            for descriptor in [input, output, errors] { close(descriptor) }
            throw StoreError(.unavailable, "the shell could not be started for '\(command)'", errno: status)
        }
    }

    /// Sets by how many nanoseconds the waits of this thread, and of the programs that it starts, may end too late; answers what it was
    /// before, nil where that cannot be said.
    ///
    /// The 50 µs that Linux allows are longer than most operations: threads that take turns by a wait, as Python's do, would hardly ever
    /// change within one, and what is wrong there would not be seen.
    private static func setTimerSlack(_ nanoseconds: Int) -> Int? {
        typealias Control = @convention(c) (Int32, Int, Int, Int, Int) -> Int32
        guard let control = dlsym(nil, "prctl").map({ unsafeBitCast($0, to: Control.self) }) else { return nil }
        let before = control(30, 0, 0, 0, 0)  // PR_GET_TIMERSLACK
        guard before >= 0, control(29, nanoseconds, 0, 0, 0) == 0 else { return nil }  // PR_SET_TIMERSLACK
        return Int(before)
    }

    private static func pipe() throws(StoreError) -> (read: Int32, write: Int32) {
        guard let pipe = ProcessStart.pipe() else {
            throw StoreError(.unavailable, "no pipe could be made; close some files", errno: errno)
        }
        return pipe
    }

    /// Ends the program and what it started.
    func kill() { killpg(identifier, SIGKILL) }

    /// Ends the program and what it started, and waits for its end for a minute at most, unless `exit` says that it has been reaped;
    /// answers how it ended, in words.
    ///
    /// A child that nobody reaps starves the exit tests of this process: Swift Testing's monitor is told of it first, for ever.
    @discardableResult func end(_ exit: String?) -> String? {
        kill()
        var exit = exit
        for _ in 0..<12_000 where exit == nil {
            usleep(5_000)
            exit = reap()
        }
        awaitGroup()
        return exit
    }

    /// Waits, once it was killed, until what it had started has let go of its files too: the shell that starts a program may be
    /// gone before the program is. A second at most.
    private func awaitGroup() {
        var closedFor = 0
        for _ in 0..<500 where killpg(identifier, 0) == 0 {
            var end = pollfd(fd: output, events: 0, revents: 0)
            // Who is dead and has no parent that asks stays in the group, without files.
            if poll(&end, 1, 2) == 1, end.revents & Int16(POLLHUP) != 0 { closedFor += 1 }
            if closedFor > 10 { return }
            usleep(2_000)
        }
    }

    /// How it ended, in words; nil if it runs. To be called until it answers, and not afterwards.
    func reap() -> String? {
        var status: Int32 = 0
        guard waitpid(identifier, &status, WNOHANG) == identifier else { return nil }
        let signal = status & 0x7F
        return signal == 0 ? "it ended with status \(status >> 8 & 0xFF)" : "signal \(signal) ended it"
    }

    /// Writes all bytes; false if nobody reads them any more.
    func write(_ bytes: [UInt8]) -> Bool { withoutBrokenPipes { Self.write(bytes, to: input) } }

    /// Writes all bytes to a descriptor; false if nobody reads them any more.
    @discardableResult static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Keeps the signal of a broken pipe away from this thread, without a change to the process.
    private func withoutBrokenPipes(_ body: () -> Bool) -> Bool {
        #if canImport(Darwin)
            return body()
        #else
            var (broken, before, pending) = (sigset_t(), sigset_t(), sigset_t())
            sigemptyset(&broken)
            sigaddset(&broken, SIGPIPE)
            sigpending(&pending)
            pthread_sigmask(SIG_BLOCK, &broken, &before)
            let isWritten = body()
            if !isWritten, sigismember(&pending, SIGPIPE) == 0 {
                var now = timespec()
                _ = sigtimedwait(&broken, nil, &now)
            }
            pthread_sigmask(SIG_SETMASK, &before, nil)
            return isWritten
        #endif
    }

    /// Closes this side's ends.
    func closeEnds() {
        for descriptor in [input, output, errors] { close(descriptor) }
    }
}
