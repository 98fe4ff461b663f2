import Foundation
import Synchronization

/// A web server in this process that gives one answer to every request, on a connection for each.
final class LocalServer: Sendable {
    private let listener: Int32
    private let answers = Mutex(0)
    let port: Int

    /// Starts it on a free port of 127.0.0.1. Where its answer is nil it never gives one.
    init(_ answer: String?) throws {
        let listener = socket(AF_INET, Self.stream, 0)
        self.listener = listener
        var address = Self.address(port: 0)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(listener, pointer, size) == 0 && listen(listener, 64) == 0
                    && getsockname(listener, pointer, &size) == 0
            }
        }
        guard isBound else { throw POSIXError(.EADDRNOTAVAIL) }
        port = Int(UInt16(bigEndian: address.sin_port))
        Thread.detachNewThread { [weak self] in
            while case let connection = accept(listener, nil, nil), connection >= 0 {
                // The request is short enough to come at once.
                var request = [UInt8](repeating: 0, count: 65_536)
                guard recv(connection, &request, request.count, 0) > 0, let answer, let self else { continue }
                self.answers.withLock { $0 += 1 }
                Self.send(answer, connection)
                Foundation.close(connection)
            }
        }
    }

    deinit { shutdown(listener, Int32(SHUT_RDWR)) }

    /// How many requests were answered.
    var answered: Int { answers.withLock { $0 } }

    /// What a server says to a text, up to the end of the connection.
    static func ask(_ port: Int, _ text: String) throws -> String {
        let connection = socket(AF_INET, stream, 0)
        defer { Foundation.close(connection) }
        var address = address(port: port)
        let isConnected = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                connect(connection, pointer, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isConnected else { throw POSIXError(.ECONNREFUSED) }
        send(text, connection)
        var all: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 65_536)
        while case let count = recv(connection, &piece, piece.count, 0), count > 0 { all += piece[..<count] }
        return String(decoding: all, as: UTF8.self)
    }

    private static func send(_ text: String, _ connection: Int32) {
        _ = Array(text.utf8).withUnsafeBytes { Foundation.send(connection, $0.baseAddress, $0.count, 0) }
    }

    private static func address(port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        return address
    }

    #if os(Linux)
        private static let stream = Int32(SOCK_STREAM.rawValue)
    #else
        private static let stream = SOCK_STREAM
    #endif
}
