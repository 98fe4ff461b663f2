#if HTTP
    internal import CacheSystems

    /// How a client knows where the content of an answer ends (RFC 9112 §6.3).
    enum Framing: Sendable, Equatable {
        /// There is none.
        case none
        /// After so many bytes.
        case length(Int)
        /// After an empty chunk.
        case chunked
        /// With the connection.
        case connection

        /// What goes for an answer to a request.
        init(_ response: HTTPResponse, toHead isHead: Bool, isOld: Bool) {
            if isHead || response.status < 200 || response.status == 204 || response.status == 304 {
                self = .none
            } else if response.status == 205 {
                // It says that it has none, and some readers wait for it all the same.
                self = .length(0)
            } else if let length = response.body.length {
                self = .length(length)
            } else {
                self = isOld ? .connection : .chunked
            }
        }

        /// The fields of an answer with those that say how it is framed.
        func fields(of response: HTTPResponse, keepsAlive: Bool, isOld: Bool) -> HTTPFields {
            var fields = response.fields
            switch self {
            case .none:
                if response.status < 200 || response.status == 204 { fields.remove("Content-Length") }
            case .length(let length):
                fields["Content-Length"] = String(length)
            case .chunked:
                fields.remove("Content-Length")
                fields.add("Transfer-Encoding", "chunked")
            case .connection:
                fields.remove("Content-Length")
            }
            if !keepsAlive {
                fields.add("Connection", "close")
            } else if isOld {
                fields.add("Connection", "keep-alive")
            }
            return fields
        }
    }
#endif
