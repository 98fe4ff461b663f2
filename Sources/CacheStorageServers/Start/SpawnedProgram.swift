#if Servers
    import CacheCore
    import Synchronization

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #elseif canImport(Darwin)
        import Darwin
    #endif

    /// A program that ends when this process does, whatever ends it, and takes its directory with it.
    ///
    /// A watchdog beside the program holds the reading end of a pipe whose writing end is this process's alone. The kernel
    /// closes that when this process ends, even by SIGKILL; the watchdog then kills the program and deletes the directory. The
    /// program has a process group of its own, so that Ctrl-C reaches this process alone.
    final class SpawnedProgram: Sendable {
        // Waits on descriptor 3 beside the program, which takes the shell's place and so its number. A line means that the
        // program has ended already. Descriptor 4 is closed everywhere once the watchdog stands.
        private static let script = """
            directory=$1; shift
            exec 3<&0
            { exec 4>&-; read -r _ <&3 || kill -9 $$; rm -rf -- "$directory"; } >/dev/null 2>&1 &
            exec "$@" </dev/null 3<&- 4>&-
            """
        /// How long a shell may take to start the watchdog, for hangs only.
        private static let startMilliseconds: Int32 = 60_000

        private let process: pid_t
        private let leash: Int32
        private let isStopped = Atomic(false)

        /// Starts a program by its path; what it prints goes to the file `log`. Returns when the watchdog stands, so that
        /// whatever ends the program from then on takes the directory too.
        ///
        /// Returns nil, and the system's error number, if that cannot be done.
        static func start(_ words: [String], directory: String, log: String) -> (program: SpawnedProgram?, errno: Int32)
        {
            guard let leash = closingPipe() else { return (nil, errno) }
            defer { close(leash.reading) }
            guard let readiness = closingPipe() else {
                let status = errno
                close(leash.writing)
                return (nil, status)
            }
            defer { close(readiness.reading) }
            let output = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
            let (process, status) =
                output < 0
                ? (0, errno)
                : ProcessStart.spawn(
                    ["/bin/sh", "-c", script, "sh", directory] + words,
                    descriptors: [(leash.reading, 0), (output, 1), (output, 2), (readiness.writing, 4)])
            if output >= 0 { close(output) }
            close(readiness.writing)
            guard status == 0 else {
                close(leash.writing)
                return (nil, status)
            }
            var end = pollfd(fd: readiness.reading, events: Int16(POLLIN), revents: 0)
            while poll(&end, 1, startMilliseconds) == -1, errno == EINTR {}
            return (SpawnedProgram(process: process, leash: leash.writing), 0)
        }

        /// Two joined ends that no child inherits: another's would keep the watchdog waiting.
        private static func closingPipe() -> (reading: Int32, writing: Int32)? {
            var ends: [Int32] = [0, 0]
            #if os(Linux)
                // Sockets, because they are born closing; another thread may start a program at any moment.
                let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
                guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { return nil }
            #else
                guard pipe(&ends) == 0 else { return nil }
                for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            #endif
            return (ends[0], ends[1])
        }

        private init(process: pid_t, leash: Int32) {
            self.process = process
            self.leash = leash
        }

        /// Whether the program has ended by itself.
        var hasEnded: Bool {
            var information = siginfo_t()
            // The program stays a zombie, so that its number is not given to another.
            let status = waitid(P_PID, id_t(process), &information, WEXITED | WNOHANG | WNOWAIT)
            return status != 0 || information.si_signo == SIGCHLD
        }

        /// Kills the program and waits for its end; the watchdog deletes the directory.
        func stop() {
            guard !isStopped.exchange(true, ordering: .relaxed) else { return }
            kill(process, SIGKILL)
            var status: Int32 = 0
            while waitpid(process, &status, 0) == -1, errno == EINTR {}
            // The line says that the number may be another's by now.
            _ = write(leash, "\n", 1)
            close(leash)
        }

        deinit { stop() }
    }
#endif
