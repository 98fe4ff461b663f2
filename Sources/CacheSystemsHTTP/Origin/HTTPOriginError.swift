#if HTTP
    internal import AsyncHTTPClient
    internal import NIOCore
    internal import NIOHTTP1
    internal import NIOPosix

    #if canImport(Glibc)
        internal import Glibc
    #elseif canImport(Musl)
        internal import Musl
    #elseif canImport(Darwin)
        internal import Darwin
    #endif

    /// Why an origin has not answered, or not to the end.
    public struct HTTPOriginError: Error, Hashable, Sendable, CustomStringConvertible {
        /// The kind of failure, which callers may act on.
        public enum Code: String, Hashable, Sendable, Codable, CaseIterable {
            /// There is no connection to be had: nobody is there, the name is unknown, or the certificate is not trusted.
            case unreachable
            /// Nothing came, or nothing was taken, for too long.
            case timedOut
            /// The connection ended before the answer did.
            case lost
            /// What came is not HTTP.
            case malformed
            /// The request cannot be sent as it is.
            case refused
            /// Every connection that is allowed is in use, or this one was needed by others.
            case busy
            /// The client was shut down.
            case closed
        }

        /// The kind of failure.
        public var code: Code
        /// What is wrong and what mends it.
        public var message: String
        /// The origin, as `http://host:port`.
        public var origin: String
        /// The underlying failure's own words.
        public var cause: String?
        /// After how many seconds it may be tried again; nil where nothing says.
        public var retryAfterSeconds: Int?

        /// An error with a code, a message that names the fix, and the origin that it is about.
        public init(
            _ code: Code, _ message: String, origin: String, cause: String? = nil, retryAfterSeconds: Int? = nil
        ) {
            self.retryAfterSeconds = retryAfterSeconds
            self.code = code
            self.message = message
            self.origin = origin
            self.cause = cause
        }

        /// `origin: message (cause)`.
        public var description: String { "\(origin): \(message)" + (cause.map { " (\($0))" } ?? "") }

        /// Nothing came, or nothing was taken, for that long.
        static func idle(_ length: Duration, _ origin: String) -> HTTPOriginError {
            HTTPOriginError(
                .timedOut, "it has not moved for \(length); look whether it works, or allow it more time",
                origin: origin)
        }

        /// There was no connection for so long.
        static func busy(_ seconds: Int, _ origin: String) -> HTTPOriginError {
            HTTPOriginError(
                .busy, "every connection that is allowed is in use; allow more, or try again in \(seconds) s",
                origin: origin, retryAfterSeconds: seconds)
        }

        /// What a failure of the client means.
        init(_ error: any Error, origin: String) {
            switch error {
            case let error as HTTPOriginError: self = error
            case let error as HTTPClientError: self.init(error, origin)
            case let error as HTTPParserError where error == .invalidEOFState: self.init(lost: error, origin)
            case is Exchanges.Busy: self = .busy(1, origin)
            case is HTTPParserError, is NIOHTTPDecoderError:
                self.init(
                    .malformed, "what it sent is not HTTP/1.1; check that the address is that of a web server",
                    origin: origin, cause: "\(error)")
            case is NIOConnectionError: self.init(unreachable: error, origin)
            case let error as IOError where Self.connecting.contains(error.errnoCode):
                self.init(unreachable: error, origin)
            case is IOError, is ChannelError: self.init(lost: error, origin)
            default:
                self.init(
                    .unreachable, "it cannot be asked; check the address, and that its certificate is trusted",
                    origin: origin, cause: "\(error)")
            }
        }

        /// What the system says of connections that were never made.
        private static let connecting = [ECONNREFUSED, EHOSTUNREACH, ENETUNREACH, ENETDOWN, EADDRNOTAVAIL]

        private init(unreachable error: any Error, _ origin: String) {
            self.init(
                .unreachable, "nobody answers there; start the server or name another address", origin: origin,
                cause: "\(error)")
        }

        private init(lost error: any Error, _ origin: String) {
            self.init(
                .lost, "the connection ended before the answer did; look into the origin's log", origin: origin,
                cause: "\(error)")
        }

        private init(_ error: HTTPClientError, _ origin: String) {
            let cause = error.shortDescription
            switch error {
            case .connectTimeout, .tlsHandshakeTimeout, .deadlineExceeded:
                self.init(
                    .timedOut, "no connection in time; look whether it works, or allow it more time", origin: origin,
                    cause: cause)
            case .getConnectionFromPoolTimeout:
                self.init(
                    .timedOut, "every connection that is allowed was in use; allow more, or ask less at once",
                    origin: origin, cause: cause)
            case .remoteConnectionClosed, .uncleanShutdown, .requestStreamCancelled: self.init(lost: error, origin)
            case .alreadyShutdown:
                self.init(.closed, "the client was shut down; make another", origin: origin, cause: cause)
            default:
                self.init(
                    .refused, "the request cannot be sent as it is; mend its address, fields or content",
                    origin: origin,
                    cause: error.description)
            }
        }
    }
#endif
