#if Servers
    import CacheCore

    /// A server that this machine may have, and how it is started for one program alone.
    struct ServerProgram: Sendable {
        /// The program's name.
        let name: String
        /// The Debian package that brings it.
        let package: String
        /// The ports that it takes.
        let portCount: Int
        /// Its arguments, for ports on the loopback address and a private directory.
        let arguments: @Sendable (_ ports: [Int], _ directory: String) -> [String]

        /// A Redis server that keeps everything in memory, writes nothing to disk and refuses writes beyond `memoryMiB`; zero
        /// is no limit.
        static func redis(memoryMiB: Int = 0, _ options: [String] = []) -> ServerProgram {
            ServerProgram(name: "redis-server", package: "redis-server", portCount: 1) { ports, directory in
                redisWords(port: ports[0], directory)
                    + ["--maxmemory", "\(memoryMiB)mb", "--maxmemory-policy", "noeviction"] + options
            }
        }

        /// A node of a Redis Cluster, with no slots yet.
        static func redisClusterNode() -> ServerProgram {
            ServerProgram(name: "redis-server", package: "redis-server", portCount: 2) { ports, directory in
                redisWords(port: ports[0], directory)
                    + ["--cluster-enabled", "yes", "--cluster-port", "\(ports[1])", "--cluster-node-timeout", "60000"]
            }
        }

        /// A memcached server that keeps up to `memoryMiB` and evicts beyond; zero is its own default, 64.
        static func memcached(memoryMiB: Int, _ options: [String] = []) -> ServerProgram {
            ServerProgram(name: "memcached", package: "memcached", portCount: 1) { ports, _ in
                // It does not run as root unless it is told to; for others the word means nothing.
                ["-u", "root", "-l", "127.0.0.1", "-p", "\(ports[0])", "-U", "0"]
                    + (memoryMiB == 0 ? [] : ["-m", "\(memoryMiB)"]) + options
            }
        }

        private static func redisWords(port: Int, _ directory: String) -> [String] {
            [
                "--bind", "127.0.0.1", "--port", "\(port)", "--dir", directory, "--save", "", "--appendonly", "no",
                "--daemonize", "no",
            ]
        }
    }
#endif
