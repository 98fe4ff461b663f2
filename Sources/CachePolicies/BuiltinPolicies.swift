public import CacheCore

/// The policies that come with Assay: one line each, sorted by family and name.
public enum BuiltinPolicies {
    /// Every built-in policy.
    public static let all: [PolicyEntry] = [
        // recency
        PolicyEntry(unit: LRUPolicy<UnitSizes>.self, bytes: LRUPolicy<ByteSizes>.self)
    ]
}
