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
        // The bytes of a sockaddr_in: with NIO beside it in the module, the compiler finds its members in two modules.
        var address = sockaddr()
        var length = socklen_t(MemoryLayout<sockaddr>.size)
        withUnsafeMutableBytes(of: &address) { bytes in
            #if canImport(Darwin)
                bytes[0] = UInt8(length)
                bytes[1] = UInt8(AF_INET)
            #else
                bytes.storeBytes(of: UInt16(AF_INET), as: UInt16.self)
            #endif
            bytes.storeBytes(of: UInt32(0x7F00_0001).bigEndian, toByteOffset: 4, as: UInt32.self)
        }
        let isBound = bind(descriptor, &address, length) == 0 && getsockname(descriptor, &address, &length) == 0
        guard isBound else { return nil }
        return withUnsafeBytes(of: address) { Int(UInt16(bigEndian: $0.load(fromByteOffset: 2, as: UInt16.self))) }
    }
}
