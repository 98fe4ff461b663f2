import CacheCore
import CachePolicies
import CacheStorage
import CacheTraces

#if LMDB
    import CacheStorageLMDB
#endif

#if RocksDB
    import CacheStorageRocksDB
#endif

#if SQLite
    import CacheStorageSQLite
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
        return all + [TieredStorage.entry(over: all)]
    }()

    static let formats: [TraceFormatEntry] = BuiltinTraceFormats.all
}
