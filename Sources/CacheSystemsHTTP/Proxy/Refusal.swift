#if HTTP
    internal import NIOHTTP1

    /// A request that the proxy answers itself, and does not pass on.
    struct Refusal: Error, Sendable {
        let status: HTTPResponseStatus
        /// What is wrong and how to mend it: a sentence for a person.
        let reason: String

        init(_ status: HTTPResponseStatus, _ reason: String) {
            self.status = status
            self.reason = reason
        }

        /// What a request means that could not be read; nil for an error of another kind.
        init?(unreadable error: any Error) {
            guard let error = error as? HTTPParserError else { return nil }
            switch error {
            case .headerOverflow:
                self.init(.requestHeaderFieldsTooLarge, "The header is too large; send fewer or shorter fields.")
            case .invalidMethod: self.init(.notImplemented, "The method is not known to this proxy.")
            // The parser pauses at the preface of HTTP/2.
            case .invalidVersion, .paused:
                self.init(.httpVersionNotSupported, "This proxy speaks HTTP/1.0 and HTTP/1.1.")
            default: self.init(.badRequest, "The request is not HTTP/1.1: \(error).")
            }
        }
    }
#endif
