internal import Synchronization

/// The answers whose bodies are still coming, by their addresses: they are served as if they were stored.
final class Recordings: Sendable {
    private struct Coming {
        let answer: StoredAnswer
        let recording: BodyRecording
    }

    private let coming = Mutex<[String: [Coming]]>([:])

    func add(_ answer: StoredAnswer, _ recording: BodyRecording, _ url: String) {
        coming.withLock { $0[url, default: []].append(Coming(answer: answer, recording: recording)) }
    }

    var isEmpty: Bool { coming.withLock { $0.isEmpty } }

    func remove(_ number: UInt64, _ url: String) {
        coming.withLock { coming in
            guard let left = coming[url]?.filter({ $0.answer.number != number }) else { return }
            coming[url] = left.isEmpty ? nil : left
        }
    }

    /// Lets nothing of an address be found any more; those who read go on.
    func forget(_ url: String) { coming.withLock { _ = $0.removeValue(forKey: url) } }
    /// Lets nothing of a group be found any more.
    func forget(group: String) {
        coming.withLock { coming in
            coming = coming.filter { !$0.value.contains { $0.answer.groups.contains(group) } }
        }
    }

    func forgetAll() { coming.withLock { $0 = [:] } }

    /// The one that is for a request, with a place among its readers; nil if there is none, or all have left it.
    func find(_ url: String, for fields: HTTPFields) -> HTTPStore.Found? {
        let found = coming.withLock { coming -> Coming? in
            guard let all = coming[url], let answer = HTTPVary.select(all.map(\.answer), for: fields) else {
                return nil
            }
            return all.first { $0.answer.number == answer.number }
        }
        guard let found, let reader = found.recording.join() else { return nil }
        return HTTPStore.Found(answer: found.answer, source: .recording(reader))
    }
}

/// What a shared request gave.
enum Fetched: Sendable {
    /// An answer that is stored or is being stored, for everybody whose request it is for; and what it says to who asked.
    case kept(HTTPStore.Found, HTTPSource, own: HTTPFields? = nil)
    /// An answer for the one who asked alone.
    case passed(HTTPResponse)
}
