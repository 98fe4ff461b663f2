public import CacheConformance
public import CacheCore

/// The systems that Assay embodies, drives and judges: one line each.
public enum BuiltinSystems {
    /// Every system that these policies and backends suffice for: `lru` must be among the policies, and for those that keep
    /// something on disk `file` and `log` among the backends.
    public static func all(policies: [PolicyEntry], backends: [BackendEntry]) -> [SystemSuite] {
        guard let lru = policies.first(where: { $0.descriptor.name == "lru" }) else { return [] }
        let file = backends.first { $0.descriptor.name == "file" }
        let log = backends.first { $0.descriptor.name == "log" }
        return [
            MethodCacheSystem.suite(policies: policies),
            file.map { ExpiringDiskCacheSystem.suite(policy: lru, storage: $0) },
            file.map { CallCacheSystem.suite(policy: lru, storage: $0) },
            log.map { RecordCacheSystem.suite(policy: lru, storage: $0) },
            file.map { HTTPCacheSystem.suite(policy: lru, storage: $0) },
        ].compactMap(\.self)
    }

    /// The checks of all systems: one line a section.
    public static let checks: [Check] = [
        MethodChecks.all,
        DiskCacheChecks.all,
        CallChecks.all,
        RecordChecks.all,
        HTTPChecks.all,
    ].flatMap(\.self)
}
