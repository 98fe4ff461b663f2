/// What one call asks of its cache, besides its policy.
public struct CallRules: Sendable {
    /// How old a cached answer may be.
    public var maxAge: AgeLimit
    /// Whether ``FetchPolicy/networkElseCache`` answers from the cache after this error of the origin. Never asked about a cancellation,
    /// after which nothing is answered.
    public var fallsBack: @Sendable (any Error) -> Bool

    /// The cache's own limit of age, and every error is one to fall back on.
    public init(
        maxAge: AgeLimit = .ofCache, fallsBack: @escaping @Sendable (any Error) -> Bool = { _ in true }
    ) {
        self.maxAge = maxAge
        self.fallsBack = fallsBack
    }
}
