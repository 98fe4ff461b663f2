#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// How programs are started.
///
/// Foundation's `Process` keeps descriptors of pipes for good, starts nothing where few descriptors are allowed, and tells of an end only
/// when every process that the program left behind has ended.
package enum ProcessStart {
    /// Starts a program by its path, with no signal blocked and a broken pipe's not ignored.
    ///
    /// - Parameters:
    ///   - words: The path and the arguments.
    ///   - environment: What it gets in the place of this process's variables, as `NAME=VALUE`.
    ///   - descriptors: Descriptors of this process and the numbers that they have in the program, in the order in which they are copied.
    ///   - leadsGroup: Whether it and what it starts are a group of processes of their own.
    /// - Returns: Its process, or the system's error number.
    package static func spawn(
        _ words: [String], environment: [String]? = nil, descriptors: [(ours: Int32, theirs: Int32)],
        leadsGroup: Bool = true
    ) -> (process: Int32, errno: Int32) {
        #if canImport(Darwin)
            var actions: posix_spawn_file_actions_t?
            var attributes: posix_spawnattr_t?
        #else
            var actions = posix_spawn_file_actions_t()
            var attributes = posix_spawnattr_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        for (ours, theirs) in descriptors { posix_spawn_file_actions_adddup2(&actions, ours, theirs) }
        // Threads of a pool block signals, which a program would inherit.
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigaddset(&signals, SIGPIPE)
        // What is ignored here would be ignored there: only a program that a terminal's signals do not reach may take them as it likes.
        if leadsGroup { for signal in [SIGINT, SIGTERM] { sigaddset(&signals, signal) } }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setpgroup(&attributes, 0)
        let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | (leadsGroup ? POSIX_SPAWN_SETPGROUP : 0)
        posix_spawnattr_setflags(&attributes, Int16(flags))
        let arguments = words.map { (word: String) in strdup(word) } + [nil]
        var variables = (environment ?? []).map { (variable: String) in strdup(variable) } + [nil]
        defer { for word in arguments + variables { free(word) } }
        var process = pid_t()
        let status = variables.withUnsafeMutableBufferPointer { variables in
            posix_spawn(
                &process, words[0], &actions, &attributes, arguments,
                environment == nil ? environ : variables.baseAddress!)
        }
        return (process, status)
    }

    /// A pipe that other programs do not hold open; nil, with `errno`, if there are no descriptors for it.
    package static func pipe() -> (read: Int32, write: Int32)? {
        var ends: [Int32] = [0, 0]
        #if canImport(Glibc)
            let status = Glibc.pipe(&ends)
        #elseif canImport(Musl)
            let status = Musl.pipe(&ends)
        #else
            let status = Darwin.pipe(&ends)
        #endif
        for end in ends where status == 0 { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return status == 0 ? (ends[0], ends[1]) : nil
    }
}
