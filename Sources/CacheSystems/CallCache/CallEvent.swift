internal import Synchronization

/// What became of a call, or of what is cached.
public enum CallEvent: String, Sendable, Hashable, Codable, CaseIterable {
    /// The cache was read, and had an answer that was young enough.
    case hit
    /// The cache was read, and had none, or could not be read.
    case miss
    /// The origin was asked.
    case asked
    /// The origin failed.
    case originFailed
    /// The origin was not asked, since it has failed a moment ago: see ``CallCacheOptions/errorAge``.
    case spared
    /// A call waits for the request of another.
    case joined
    /// An answer was stored.
    case stored
    /// An answer could not be stored; those who asked have it all the same.
    case storeFailed
    /// An answer came after it was overtaken by a removal or a newer write, and was not stored.
    case overtaken
    /// The cache answered instead of an origin that failed.
    case fellBack
    /// One answer was removed.
    case removed
    /// All answers were removed.
    case cleared
}

/// How often each event has happened: exact counts since the cache was opened.
public struct CallStatistics: Sendable, Hashable {
    private var counts: [CallEvent: Int] = [:]

    /// Nothing has happened.
    public init() {}

    /// How often it has happened.
    public subscript(event: CallEvent) -> Int { counts[event, default: 0] }

    mutating func add(_ event: CallEvent) { counts[event, default: 0] += 1 }
}

/// Counts events and tells them.
final class CallMonitor: Sendable {
    private let counts = Mutex(CallStatistics())
    private let told: (@Sendable (CallEvent, String) -> Void)?

    init(_ told: (@Sendable (CallEvent, String) -> Void)?) { self.told = told }

    var statistics: CallStatistics { counts.withLock { $0 } }

    /// Takes note of an event of a function. No lock is held while it is told, so that the listener may use the cache.
    func note(_ event: CallEvent, _ function: String) {
        counts.withLock { $0.add(event) }
        told?(event, function)
    }
}
