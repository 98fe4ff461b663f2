package import CacheCore
package import PolicySupport

extension BuiltinPolicies {
    /// The family random, a line each.
    package static let random: [PolicyEntry] = [
        PolicyEntry(unit: HyperbolicPolicy<UnitSizes>.self, bytes: HyperbolicPolicy<ByteSizes>.self),
        PolicyEntry(unit: RandomPolicy<UnitSizes>.self, bytes: RandomPolicy<ByteSizes>.self),
        PolicyEntry(unit: RandomTwoPolicy<UnitSizes>.self, bytes: RandomTwoPolicy<ByteSizes>.self),
        PolicyEntry(unit: SampledFIFOPolicy<UnitSizes>.self, bytes: SampledFIFOPolicy<ByteSizes>.self),
        PolicyEntry(unit: SampledLFUPolicy<UnitSizes>.self, bytes: SampledLFUPolicy<ByteSizes>.self),
        PolicyEntry(unit: SampledLRUPolicy<UnitSizes>.self, bytes: SampledLRUPolicy<ByteSizes>.self),
        PolicyEntry(unit: SampledMFUPolicy<UnitSizes>.self, bytes: SampledMFUPolicy<ByteSizes>.self),
        PolicyEntry(unit: SampledMRUPolicy<UnitSizes>.self, bytes: SampledMRUPolicy<ByteSizes>.self),
    ]
}
