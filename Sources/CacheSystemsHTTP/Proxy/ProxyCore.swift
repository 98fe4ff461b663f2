#if HTTP
    internal import CacheEngine
    internal import CacheSystems
    internal import Synchronization

    /// What all connections of a proxy share: how requests are answered, whatever they come by.
    final class ProxyCore: Sendable {
        let options: HTTPProxyOptions
        let connections: Connections
        private let room: ContentRoom
        private let cache: HTTPCache
        private let counts = Mutex(HTTPProxyStatistics())

        init(_ options: HTTPProxyOptions, _ cache: HTTPCache) {
            self.options = options
            connections = Connections(most: options.connectionsMax, ofOneClient: options.clientConnectionsMax)
            room = ContentRoom(options.contentBytesTotalMax)
            self.cache = cache
        }

        var statistics: HTTPProxyStatistics { counts.withLock { $0 } }

        func count(_ change: (inout HTTPProxyStatistics) -> Void) { counts.withLock { change(&$0) } }

        /// The answer to a request.
        ///
        /// - Throws: where the client's own content has failed, or the client has left.
        func response(
            to request: ProxyRequest, _ body: ClientBody, _ writer: ClientWriter
        ) async throws -> HTTPResponse {
            guard let url = request.url, !request.isForProxy else { return ownAnswer(request) }
            if request.method == "PURGE", options.allowsPurge { return try await purge(url) }
            do {
                // Nobody waits for the origin as long as the client has something to say.
                let content = try await RequestSpool.read(
                    body, bytesMax: options.contentBytesMax, room, of: request.client)
                var order = HTTPRequest(request.method, url, fields: request.fields, body: content)
                if !request.isOld { order.onInterim = { writer.writeInterim($0, $1) } }
                var asked = HTTPRequestOptions()
                asked.client = request.client
                var response = try await cache.respond(to: order, asked)
                // What is stored was sent by the origin in HTTP/1.1, the one version that it is asked in.
                response.fields.add("Via", "1.1 \(options.name)")
                if let status = response.cacheStatus {
                    response.fields.add("Cache-Status", status.member(named: options.name))
                }
                return response
            } catch {
                if Task.isCancelled || body.failure != nil { throw error }
                return failure(error)
            }
        }

        /// An answer of the proxy itself: a sentence for a person.
        func own(_ status: Int, _ text: String) -> HTTPResponse {
            var fields: HTTPFields = ["Content-Type": "text/plain; charset=utf-8", "Cache-Control": "no-store"]
            fields["Date"] = HTTPDate.text(of: SystemClock().wallNanoseconds() / 1_000_000_000)
            return HTTPResponse(status, fields: fields, body: HTTPBody(text.isEmpty ? "" : text + "\n"), source: .cache)
        }

        private func busy(_ seconds: Int, _ text: String) -> HTTPResponse {
            var response = own(503, text)
            response.fields["Retry-After"] = String(seconds)
            return response
        }

        private func ownAnswer(_ request: ProxyRequest) -> HTTPResponse {
            guard request.method == "OPTIONS" else {
                count { $0.refused += 1 }
                return own(405, "This proxy does not send a request back.")
            }
            return own(204, "")
        }

        private func failure(_ error: any Error) -> HTTPResponse {
            if let error = error as? RequestSpool.Failure {
                count { $0.refused += 1 }
                switch error {
                case .tooLong: return own(413, "The content is longer than \(options.contentBytesMax) bytes.")
                case .noRoom: return busy(10, "There is no room for the content of more requests.")
                }
            }
            count { $0.failed += 1 }
            if case .busy(let seconds)? = error as? HTTPCacheError {
                return busy(seconds, "Too many requests wait for the origin.")
            }
            let error = error as? HTTPOriginError
            switch error?.code {
            case .busy: return busy(error?.retryAfterSeconds ?? 1, "Every connection with the origin is in use.")
            case .timedOut: return own(504, "The origin has not answered in time.")
            case .refused:
                return own(502, "The request cannot be sent to the origin as it is: \(error?.cause ?? "").")
            case .malformed: return own(502, "What the origin has answered is not HTTP/1.1.")
            case .lost: return own(502, "The origin has ended the connection without an answer.")
            case .unreachable, .closed, nil: return own(502, "The origin cannot be reached.")
            }
        }

        private func purge(_ url: HTTPURL) async throws -> HTTPResponse {
            let wasThere = try await onBlockingThread { [cache] () throws in try cache.purge(url) }
            guard wasThere else { return own(404, "Nothing is stored of this address.") }
            count { $0.purged += 1 }
            return own(200, "What was stored of this address is removed.")
        }
    }
#endif
