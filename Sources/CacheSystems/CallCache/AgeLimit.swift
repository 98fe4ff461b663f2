/// How old a cached answer may be that serves a call. The age counts from when the origin answered, and reads do not change it.
public enum AgeLimit: Sendable, Hashable {
    /// The cache's own: ``CallCache/maxAge``.
    case ofCache
    /// Any age, also one above the cache's limit, as long as nobody has removed the answer.
    case unlimited
    /// Less than so much; nothing is less than 0.
    case less(Duration)

    /// The limit where the cache's own is `cached`; nil for none.
    func duration(ofCache cached: Duration?) -> Duration? {
        switch self {
        case .ofCache: cached
        case .unlimited: nil
        case .less(let duration): duration
        }
    }
}
