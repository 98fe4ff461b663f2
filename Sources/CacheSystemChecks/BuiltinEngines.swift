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
        return [
            policy("lru"), policy("fifo"), policy("s3fifo"), policy("w-tinylfu"), policy("arc"),
            policy("lru", EngineSubject.Options(shards: 4)), policy("s3fifo", EngineSubject.Options(shards: 4)),
            policy("lru", EngineSubject.Options(isNegative: true)),
            tiers("dictionary"), tiers("dictionary", isBack: true), tiers("file"), tiers("log", isBack: true),
        ].flatMap(\.self)
    }
}
