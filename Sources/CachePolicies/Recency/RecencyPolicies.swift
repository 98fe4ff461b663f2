package import CacheCore
package import PolicySupport

extension BuiltinPolicies {
    /// The family recency, a line each.
    package static let recency: [PolicyEntry] = [
        PolicyEntry(unit: ClockPolicy<UnitSizes>.self, bytes: ClockPolicy<ByteSizes>.self, replay: ClockReplay.self),
        PolicyEntry(unit: FIFOPolicy<UnitSizes>.self, bytes: FIFOPolicy<ByteSizes>.self, wholeTrace: FIFOReplay.self),
        PolicyEntry(unit: LIFOPolicy<UnitSizes>.self, bytes: LIFOPolicy<ByteSizes>.self),
        PolicyEntry(unit: LRUPolicy<UnitSizes>.self, bytes: LRUPolicy<ByteSizes>.self, replay: LRUReplay.self),
        PolicyEntry(unit: LRUProbPolicy<UnitSizes>.self, bytes: LRUProbPolicy<ByteSizes>.self),
        PolicyEntry(unit: MRUPolicy<UnitSizes>.self, bytes: MRUPolicy<ByteSizes>.self),
        PolicyEntry(unit: NOPPolicy.self, bytes: NOPPolicy.self),
        PolicyEntry(unit: SIEVEPolicy<UnitSizes>.self, bytes: SIEVEPolicy<ByteSizes>.self, replay: SIEVEReplay.self),
    ]
}
