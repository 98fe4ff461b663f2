package import CacheCore
package import PolicySupport

extension BuiltinPolicies {
    /// The family random, a line each.
    package static let random: [PolicyEntry] = [
        PolicyEntry(unit: HyperbolicPolicy<UnitSizes>.self, bytes: HyperbolicPolicy<ByteSizes>.self),
        PolicyEntry(unit: RandomPolicy<UnitSizes>.self, bytes: RandomPolicy<ByteSizes>.self),
        PolicyEntry(unit: RandomTwoPolicy<UnitSizes>.self, bytes: RandomTwoPolicy<ByteSizes>.self),
        PolicyEntry(
            unit: SampledPolicy<SampledFIFO, UnitSizes>.self, bytes: SampledPolicy<SampledFIFO, ByteSizes>.self),
        PolicyEntry(unit: SampledPolicy<SampledLFU, UnitSizes>.self, bytes: SampledPolicy<SampledLFU, ByteSizes>.self),
        PolicyEntry(unit: SampledPolicy<SampledLRU, UnitSizes>.self, bytes: SampledPolicy<SampledLRU, ByteSizes>.self),
        PolicyEntry(unit: SampledPolicy<SampledMFU, UnitSizes>.self, bytes: SampledPolicy<SampledMFU, ByteSizes>.self),
        PolicyEntry(unit: SampledPolicy<SampledMRU, UnitSizes>.self, bytes: SampledPolicy<SampledMRU, ByteSizes>.self),
    ]
}
