/// Whether a call is answered from the cache, by its origin, or by both: the six policies of Parse's queries.
///
/// C is an answer from the cache, N one from the origin (the network, mostly), E the origin's error, M ``CallError/notCached(function:)``.
///
/// | policy | cached, origin answers | cached, origin fails | not cached, origin answers | not cached, origin fails |
/// | --- | --- | --- | --- | --- |
/// | ``ignoreCache`` | N | E | N | E |
/// | ``cacheOnly`` | C | C | M | M |
/// | ``networkOnly`` | N | E | N | E |
/// | ``cacheElseNetwork`` | C | C | N | E |
/// | ``networkElseCache`` | N | C | N | E |
/// | ``cacheThenNetwork`` | C, N | C, E | N | E |
///
/// "Cached" means no older than the limit: see ``AgeLimit``. Every answer of an origin is stored, but under ``ignoreCache``; no error is.
public enum FetchPolicy: String, Sendable, Hashable, Codable, CaseIterable {
    /// The origin; the cache is neither read nor written.
    case ignoreCache
    /// The cache; the origin is never asked.
    case cacheOnly
    /// The origin; the cache is written and not read.
    case networkOnly
    /// The cache, or else the origin.
    case cacheElseNetwork
    /// The origin, or else the cache, if the error is one to fall back on.
    case networkElseCache
    /// The cache, if it has an answer, and then the origin.
    case cacheThenNetwork

    /// Whether calls that need the origin at one time share one request to it.
    ///
    /// So they do under the policies that put up with an answer that is cached. Whoever asks with ``ignoreCache`` or ``networkOnly``
    /// gets an answer that was asked for after that.
    public var sharesOrigin: Bool {
        switch self {
        case .cacheElseNetwork, .networkElseCache, .cacheThenNetwork: true
        case .ignoreCache, .cacheOnly, .networkOnly: false
        }
    }

    /// Whether the cache is read before anything else is done.
    var readsFirst: Bool {
        switch self {
        case .cacheOnly, .cacheElseNetwork, .cacheThenNetwork: true
        case .ignoreCache, .networkOnly, .networkElseCache: false
        }
    }
}
