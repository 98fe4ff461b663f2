internal import Synchronization

/// The answers whose bodies are still coming, by their addresses: they are served as if they were stored.
final class Recordings: Sendable {
    private let coming = Mutex<[String: [HTTPStore.Found]]>([:])

    func add(_ found: HTTPStore.Found, _ url: String) { coming.withLock { $0[url, default: []].append(found) } }

    var isEmpty: Bool { coming.withLock { $0.isEmpty } }

    func remove(_ number: UInt64, _ url: String) {
        coming.withLock { coming in
            guard let left = coming[url]?.filter({ $0.answer.number != number }) else { return }
            coming[url] = left.isEmpty ? nil : left
        }
    }

    /// Lets nothing of an address be found any more; those who read go on.
    func forget(_ url: String) { coming.withLock { _ = $0.removeValue(forKey: url) } }
    /// Lets nothing of a group be found any more; returns the addresses.
    func forget(group: String) -> [String] {
        coming.withLock { coming in
            let urls = coming.filter { $0.value.contains { $0.answer.groups.contains(group) } }.map(\.key)
            for url in urls { coming[url] = nil }
            return urls
        }
    }

    func forgetAll() { coming.withLock { $0 = [:] } }

    /// The one that is for a request.
    func find(_ url: String, for fields: HTTPFields) -> HTTPStore.Found? {
        coming.withLock { coming in
            guard let found = coming[url], let answer = HTTPVary.select(found.map(\.answer), for: fields) else {
                return nil
            }
            return found.first { $0.answer.number == answer.number }
        }
    }
}

/// What a shared request gave.
enum Fetched: Sendable {
    /// An answer that is stored or is being stored, for everybody whose request it is for.
    case kept(HTTPStore.Found, HTTPSource)
    /// An answer for the one who asked alone.
    case passed(HTTPResponse)
}
