#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Finds ports that are free on the loopback address.
enum LocalPorts {
    /// So many different ports that nobody listened on just now; another program may be quicker to take them. Nil if the
    /// system gives none.
    static func free(_ count: Int) -> [Int]? {
        // All are held until the last is found, so that they differ.
        var held: [Int32] = []
        defer { for descriptor in held { close(descriptor) } }
        var ports: [Int] = []
        for _ in 0..<count {
            let descriptor = openSocket()
            guard descriptor >= 0 else { return nil }
            held.append(descriptor)
            guard let port = bindToAnyPort(descriptor) else { return nil }
            ports.append(port)
        }
        return ports
    }

    private static func openSocket() -> Int32 {
        #if canImport(Glibc)
            socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
            socket(AF_INET, SOCK_STREAM, 0)
        #endif
    }

    private static func bindToAnyPort(_ descriptor: Int32) -> Int? {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
            }
        }
        return isBound ? Int(UInt16(bigEndian: address.sin_port)) : nil
    }
}
