package import CacheCore
package import PolicySupport

extension BuiltinPolicies {
    /// The family sketch, a line each.
    package static let sketch: [PolicyEntry] = [
        PolicyEntry(unit: FeedbackTinyLFUPolicy.self),
        PolicyEntry(unit: FeedbackWTinyLFUPolicy.self),
        PolicyEntry(unit: FullySegmentedWTinyLFUPolicy.self),
        PolicyEntry(unit: HillClimberWTinyLFUPolicy.self),
        PolicyEntry(unit: RandomWTinyLFUPolicy.self),
        PolicyEntry(unit: S4WTinyLFUPolicy.self),
        PolicyEntry(unit: TinyCachePolicy.self),
        PolicyEntry(unit: WTinyLFUPolicy<UnitSizes>.self, bytes: WTinyLFUPolicy<ByteSizes>.self),
    ]
}
