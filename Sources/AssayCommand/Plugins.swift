public import ArgumentParser
public import CacheCore
import CachePolicies
import CacheReports
import CacheStorage
import CacheStorageFoundation
public import CacheTraces
import Synchronization

#if Conformance
    public import CacheConformance
#endif
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
#if Systems
    import CacheSystemChecks
#endif

/// Everything that can be named on the command line. Append your own plug-ins to ``builtin`` and give the value to ``Assay/main(_:)``.
///
/// Names are lower-case letters and digits, with `-`, `.`, `_` and `+` between them, and each kind has a name once.
public struct Plugins: Sendable {
    /// Eviction policies.
    public var policies: [PolicyEntry]
    /// Second implementations of policies by the name of the policy, written in the plainest way: `assay conform policy:NAME` checks
    /// that both evict the same objects (PLC-16). A policy without one is not asked that.
    public var twins: [String: PolicyEntry]
    /// Admission policies; `always`, which is to have none, is not among them.
    public var admissions: [AdmissionEntry]
    /// Prefetchers; `none`, which is to have none, is not among them.
    public var prefetchers: [PrefetcherEntry] = BuiltinPrefetchers.all
    /// Storage backends. `tiered` and `sealed` are not among them: they are made over all of these.
    public var backends: [BackendEntry]
    /// Formats of trace files.
    public var formats: [TraceFormatEntry]
    #if Conformance
        /// Whole caches for `assay conform NAME` and `assay bench --subject NAME`.
        public var subjects: [SubjectEntry] = builtinSubjects
        /// Checks that every store and cache is asked after the built-in ones.
        public var checks: [Check] = []
    #endif
    /// The files that `assay run` writes; `results.json` must be among them.
    public var reports: [ReportEntry]
    /// Subcommands beside the built-in ones; the help shows them after those.
    public var commands: [any ParsableCommand.Type] = []
    /// The shared libraries that some of these are from, by their absolute paths.
    var libraries: [String] = []

    /// Everything that comes with Assay.
    public static let builtin = Plugins(
        policies: BuiltinPolicies.all + BuiltinPolicies.learning, twins: [:], admissions: BuiltinAdmissions.all,
        backends: builtinBackends,
        formats: BuiltinTraceFormats.all, reports: BuiltinReports.all)

    /// The policies that follow a fixed rule, which take about as long as each other; those that learn take many times as long.
    var ruledPolicies: [PolicyEntry] { policies.filter { !$0.descriptor.learns } }

    #if Conformance
        private static var builtinSubjects: [SubjectEntry] {
            #if Systems
                BuiltinSystems.all(policies: BuiltinPolicies.all, backends: BuiltinStorage.embedded).flatMap {
                    [SubjectEntry($0.fixed, of: $0), SubjectEntry($0.asShipped, of: $0)]
                }
            #else
                []
            #endif
        }
    #endif

    private static var builtinBackends: [BackendEntry] {
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
        all.append(BackendEntry(NSCacheStorage.self))
        #if !WITHOUT_URLCACHE
            all.append(BackendEntry(URLCacheStorage.self))
        #endif
        return all
    }

    /// The backends and those that are made over them.
    var everyBackend: [BackendEntry] {
        // What may crash stays out of the tiers: it needs a process of its own.
        var all = backends.filter { !$0.descriptor.needsOwnProcess }
        #if Encryption
            all.append(SealedStorage.entry(over: all))
        #endif
        all.append(TieredStorage.entry(over: all))
        return all + backends.filter(\.descriptor.needsOwnProcess)
    }

    #if Conformance
        /// The checks of stores, caches, policies and subjects, each once.
        var everyCheck: ConformanceSuite {
            var seen: Set<String> = []
            let all =
                ConformanceSuite.cache.checks + ConformanceSuite.policy.checks + checks + subjects.flatMap(\.checks)
            return ConformanceSuite(name: "all", checks: all.filter { seen.insert($0.id).inserted })
        }
    #endif
}

extension Plugins {
    private static let inUse = Mutex<Plugins?>(nil)

    /// The plug-ins of this process.
    package static var current: Plugins {
        guard let plugins = inUse.withLock(\.self) else { preconditionFailure("Assay.main sets the plug-ins first") }
        return plugins
    }

    /// Makes these the plug-ins of this process, once and for all: commands are made by the parser, which cannot hand them over.
    ///
    /// - Throws: `AssayError` with code `usage` for names that cannot be told apart or cannot be written; see ``requireNames()``.
    func use() throws(AssayError) {
        try requireNames()
        Self.inUse.withLock { plugins in
            precondition(plugins == nil, "Assay.main is called once in a process")
            plugins = self
        }
        try requireCommandNames(beside: RootCommand.builtin)
    }

    /// Adds shared libraries to the plug-ins of this process: those of a run that it goes on with.
    ///
    /// - Throws: `AssayError` for a library that is no plug-in, and for names that are taken.
    static func add(_ paths: [String]) throws(AssayError) {
        let all = try current.adding(paths)
        try all.requireNames()
        inUse.withLock { $0 = all }
    }
}
