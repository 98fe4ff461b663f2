import Foundation
import Synchronization
import _CacheTestSupport

/// A web server in this process that answers each request on a connection of its own.
final class LocalServer: Sendable {
    private let listener: Int32
    private let answers = Mutex(0)
    let port: Int

    /// Starts one that gives one answer to every request. Where that is nil it never gives one.
    convenience init(_ answer: String?) throws {
        try self.init { _ in answer.map { ($0, true) } }
    }

    /// Starts it on a free port of 127.0.0.1.
    ///
    /// - Parameter answer: What it says to a request, and whether it then ends the connection; nil to say nothing and leave it open.
    init(answer: @escaping @Sendable (String) -> (text: String, ends: Bool)?) throws {
        let listener = socket(AF_INET, LocalSocket.stream, 0)
        self.listener = listener
        var address = LocalSocket.address(port: 0)
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
                let count = recv(connection, &request, request.count, 0)
                guard count > 0, let answer = answer(String(decoding: request[..<count], as: UTF8.self)), let self
                else {
                    continue
                }
                self.answers.withLock { $0 += 1 }
                LocalSocket.send(answer.text, to: connection)
                if answer.ends { Foundation.close(connection) }
            }
        }
    }

    deinit { shutdown(listener, Int32(SHUT_RDWR)) }

    /// How many requests were answered.
    var answered: Int { answers.withLock { $0 } }
}
