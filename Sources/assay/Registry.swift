import CacheCore
import CachePolicies
import CacheStorage
import CacheTraces

#if SQLite
    import CacheStorageSQLite
#endif

/// Everything that can be named on the command line: the one place that knows concrete plug-ins.
enum Registry {
    static let policies: [PolicyEntry] = BuiltinPolicies.all

    static let admissions: [AdmissionEntry] = BuiltinAdmissions.all

    static let backends: [BackendEntry] = {
        var all = BuiltinStorage.all
        #if SQLite
            all.append(BackendEntry(SQLiteStorage.self))
        #endif
        return all
    }()

    static let formats: [TraceFormatEntry] = BuiltinTraceFormats.all
}
