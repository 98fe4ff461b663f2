package import CacheCore
package import PolicySupport

extension BuiltinPolicies {
    /// The family adaptive, a line each.
    package static let adaptive: [PolicyEntry] = [
        PolicyEntry(unit: ARCPolicy<UnitSizes>.self, bytes: ARCPolicy<ByteSizes>.self),
        PolicyEntry(unit: CacheusPolicy.self),
        PolicyEntry(unit: CARPolicy<UnitSizes>.self, bytes: CARPolicy<ByteSizes>.self),
        PolicyEntry(unit: CARTPolicy<UnitSizes>.self, bytes: CARTPolicy<ByteSizes>.self),
        PolicyEntry(unit: LARCPolicy<UnitSizes>.self, bytes: LARCPolicy<ByteSizes>.self),
        PolicyEntry(unit: LeCaRPolicy<UnitSizes>.self, bytes: LeCaRPolicy<ByteSizes>.self),
    ]
}
