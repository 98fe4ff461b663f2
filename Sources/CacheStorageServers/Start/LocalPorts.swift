#if Servers
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
            var address = [UInt8](repeating: 0, count: 16)
            var length = socklen_t(address.count)
            let isBound = address.withUnsafeMutableBytes { bytes in
                #if canImport(Darwin)
                    bytes[0] = UInt8(length)
                    bytes[1] = UInt8(AF_INET)
                #else
                    bytes.storeBytes(of: UInt16(AF_INET), as: UInt16.self)
                #endif
                bytes.storeBytes(of: UInt32(0x7F00_0001).bigEndian, toByteOffset: 4, as: UInt32.self)
                guard let pointer = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self) else { return false }
                return bind(descriptor, pointer, length) == 0 && getsockname(descriptor, pointer, &length) == 0
            }
            return isBound ? Int(address[2]) << 8 | Int(address[3]) : nil
        }
    }
#endif
