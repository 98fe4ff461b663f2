package import CacheCore
package import PolicySupport

extension BuiltinPolicies {
    private static let slru = PolicyEntry(unit: SLRUPolicy<UnitSizes>.self, bytes: SLRUPolicy<ByteSizes>.self)

    /// The family segmented, a line each.
    package static let segmented: [PolicyEntry] = [
        PolicyEntry(unit: TwoQPolicy<UnitSizes>.self, bytes: TwoQPolicy<ByteSizes>.self),
        PolicyEntry(unit: Clock2QPlusPolicy<UnitSizes>.self, bytes: Clock2QPlusPolicy<ByteSizes>.self),
        PolicyEntry(unit: FIFOMergePolicy<UnitSizes>.self, bytes: FIFOMergePolicy<ByteSizes>.self),
        PolicyEntry(unit: MQPolicy<UnitSizes>.self, bytes: MQPolicy<ByteSizes>.self),
        PolicyEntry(unit: QDLPPolicy<UnitSizes>.self, bytes: QDLPPolicy<ByteSizes>.self),
        PolicyEntry(unit: S3FIFOPolicy<UnitSizes>.self, bytes: S3FIFOPolicy<ByteSizes>.self, replay: S3FIFOReplay.self),
        PolicyEntry(unit: S3FIFODPolicy<UnitSizes>.self, bytes: S3FIFODPolicy<ByteSizes>.self),
        PolicyEntry(unit: S3LRUPolicy<UnitSizes>.self, bytes: S3LRUPolicy<ByteSizes>.self),
        PolicyEntry(
            preset: "s4lru", of: slru, defaults: ["segments": "4"],
            summary: "SLRU with four equal segments.", citation: "Huang et al., SOSP 2013"),
        slru,
        PolicyEntry(unit: TuQueuePolicy<UnitSizes>.self, bytes: TuQueuePolicy<ByteSizes>.self),
    ]
}
