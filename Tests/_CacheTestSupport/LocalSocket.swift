public import Foundation

/// A connection with a server of this machine, for tests that say each byte themselves.
public final class LocalSocket {
    private let descriptor: Int32
    private var received = Data()

    /// Connects to a port of 127.0.0.1.
    ///
    /// - Throws: `POSIXError` if nobody listens there.
    public init(port: Int) throws {
        descriptor = socket(AF_INET, Self.stream, 0)
        // A test that waits for what never comes fails, and does not hang.
        var limit = timeval(tv_sec: 30, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var address = Self.address(port: port)
        let isConnected = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                connect(descriptor, pointer, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isConnected else { throw POSIXError(.ECONNREFUSED) }
    }

    deinit { close(descriptor) }

    /// Sends a text whole.
    public func send(_ text: String) { Self.send(text, to: descriptor) }

    /// Everything that was received, up to a text in it if one is given, or else up to the end of the connection.
    public func receive(until text: String? = nil) -> String {
        let mark = text.map { Data($0.utf8) }
        var searched = 0
        var piece = [UInt8](repeating: 0, count: 65_536)
        while true {
            if let mark, received.range(of: mark, in: searched..<received.count) != nil { break }
            searched = max(0, received.count - (mark?.count ?? 0))
            let count = recv(descriptor, &piece, piece.count, 0)
            guard count > 0 else { break }
            received += piece[..<count]
        }
        return String(decoding: received, as: UTF8.self)
    }

    /// What a server says to a text, up to the end of the connection.
    public static func ask(_ port: Int, _ text: String) throws -> String {
        let connection = try LocalSocket(port: port)
        connection.send(text)
        return connection.receive()
    }

    /// Sends a text over a connection; one that has ended is no matter.
    public static func send(_ text: String, to descriptor: Int32) {
        _ = Array(text.utf8).withUnsafeBytes { Foundation.send(descriptor, $0.baseAddress, $0.count, noSignal) }
    }

    /// A port of 127.0.0.1; 0 for a free one.
    public static func address(port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        return address
    }

    #if os(Linux)
        /// The kind of a socket of bytes.
        public static let stream = Int32(SOCK_STREAM.rawValue)
        private static let noSignal = Int32(MSG_NOSIGNAL)
    #else
        /// The kind of a socket of bytes.
        public static let stream = SOCK_STREAM
        private static let noSignal: Int32 = 0
    #endif
}

/// Keeps a port of 127.0.0.1 from everybody: nobody listens on it, so that whoever connects is refused.
public final class HeldPort: Sendable {
    private let descriptor: Int32

    /// - Throws: `POSIXError` if somebody else has the port.
    public init(_ port: Int) throws {
        descriptor = socket(AF_INET, LocalSocket.stream, 0)
        var yes: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        var address = LocalSocket.address(port: port)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(descriptor, pointer, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isBound else { throw POSIXError(.EADDRINUSE) }
    }

    deinit { close(descriptor) }
}
