package import CacheCore
package import PolicySupport

extension BuiltinPolicies {
    /// The family inter-reference, a line each.
    package static let interReference: [PolicyEntry] = [
        PolicyEntry(unit: ClockProPolicy<UnitSizes>.self, bytes: ClockProPolicy<ByteSizes>.self),
        PolicyEntry(unit: ClockProPlusPolicy<UnitSizes>.self, bytes: ClockProPlusPolicy<ByteSizes>.self),
        PolicyEntry(unit: ClockProSimplePolicy<UnitSizes>.self, bytes: ClockProSimplePolicy<ByteSizes>.self),
        PolicyEntry(unit: DClockPolicy<UnitSizes>.self, bytes: DClockPolicy<ByteSizes>.self),
        PolicyEntry(unit: FRDPolicy<UnitSizes>.self, bytes: FRDPolicy<ByteSizes>.self),
        PolicyEntry(unit: LIRSPolicy<UnitSizes>.self, bytes: LIRSPolicy<ByteSizes>.self),
        PolicyEntry(unit: LIRS2Policy.self),
    ]
}
