import CacheCore
import Foundation

/// Runs operations in a child process that is killed on the way, as a crash ends it: nothing is closed or flushed.
///
/// The child is a copy of this process, so any subject can be killed without its help. What must survive is then found in
/// another process than the one that wrote it: in this one.
struct ForkedRun {
    /// When the child ends.
    enum Stop: CustomStringConvertible {
        /// Once so many operations were acknowledged.
        case afterOperation(Int)
        /// So long after it began to open the cache, in the middle of whatever it does.
        case afterMicroseconds(Int)
        /// So long after it had opened the cache and so many operations were acknowledged, which may have taken long or short.
        case afterMicrosecondsOfWork(Int, after: Int = 0)
        /// Before so many calls of the system that change a file of the store have been done since the cache was opened, where
        /// calls can be made to fail.
        case atCall(Int)

        var description: String {
            switch self {
            case .afterOperation(let count): "kill the process after \(count) operations"
            case .afterMicroseconds(let time): "kill the process \(time) µs after it began to open the store"
            case .afterMicrosecondsOfWork(let time, 0): "kill the process \(time) µs after it had opened the store"
            case .afterMicrosecondsOfWork(let time, let count): "kill the process \(time) µs after \(count) operations"
            case .atCall(let call): "kill the process at its call \(call) that writes, resizes, syncs or names a file"
            }
        }
    }

    /// How far the child came.
    struct Progress: Equatable {
        /// What became of opening the cache; nil if the end came first.
        var opened: Bool?
        /// How many operations were acknowledged.
        var acknowledged = 0

        /// From a child's signs: one for the opening, and one an operation.
        init(signs: [UInt8]) {
            opened = signs.first.map { $0 == Self.isOpen }
            acknowledged = max(0, signs.count - 1)
        }

        static let isOpen: UInt8 = 1
        static let isRefused: UInt8 = 0
    }

    let subject: any CacheSubject
    let setup: CacheSetup
    let directory: String

    /// How far the child came before the end; nil if no child could be made or it hung.
    func run(_ operations: [CacheOperation], until stop: Stop) -> Progress? {
        // A subject that has a process of its own is killed there: a copy of this one would only share its pipe.
        if let elsewhere = subject as? ProcessSubject {
            return elsewhere.progress(of: operations, setup: setup, in: directory, until: stop)
        }
        return Self.signs { work(operations, stop, $0) }.map { Progress(signs: $0.signs) }
    }

    /// What `body` told, a byte each time, in a child process that ends with it; nil if no child could be made or it hung.
    static func report(_ body: (_ tell: (UInt8) -> Void) -> Void) -> [UInt8]? {
        let read = signs { pipe in
            body { tell($0, pipe) }
            endNow()
        }
        return read.flatMap { $0.isStuck ? nil : $0.signs }
    }

    /// Ends this process as a crash does.
    static func endNow() -> Never {
        kill(getpid(), SIGKILL)
        _exit(1)
    }

    /// Makes a copy of this process and returns its number, 0 in the copy; nil where there is no such call.
    static func fork() -> pid_t? {
        typealias Fork = @convention(c) () -> Int32
        return dlsym(nil, "fork").map { unsafeBitCast($0, to: Fork.self)() }
    }

    /// What a child process wrote to its pipe before it ended, and whether it was stuck and ended for that.
    ///
    /// A copy of a process has only the thread that copied it. A lock that another thread held at that moment, such as one of the
    /// background of RocksDB, is held for ever in the copy. Who waits for it is ended there, as a kill at that moment would.
    private static func signs(_ work: (_ pipe: Int32) -> Never) -> (signs: [UInt8], isStuck: Bool)? {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        // A program that another thread starts meanwhile would hold them open.
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let child = fork() ?? -1
        if child == 0 {
            close(ends[0])
            work(ends[1])
        }
        close(ends[1])
        defer { close(ends[0]) }
        guard child > 0 else { return nil }
        let signs = readSigns(ends[0], from: child)
        kill(child, SIGKILL)
        var status: Int32 = 0
        waitpid(child, &status, 0)
        return signs
    }

    private static func tell(_ sign: UInt8, _ pipe: Int32) {
        var sign = sign
        write(pipe, &sign, 1)
    }

    /// The child's part.
    private func work(_ operations: [CacheOperation], _ stop: Stop, _ pipe: Int32) -> Never {
        if case .afterMicroseconds(let time) = stop { Self.end(afterMicroseconds: time) }
        guard let instance = try? subject.open(setup, in: directory) else {
            Self.tell(Progress.isRefused, pipe)
            _exit(1)
        }
        Self.tell(Progress.isOpen, pipe)
        if case .atCall(let call) = stop {
            FailingCalls.arm(
                [.writes, .lengths, .syncs, .names], .killed, calls: call...call, below: directory)
        }
        for (index, operation) in operations.enumerated() {
            if case .afterOperation(index) = stop { break }
            if case .afterMicrosecondsOfWork(let time, index) = stop { Self.end(afterMicroseconds: time) }
            _ = instance.perform(operation)
            Self.tell(1, pipe)
        }
        switch stop {
        case .afterOperation, .atCall: break
        case .afterMicroseconds, .afterMicrosecondsOfWork: sleep(10)
        }
        Self.endNow()
    }

    /// Has this process ended after a time, at once and wherever it then is.
    private static func end(afterMicroseconds time: Int) {
        // The signal's own action ends the process.
        signal(SIGALRM, SIG_DFL)
        var none = sigset_t()
        sigemptyset(&none)
        sigaddset(&none, SIGALRM)
        pthread_sigmask(SIG_UNBLOCK, &none, nil)
        var timer = itimerval()
        timer.it_value.tv_sec = time / 1_000_000
        timer.it_value.tv_usec = .init(time % 1_000_000)
        // 0 is the timer of real time; its constant has a type of its own on each platform.
        setitimer(.init(0), &timer, nil)
    }

    /// The child's signs until it ends or is stuck; nil if nothing comes for a minute.
    private static func readSigns(_ end: Int32, from child: pid_t) -> (signs: [UInt8], isStuck: Bool)? {
        var (signs, silent) = ([UInt8](), 0)
        while true {
            var wait = pollfd(fd: end, events: Int16(POLLIN), revents: 0)
            guard poll(&wait, 1, 1_000) > 0 else {
                silent += 1
                if isStuck(child) { return (signs, true) }
                guard silent < 60 else { return nil }
                continue
            }
            silent = 0
            var buffer = [UInt8](repeating: 0, count: 4_096)
            let got = read(end, &buffer, buffer.count)
            guard got > 0 else { return (signs, false) }
            signs += buffer[..<got]
        }
    }

    /// Whether a process has one thread, which waits for a lock without a limit of time: nobody is left who could let go of it.
    /// False where the system does not say.
    private static func isStuck(_ process: pid_t) -> Bool {
        #if arch(x86_64)
            let futex = "202"
        #else
            let futex = "98"
        #endif
        guard let threads = text(of: "/proc/\(process)/status", after: "Threads:\t"), threads == "1",
            let call = text(of: "/proc/\(process)/syscall", after: "")
        else { return false }
        // The number of the call, its six arguments (the fourth is the limit of time), and two registers.
        let words = call.split(separator: " ")
        return words.count == 9 && words[0] == futex && words[4] == "0x0"
    }

    /// What follows a word on its line of a small file; nil without it.
    private static func text(of file: String, after word: String) -> String? {
        let lines = String(decoding: Directory.read(file) ?? [], as: UTF8.self).split(separator: "\n")
        return lines.first { $0.hasPrefix(word) }.map { String($0.dropFirst(word.count)) }
    }
}
