package import CacheCore
package import PolicySupport

extension BuiltinPolicies {
    /// The family frequency, a line each.
    package static let frequency: [PolicyEntry] = [
        PolicyEntry(unit: LFUPolicy<UnitSizes>.self, bytes: LFUPolicy<ByteSizes>.self),
        PolicyEntry(unit: LFUDAPolicy<UnitSizes>.self, bytes: LFUDAPolicy<ByteSizes>.self),
        PolicyEntry(unit: LRFUPolicy<UnitSizes>.self, bytes: LRFUPolicy<ByteSizes>.self),
        PolicyEntry(unit: LRUKPolicy<UnitSizes>.self, bytes: LRUKPolicy<ByteSizes>.self),
        PolicyEntry(unit: MFUPolicy<UnitSizes>.self, bytes: MFUPolicy<ByteSizes>.self),
    ]

    /// The family size-aware, a line each.
    package static let sizeAware: [PolicyEntry] = [
        PolicyEntry(unit: CAMPPolicy<UnitSizes>.self, bytes: CAMPPolicy<ByteSizes>.self),
        PolicyEntry(unit: CheapestFirstPolicy<UnitSizes>.self, bytes: CheapestFirstPolicy<ByteSizes>.self),
        PolicyEntry(unit: GDSFPolicy<UnitSizes>.self, bytes: GDSFPolicy<ByteSizes>.self),
        PolicyEntry(unit: GDWheelPolicy<UnitSizes>.self, bytes: GDWheelPolicy<ByteSizes>.self),
        PolicyEntry(unit: LHDPolicy<UnitSizes>.self, bytes: LHDPolicy<ByteSizes>.self),
        PolicyEntry(unit: SizePolicy<UnitSizes>.self, bytes: SizePolicy<ByteSizes>.self),
    ]

    /// The family bound, a line each.
    package static let bounds: [PolicyEntry] = [
        PolicyEntry(
            unit: BeladyPolicy<UnitSizes>.self, bytes: BeladyPolicy<ByteSizes>.self, wholeTrace: BeladyReplay.self),
        PolicyEntry(unit: BeladySizePolicy<UnitSizes>.self, bytes: BeladySizePolicy<ByteSizes>.self),
        PolicyEntry(unit: InfinitePolicy<UnitSizes>.self, bytes: InfinitePolicy<ByteSizes>.self),
        PolicyEntry(bound: PFOOLowerBound.self),
        PolicyEntry(bound: PFOOUpperBound.self),
    ]
}
