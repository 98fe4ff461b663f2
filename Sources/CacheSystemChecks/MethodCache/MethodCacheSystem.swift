internal import CacheConformance
internal import CacheCore

/// MethodCache as one of the systems: its defects and its coverage.
enum MethodCacheSystem {
    static func suite(policies: [PolicyEntry]) -> SystemSuite {
        SystemSuite(
            name: "method-cache", title: "MethodCache (ClearCache)", fixed: CurrentMethodCache(policies: policies),
            asShipped: LegacyMethodCache(), checks: MethodChecks.all, defects: defects, coverage: coverage)
    }

    private static let defects = [
        SystemDefect("Key parts are joined with an unescaped separator.", check: "MTH-2"),
        SystemDefect("Keys are descriptions: nil is \"(null)\", a number is its digits.", check: "MTH-3"),
        SystemDefect("The receiver is not in the key.", check: "MTH-4"),
        SystemDefect("An object's description contains its address, so that equal objects never hit.", check: "MTH-5"),
        SystemDefect("Results of types that are not in the list come back as zeros.", check: "MTH-7"),
        SystemDefect("A method that returns nothing is skipped the second time.", check: "MTH-9"),
        SystemDefect("A FIFO ignores a new result for a key that is there.", check: "MTH-11"),
        SystemDefect("An LRU gives an overwritten key several places, and loses it with the first.", check: "MTH-12"),
        SystemDefect("An LFU evicts the newest of equals, so that the oldest stays for ever.", check: "MTH-13"),
        SystemDefect("Expired results take room until somebody asks for them.", check: "MTH-14"),
        SystemDefect("Threads that miss together all call the method.", check: "MTH-15"),
        SystemDefect("Only the LRU cache listens to its trigger.", check: "MTH-16"),
        SystemDefect("Each setting of the trigger adds one more observer.", check: "MTH-17"),
        SystemDefect("Caching is switched off by the compiler alone.", check: "MTH-18"),
        SystemDefect("The monitor writes lines that mean nothing.", check: "MTH-19"),
    ]

    private static let coverage = [
        CoverageRow(
            "Method memoisation", by: ["MemoizedFunction", "MemoizedAsyncFunction", "Arguments"],
            checks: ["MTH-1", "MTH-10", "tests:MemoizedFunctionTests", "tests:MemoizedAsyncFunctionTests"],
            measure: "assay run --system method-cache: latency of hit; compared with a plain call"),
        CoverageRow("parameterIndexes", by: ["MethodCache"], checks: ["MTH-6", "tests:MemoizedFunctionTests"]),
        CoverageRow(
            "Key text", by: ["MethodKey", "CanonicalKey"],
            checks: ["MTH-2", "MTH-3", "MTH-4", "MTH-5", "tests:CanonicalKeyTests"]),
        CoverageRow("Data types table", by: ["MethodResult"], checks: ["MTH-7", "tests:TypeTableTests"]),
        CoverageRow("nil cached", by: ["MethodResult"], checks: ["MTH-8", "tests:MemoizedFunctionTests"]),
        CoverageRow("Void cached", by: ["MethodRules"], checks: ["MTH-9", "tests:MemoizedFunctionTests"]),
        CoverageRow(
            "FIFO / LFU / LRU", by: ["MethodCache"],
            checks: ["MTH-11", "MTH-12", "POL-2", "CAP-1", "CAP-2", "tests:MethodCacheTests"],
            measure: "assay run and assay curve, for the policies themselves"),
        CoverageRow(
            "LFU ties", by: ["MethodCache"], checks: ["MTH-13"],
            measure: "assay run --policy lfu:ties=mru, for each rule of ties"),
        CoverageRow(
            "Expiration policy", by: ["MethodCacheOptions", "MethodRules"],
            checks: ["MTH-14", "TTL-2", "TTL-3", "TTL-4", "TTL-18", "tests:MemoizedFunctionTests"],
            measure: "assay run --system method-cache: results expired"),
        CoverageRow(
            "Expiration trigger", by: ["InvalidationTrigger"], checks: ["MTH-16", "MTH-17", "tests:MethodCacheTests"]),
        CoverageRow(
            "Insertion policy", by: ["MethodRules", "AdmissionSelection"], checks: ["tests:MemoizedFunctionTests"],
            measure: "assay run --admission, for the registered policies"),
        CoverageRow(
            "Cache on/off", by: ["MethodSwitch", "MethodCache"], checks: ["MTH-18", "tests:MethodCacheTests"],
            measure: "assay run --system method-cache: compared with a cache switched off"),
        CoverageRow(
            "Monitor", by: ["MethodEvent", "MethodStatistics"], checks: ["MTH-19", "STA-1", "tests:MethodCacheTests"],
            measure: "assay run --system method-cache: compared with a cache with a monitor"),
        CoverageRow(
            "Per-method vs shared cache", by: ["MethodCache"], checks: ["MTH-4", "tests:MethodCacheTests"]),
        CoverageRow(
            "Static and instance methods", by: ["MethodCache"], checks: ["MTH-4", "tests:MemoizedFunctionTests"]),
        CoverageRow(
            "Planned by the original: disk", by: ["StoredMethodCache", "StoredResult"],
            checks: ["tests:StoredMethodCacheTests"]),
        CoverageRow(
            "Planned by the original: SQLite", by: ["StoredMethodCache", "SQLiteStorage"],
            checks: ["tests:StoredMethodCacheTests"],
            measure: "assay bench, for the backends themselves"),
        CoverageRow(
            "Thread safety", by: ["MethodCalls"], checks: ["MTH-15", "LDR-3", "tests:MemoizedAsyncFunctionTests"],
            measure: "assay run --system method-cache: calls a second, 1 thread; calls a second, 16 threads"),
    ]
}
