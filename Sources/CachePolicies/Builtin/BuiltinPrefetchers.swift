public import CacheCore
internal import Prefetchers

/// The prefetchers that come with Assay: one line each, sorted by name. `none` is to have none.
public enum BuiltinPrefetchers {
    /// Every built-in prefetcher.
    public static let all: [PrefetcherEntry] = [
        PrefetcherEntry(MithrilPrefetcher.self),
        PrefetcherEntry(OBLPrefetcher.self),
        PrefetcherEntry(PGPrefetcher.self),
    ]
}
