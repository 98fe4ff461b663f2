internal import CacheConformance
internal import CacheCore

/// CallCache as one of the systems: its defects and its coverage.
enum CallCacheSystem {
    static func suite(policy: PolicyEntry, storage: BackendEntry) -> SystemSuite {
        SystemSuite(
            name: "call-cache", title: "CallCache (PFCloud+Cache)",
            fixed: CurrentCallCache(policy: policy, storage: storage),
            asShipped: LegacyCallCache(), checks: CallChecks.all, defects: defects, coverage: coverage)
    }

    private static let defects = [
        SystemDefect("Equal dictionaries that were filled in different order have different keys.", check: "CAL-2"),
        SystemDefect("The key of a dictionary is another in each process.", check: "CAL-3"),
        SystemDefect("A call without parameters raises an exception.", check: "CAL-5"),
        SystemDefect("The age counts from the last access.", check: "CAL-6"),
        SystemDefect(
            "Reads do not look at the age: a timer does, so that an answer lives up to twice its time.", check: "CAL-7"),
        SystemDefect("Asking whether a result is cached extends its life.", check: "CAL-8"),
        SystemDefect("After a restart nothing expires until the limit is set again.", check: "CAL-9"),
        SystemDefect("Each setting of the limit starts one more chain of timers.", check: "CAL-10"),
        SystemDefect("The limit of age hits every other user of the shared store.", check: "CAL-11"),
        SystemDefect("Clearing all results wipes the shared store.", check: "CAL-13"),
        SystemDefect("A result that is cleared while it is asked for is stored all the same.", check: "CAL-15"),
        SystemDefect("Nil is not cached, and the older value stays.", check: "CAL-16"),
        SystemDefect("What is cached is told before the call returns, what is not later.", check: "CAL-18"),
        SystemDefect("An unknown policy never calls back.", check: "CAL-19"),
        SystemDefect("NetworkElseCache falls back on any error, those of the function itself too.", check: "CAL-20"),
        SystemDefect("NetworkElseCache hides the error.", check: "CAL-21"),
        SystemDefect("Everybody who misses asks the network.", check: "CAL-22"),
        SystemDefect("A result that cannot be archived ends the process.", check: "CAL-23"),
        SystemDefect("The store exceeds its limit until a queued trim runs.", check: "CAL-24"),
        SystemDefect("A corrupt file stays in the account of bytes.", check: "CAL-25"),
    ]

    private static let cache = "tests:CallCacheTests"
    private static let function = "tests:CachedFunctionTests"

    private static let coverage = [
        CoverageRow(
            "Six fetch policies", by: ["FetchPolicy", "CachedFunction"],
            checks: ["CAL-1", "CAL-19", "tests:FetchPolicyTests"],
            measure:
                "assay run --system call-cache: hit ratio; origin requests saved; cacheElseNetwork: hits; networkElseCache: answered"
        ),
        CoverageRow(
            "CacheThenNetwork double callback", by: ["CallAnswer", "CachedFunction"],
            checks: ["CAL-1", "tests:FetchPolicyTests", function],
            measure: "assay run --system call-cache: latency of refreshed; cacheThenNetwork: hits"),
        CoverageRow("Callback context", by: ["CachedFunction"], checks: ["CAL-18"]),
        CoverageRow(
            "Fallback on error", by: ["CallRules", "CallAnswer"], checks: ["CAL-20", "CAL-21", function],
            measure: "assay run --system call-cache: answered in outages; latency of fallback"),
        CoverageRow(
            "Negative results", by: ["CallRecord", "CallCacheOptions"], checks: ["CAL-16", "CAL-17", cache],
            measure: "assay run --system call-cache: failed calls that were not repeated"),
        CoverageRow(
            "Canonical key", by: ["CanonicalKey"],
            checks: ["CAL-2", "CAL-3", "CAL-4", "CAL-5", "tests:CanonicalKeyTests"],
            measure:
                "assay run --system call-cache: key of small parameters; key of medium parameters; key of large parameters; keys that collided"
        ),
        CoverageRow(
            "One record per function+params", by: ["CachedFunction"], checks: ["CAL-4", cache],
            measure: "assay run --system call-cache: calls that differ"),
        CoverageRow(
            "maxCacheAge", by: ["AgeLimit", "CallLimit"],
            checks: ["CAL-6", "CAL-7", "CAL-9", "CAL-10", "CAL-11", "CAL-12", cache],
            measure: "assay run --system call-cache: answers that were outdated"),
        CoverageRow(
            "Clear one / all", by: ["CallRecords", "NamespaceStorage"],
            checks: ["CAL-13", "CAL-14", "CAL-15", cache, function],
            measure: "assay run --system call-cache: clearing 1000 answers"),
        CoverageRow("hasCachedResult", by: ["CachedFunction"], checks: ["CAL-8", cache]),
        CoverageRow(
            "Persistence", by: ["CallRecord"], checks: ["CAL-3", "CAL-9", "PER-1", cache],
            measure: "assay run --system call-cache: latency of opening; opening again; entries then"),
        CoverageRow(
            "mtime as recency", by: [], checks: [],
            measure: "none: the moment of writing is in the record, and recency in memory"),
        CoverageRow(
            "byteLimit, trims", by: ["BoundedStorage"],
            checks: ["CAL-24", "CAL-25", "tests:BoundedStorageTests", cache],
            measure: "assay run --system call-cache: disk"),
        CoverageRow(
            "Memory cost limit", by: ["Cache"], checks: ["CAP-6", "CAP-7", "tests:CapacityTests"]),
        CoverageRow(
            "Hooks", by: ["CallEvent", "CallMonitor"], checks: [cache],
            measure: "assay run --system call-cache: what a monitor adds"),
        CoverageRow("target/selector form", by: [], checks: [], measure: "none: not portable; a closure does it"),
    ]
}
