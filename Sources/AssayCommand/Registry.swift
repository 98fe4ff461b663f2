import CacheConformance
import CacheCore
import CachePolicies
import CacheStorage
import CacheStorageFoundation
import CacheSystemChecks
import CacheSystemRuns
import CacheTraces

#if Encryption
    import CacheEncryption
#endif
#if LMDB
    import CacheStorageLMDB
#endif

#if RocksDB
    import CacheStorageRocksDB
#endif

#if SQLite
    import CacheStorageSQLite
#endif
#if Servers
    import CacheStorageServers
#endif

/// Everything that can be named on the command line: the one place that knows concrete plug-ins.
enum Registry {
    static let policies: [PolicyEntry] = BuiltinPolicies.all

    static let admissions: [AdmissionEntry] = BuiltinAdmissions.all

    static let backends: [BackendEntry] = {
        var all = BuiltinStorage.embedded
        #if LMDB
            all.append(BackendEntry(LMDBStorage.self))
        #endif
        #if RocksDB
            all.append(BackendEntry(RocksDBStorage.self))
        #endif
        #if SQLite
            all.append(BackendEntry(SQLiteStorage.self))
        #endif
        #if Servers
            all.append(BackendEntry(MemcachedStorage.self))
            all.append(BackendEntry(RedisStorage.self))
        #endif
        #if Encryption
            all.append(SealedStorage.entry(over: all))
        #endif
        // What may crash stays out of the tiers: it needs a process of its own.
        all.append(TieredStorage.entry(over: all))
        return all + [BackendEntry(NSCacheStorage.self), BackendEntry(URLCacheStorage.self)]
    }()

    static let systems: [SystemSuite] = BuiltinSystems.all(policies: policies, backends: backends)

    /// The systems that can be run under workloads of their own.
    static let systemRuns: [SystemRunEntry] = BuiltinSystemRuns.all

    /// The configurations of the engine that its tests hold to the suite; others can be named too.
    static let engines: [any CacheSubject] = BuiltinEngines.all(policies: policies, backends: backends)

    /// What a cache of web resources is called in its store: one name, so that packages are imported into the cache that is served.
    static let webCacheName = "http"

    static let formats: [TraceFormatEntry] = BuiltinTraceFormats.all

    /// The checks of stores, caches, policies and systems.
    static let everyCheck = ConformanceSuite(
        name: "all",
        checks: ConformanceSuite.cache.checks + ConformanceSuite.policy.checks + BuiltinSystems.checks)

    /// The system that a name stands for, and which version of it.
    static func system(named name: String?) -> (suite: ConformanceSuite, subject: any CacheSubject)? {
        for system in systems {
            for subject in [system.fixed, system.asShipped] where subject.name == name {
                return (system.suite, subject)
            }
        }
        return nil
    }
}
