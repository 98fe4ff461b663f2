/// One answer to a call, with where it is from.
public struct CallAnswer<Output: Sendable>: Sendable {
    /// Where an answer is from.
    public enum Source: Sendable, Hashable {
        /// The cache, in which it has been for so long.
        case cached(age: Duration)
        /// The origin, which was asked for this call or for one that shares its request.
        case fresh
    }

    /// The answer.
    public let value: Output
    /// Where it is from.
    public let source: Source
    /// The origin's error, where the cache answers instead of it; nil otherwise.
    public let originError: (any Error)?

    /// Whether it is from the cache.
    public var isCached: Bool { source != .fresh }

    init(_ value: Output, _ source: Source, originError: (any Error)? = nil) {
        self.value = value
        self.source = source
        self.originError = originError
    }
}

/// Why a call was not answered, where it is not its origin's fault.
public enum CallError: Error, Sendable, Hashable {
    /// ``FetchPolicy/cacheOnly``, and the cache has no answer that is young enough.
    case notCached(function: String)
}
