package import CacheCore
package import PolicySupport

extension BuiltinPolicies {
    private static let sampledLRU = PolicyEntry(
        unit: SampledPolicy<SampledLRU, UnitSizes>.self, bytes: SampledPolicy<SampledLRU, ByteSizes>.self)

    /// The family random, a line each.
    package static let random: [PolicyEntry] = [
        PolicyEntry(
            preset: "random-two", of: sampledLRU, defaults: ["samples": "2"],
            summary: "Evicts, of two random residents, the one that was asked for longer ago.",
            citation: "Mitzenmacher, IEEE TPDS 12(10), 2001"),
        PolicyEntry(unit: HyperbolicPolicy<UnitSizes>.self, bytes: HyperbolicPolicy<ByteSizes>.self),
        PolicyEntry(unit: RandomPolicy<UnitSizes>.self, bytes: RandomPolicy<ByteSizes>.self),
        PolicyEntry(
            unit: SampledPolicy<SampledFIFO, UnitSizes>.self, bytes: SampledPolicy<SampledFIFO, ByteSizes>.self),
        PolicyEntry(unit: SampledPolicy<SampledLFU, UnitSizes>.self, bytes: SampledPolicy<SampledLFU, ByteSizes>.self),
        sampledLRU,
        PolicyEntry(unit: SampledPolicy<SampledMFU, UnitSizes>.self, bytes: SampledPolicy<SampledMFU, ByteSizes>.self),
        PolicyEntry(unit: SampledPolicy<SampledMRU, UnitSizes>.self, bytes: SampledPolicy<SampledMRU, ByteSizes>.self),
    ]
}
