import CacheCore

extension CacheOperation {
    /// The feature that a cache must have to do the operation; nil for what every cache does, or what checks ask about
    /// only where it is claimed.
    var needs: Claims.Feature? {
        switch self {
        case .getMany, .removeMany: .bulk
        case .putMany: .bulkPut
        case .putIfAbsent: .putIfAbsent
        // Who can replace can exchange: ConcurrentMap's replace and put, Redis's SET XX and GETSET. Python's pop has no such sister.
        case .replace, .exchange: .replace
        case .compareAndSet: .compareAndSet
        case .take: .take
        case .update: .update
        case .increment: .counter
        case .rename: .rename
        case .touch: .touch
        case .remainingTime: .remainingTime
        case .load: .loader
        case .loadMany: .bulkLoad
        case .removeTagged: .tags
        case .put(_, _, _, let terms) where !terms.tags.isEmpty: .tags
        case .cost: .cost
        case .within: .groups
        case .firstKeys: .walks
        case .mark, .setIfMarked, .removeIfMarked: .versions
        case .pin, .unpin: .pin
        case .resize: .resize
        default: nil
        }
    }

    /// Whether the claims cover the operation, and within a group what is done there.
    func isCovered(by claims: Claims) -> Bool {
        if case .within(_, let inner) = self, !inner.isCovered(by: claims) { return false }
        return needs.map(claims.claims) ?? true
    }
}

extension HistoryOperation.Kind {
    /// Whether the claims cover what a client asks.
    func isCovered(by claims: Claims) -> Bool {
        StressClient.operation(self, [], .bytes([]), .bytes([])).isCovered(by: claims)
    }
}

extension CheckContext {
    /// The operations that the claims cover; a check can so ask in every way that there is.
    func claimed(_ operations: [CacheOperation]) -> [CacheOperation] {
        operations.filter { $0.isCovered(by: claims) }
    }

    /// The operations that the claims cover, if a feature is claimed too that they do not show.
    func claimed(if feature: Claims.Feature, _ operations: CacheOperation...) -> [CacheOperation] {
        claims.claims(feature) ? claimed(operations) : []
    }
}
