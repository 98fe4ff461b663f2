#if Servers
    import CacheCore

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #elseif canImport(Darwin)
        import Darwin
    #endif

    /// A server that was started for this process alone, on a free port of the loopback address.
    ///
    /// It ends with the value, and with this process at the latest, however that ends.
    final class ServerProcess: Sendable {
        /// Where it listens.
        let address: ServerAddress
        /// Its private directory, which goes when it goes.
        let directory: String
        private let program: SpawnedProgram

        /// Starts a server and waits until `isReady` says that it answers.
        ///
        /// - Throws: `unavailable` if the program is not installed, or does not answer in time: then with the end of its log.
        init(
            _ server: ServerProgram, deadline: Deadline, isReady: (ServerAddress, Deadline) -> Bool
        ) throws(StoreError) {
            guard let path = Self.path(of: server.name) else {
                throw StoreError(
                    .unavailable, "there is no \(server.name) here; install it with: apt-get install \(server.package)")
            }
            var failure = StoreError(
                .unavailable, "\(server.name) was not started within the deadline; allow it more")
            // Another program may take a port between its choice and its use.
            for _ in 0..<5 where !deadline.isOver {
                do throws(StoreError) {
                    (address, directory, program) = try Self.attempt(server, path, deadline, isReady)
                    return
                } catch {
                    failure = error
                }
            }
            throw failure
        }

        /// Whether the server has ended by itself.
        var hasEnded: Bool { program.hasEnded }

        /// Kills the server and waits for its end.
        func stop() { program.stop() }

        private static func attempt(
            _ server: ServerProgram, _ path: String, _ deadline: Deadline, _ isReady: (ServerAddress, Deadline) -> Bool
        ) throws(StoreError) -> (ServerAddress, String, SpawnedProgram) {
            guard let ports = LocalPorts.free(server.portCount) else {
                throw StoreError(.unavailable, "no port is free on 127.0.0.1; close what holds them", errno: errno)
            }
            let directory = try privateDirectory()
            let log = directory + "/server.log"
            let (program, status) = SpawnedProgram.start(
                [path] + server.arguments(ports, directory), directory: directory, log: log)
            guard let program else {
                rmdir(directory)
                throw StoreError(
                    .unavailable, "\(path) cannot be started; check that it can be executed", errno: status)
            }
            let address = ServerAddress(host: "127.0.0.1", port: ports[0])
            while !program.hasEnded, !deadline.isOver {
                if isReady(address, deadline.limited(toMilliseconds: 1_000)), !program.hasEnded {
                    return (address, directory, program)
                }
                deadline.pause(milliseconds: 10)
            }
            let how = program.hasEnded ? "ended at once" : "does not answer within the deadline"
            let tail = lastLines(of: log)
            program.stop()
            throw StoreError(
                .unavailable,
                "\(path) on port \(ports[0]) \(how); the end of its log:\n\(tail.isEmpty ? "(empty)" : tail)")
        }

        private static func privateDirectory() throws(StoreError) -> String {
            let base = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
            var template = Array("\(base)/assay-server-XXXXXX".utf8CString)
            guard let path = template.withUnsafeMutableBufferPointer({ mkdtemp($0.baseAddress!) }) else {
                throw StoreError(
                    .unavailable, "cannot make a directory in \(base); set TMPDIR to one that can be written",
                    errno: errno)
            }
            return String(cString: path)
        }

        private static func path(of name: String) -> String? {
            let path = getenv("PATH").map { String(cString: $0) } ?? ""
            // Debian's ordinary users have no sbin in their path.
            let folders = path.split(separator: ":").map(String.init) + ["/usr/sbin", "/usr/local/sbin"]
            return folders.map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
        }

        private static func lastLines(of path: String) -> String {
            guard let file = fopen(path, "rb") else { return "" }
            defer { fclose(file) }
            // More than ten lines of a server's log take.
            fseek(file, -4_096, SEEK_END)
            var bytes = [UInt8](repeating: 0, count: 4_096)
            let count = fread(&bytes, 1, bytes.count, file)
            let text = String(decoding: bytes[..<count], as: UTF8.self)
            return text.split(separator: "\n").suffix(10).joined(separator: "\n")
        }
    }
#endif
