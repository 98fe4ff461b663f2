public import CacheCore

/// The policies that come with Assay: one line each, sorted by family and name.
public enum BuiltinPolicies {
    /// Every built-in policy.
    public static let all: [PolicyEntry] = [
        // recency
        PolicyEntry(unit: ClockPolicy<UnitSizes>.self, bytes: ClockPolicy<ByteSizes>.self),
        PolicyEntry(unit: FIFOPolicy<UnitSizes>.self, bytes: FIFOPolicy<ByteSizes>.self),
        PolicyEntry(unit: LRUPolicy<UnitSizes>.self, bytes: LRUPolicy<ByteSizes>.self),
        PolicyEntry(unit: MRUPolicy<UnitSizes>.self, bytes: MRUPolicy<ByteSizes>.self),
        PolicyEntry(unit: SIEVEPolicy<UnitSizes>.self, bytes: SIEVEPolicy<ByteSizes>.self),
        // frequency
        PolicyEntry(unit: LFUPolicy<UnitSizes>.self, bytes: LFUPolicy<ByteSizes>.self),
        // segmented
        PolicyEntry(unit: TwoQPolicy<UnitSizes>.self, bytes: TwoQPolicy<ByteSizes>.self),
        PolicyEntry(unit: S3FIFOPolicy<UnitSizes>.self, bytes: S3FIFOPolicy<ByteSizes>.self),
        PolicyEntry(unit: SLRUPolicy<UnitSizes>.self, bytes: SLRUPolicy<ByteSizes>.self),
        // adaptive
        PolicyEntry(unit: ARCPolicy<UnitSizes>.self, bytes: ARCPolicy<ByteSizes>.self),
        // sketch
        PolicyEntry(unit: WTinyLFUPolicy<UnitSizes>.self, bytes: WTinyLFUPolicy<ByteSizes>.self),
        // random
        PolicyEntry(unit: RandomPolicy<UnitSizes>.self, bytes: RandomPolicy<ByteSizes>.self),
        // bound
        PolicyEntry(unit: BeladyPolicy<UnitSizes>.self, bytes: BeladyPolicy<ByteSizes>.self),
    ]
}
