public import CacheConformance
public import CacheCore

/// The configurations of the engine that are held to the suite: one line each.
public enum BuiltinEngines {
    /// Every configuration, over the policies and backends that it names; those that are not given are left out.
    public static func all(policies: [PolicyEntry], backends: [BackendEntry]) -> [any CacheSubject] {
        func policy(_ name: String, _ options: EngineSubject.Options = EngineSubject.Options()) -> [any CacheSubject] {
            policies.filter { $0.descriptor.name == name }.map { EngineSubject($0, options: options) }
        }
        func tiers(_ name: String, isBack: Bool = false) -> [any CacheSubject] {
            guard let lru = policies.first(where: { $0.descriptor.name == "lru" }) else { return [] }
            return backends.filter { $0.descriptor.name == name }.map { TieredSubject(lru, over: $0, isBack: isBack) }
        }
        func over(
            _ name: String, by word: String = "lru", _ make: (PolicyEntry, BackendEntry) -> any CacheSubject
        ) -> [any CacheSubject] {
            guard let policy = policies.first(where: { $0.descriptor.name == word }) else { return [] }
            return backends.filter { $0.descriptor.name == name }.map { make(policy, $0) }
        }
        func stored(_ policy: PolicyEntry, _ backend: BackendEntry) -> any CacheSubject {
            StoredSubject(policy, over: backend)
        }
        func bounded(_ policy: PolicyEntry, _ backend: BackendEntry) -> any CacheSubject {
            BoundedSubject(policy, over: backend)
        }
        return [
            policy("lru"), policy("fifo"), policy("s3fifo"), policy("w-tinylfu"), policy("arc"),
            policy("lru", EngineSubject.Options(isNegative: true)),
            policy("lru", EngineSubject.Options(isRelaxed: true)),
            policy("s3fifo", EngineSubject.Options(isRelaxed: true)),
            tiers("dictionary"), tiers("dictionary", isBack: true), tiers("file"), tiers("log", isBack: true),
            over("dictionary", stored), over("log", stored), over("dictionary", by: "s3fifo", stored),
            over("dictionary", bounded), over("file", bounded),
        ].flatMap(\.self)
    }
}
