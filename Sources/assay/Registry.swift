import CacheCore
import CachePolicies
import CacheStorage
import CacheStorageFoundation
import CacheTraces

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
        var all = BuiltinStorage.all
        all.append(BackendEntry(NSCacheStorage.self))
        all.append(BackendEntry(URLCacheStorage.self))
        #if SQLite
            all.append(BackendEntry(SQLiteStorage.self))
        #endif
        #if Servers
            all.append(BackendEntry(MemcachedStorage.self))
            all.append(BackendEntry(RedisStorage.self))
        #endif
        return all
    }()

    static let formats: [TraceFormatEntry] = BuiltinTraceFormats.all
}
