internal import CacheEngine
internal import Synchronization

// Asking for the whole where a client wants less, so that later requests have it.
extension HTTPCache {
    /// Addresses whose answers were not stored when they were asked for as a whole: to ask so again would be in vain.
    final class Unfillable: Sendable {
        private static let most = 10_000
        private let urls = Mutex<Set<String>>([])

        func contains(_ url: String) -> Bool { urls.withLock { $0.contains(url) } }
        func remove(_ url: String) { urls.withLock { _ = $0.remove(url) } }

        func insert(_ url: String) {
            urls.withLock { urls in
                if urls.count >= Self.most { urls = [] }
                urls.insert(url)
            }
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
        again.fills = false
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
