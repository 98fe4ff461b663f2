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
    /// An answer came after it was overtaken by a removal or a newer write, or when nobody waited for it any more, and was not stored.
    case overtaken
    /// The cache answered instead of an origin that failed.
    case fellBack
    /// One answer was removed.
    case removed
    /// All answers were removed.
    case cleared
}

/// How often each event has happened: exact counts since the cache was opened.
public typealias CallStatistics = EventCounts<CallEvent>

/// Counts events and tells them, each with the name of its function.
typealias CallMonitor = EventMonitor<CallEvent, String>
