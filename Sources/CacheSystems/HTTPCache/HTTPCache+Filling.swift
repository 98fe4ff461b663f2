internal import CacheEngine
internal import Synchronization

// Asking for the whole where a client wants less, so that later requests have it.
extension HTTPCache {
    /// Addresses whose answers were not stored when they were asked for as a whole: to ask so again would be in vain.
    final class Unfillable: Sendable {
        private static let most = 10_000
        /// Their seeded hashes: clients choose how long addresses are. One that is taken for another is asked for as its client asks.
        private let hashes = Mutex<Set<Int>>([])

        func contains(_ url: String) -> Bool { hashes.withLock { $0.contains(url.hashValue) } }
        func remove(_ url: String) { hashes.withLock { _ = $0.remove(url.hashValue) } }

        func insert(_ url: String) {
            hashes.withLock { hashes in
                if hashes.count >= Self.most { hashes = [] }
                hashes.insert(url.hashValue)
            }
        }
    }

    /// The right to ask for a whole on behalf of later requests. It ends with the last who holds it: whoever writes the body down.
    final class Fill: Sendable {
        private let fills: Fills
        private let client: String?

        fileprivate init(_ fills: Fills, _ client: String?) {
            self.fills = fills
            self.client = client
        }

        deinit { fills.shares.withLock { $0.give(of: client) } }
    }

    /// How much is asked for so at once, in all and for each client.
    final class Fills: Sendable {
        fileprivate let shares: Mutex<ClientShares>

        init(most: Int) { shares = Mutex(ClientShares(most)) }

        /// Nil where there is too much already: the origin is asked as the client asks.
        func begin(for client: String?) -> Fill? {
            shares.withLock { $0.take(for: client) } ? Fill(self, client) : nil
        }
    }

    /// Whether the origin is to be asked for all of a resource of which nothing is stored for the request.
    ///
    /// - Parameter isHeld: whether something is stored for other requests. A header alone may say something of that.
    func mayFill(_ question: Question, isHeld: Bool) -> Bool {
        let (request, fields) = (question.request, question.request.fields)
        guard HTTPValidation.wantsLess(request), !(request.isHead && isHeld), question.options.stores,
            question.options.use != .revalidate, options.fillBytesMax > 0
        else { return false }
        let isForOne = options.profile == .shared && fields.contains("Authorization")
        return !isForOne && !CacheDirectives(fields).has("no-store") && !unfillable.contains(question.url)
    }

    /// Whether an answer that was asked for on behalf of later requests may be stored for them, as far as its length says.
    func isFilling(_ question: Question, _ length: Int?) -> Bool {
        !question.fills || length.map { $0 <= options.fillBytesMax } ?? true
    }

    /// What the client gets of an answer that is not stored, though the origin was asked for all of it.
    func unfilled(_ response: HTTPResponse, _ question: Question) async throws -> Fetched {
        unfillable.insert(question.url)
        let request = question.request
        var again = question
        again.fill = nil
        if request.isHead {
            // Only a header was wanted.
            return .passed(HTTPResponse(response.status, fields: response.fields))
        }
        guard response.status == 200 else { return .passed(response) }
        let now = clock.wallNanoseconds() / 1_000_000_000
        let date = response.fields["Date"].flatMap { HTTPDate.seconds(of: $0, now: now) } ?? now
        if HTTPValidation.clientHas(request, response.fields, dateSeconds: date, now: now) {
            return .passed(HTTPResponse(304, fields: HTTPValidation.notModified(response.fields)))
        }
        // The part alone is less than what is left of the whole.
        return request.fields.contains("Range") ? try await fetch(again) : .passed(response)
    }
}
