public import CacheConformance
public import CacheCore

/// The systems that Assay embodies, drives and judges: one line each.
public enum BuiltinSystems {
    /// Every system, over the policies that its subjects may be opened with.
    public static func all(policies: [PolicyEntry]) -> [SystemSuite] {
        [
            MethodCacheSystem.suite(policies: policies)
        ]
    }

    /// The checks of all systems: one line a section.
    public static let checks: [Check] = [
        MethodChecks.all
    ].flatMap(\.self)
}
