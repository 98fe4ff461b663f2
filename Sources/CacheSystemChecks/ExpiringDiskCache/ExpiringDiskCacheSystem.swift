internal import CacheConformance
internal import CacheCore

/// ExpiringDiskCache as one of the systems: its defects and its coverage.
enum ExpiringDiskCacheSystem {
    static func suite(policy: PolicyEntry, storage: BackendEntry) -> SystemSuite {
        SystemSuite(
            name: "expiring-disk-cache", title: "ExpiringDiskCache (AwesomeCache)",
            fixed: CurrentDiskCache(policy: policy, storage: storage), asShipped: LegacyDiskCache(),
            checks: DiskCacheChecks.all,
            defects: defects, coverage: coverage)
    }

    private static let defects = [
        SystemDefect("An expired object is hidden from reads and stays in memory and on disk.", check: "EXP-1"),
        SystemDefect("Removing what has expired misses keys in memory that have other characters.", check: "EXP-2"),
        SystemDefect("What is read from disk is not put into memory.", check: "EXP-3"),
        SystemDefect("Different keys have one file, and read each other's objects.", check: "EXP-4"),
        SystemDefect("A key of more than 249 characters is not written to disk, in silence.", check: "EXP-5"),
        SystemDefect("Everybody who misses loads.", check: "EXP-6"),
        SystemDefect("The disk has no limit.", check: "EXP-7"),
        SystemDefect("A damaged file stays for ever.", check: "EXP-8"),
        SystemDefect("Errors of writing are ignored.", check: "EXP-9"),
    ]

    private static let tests = "tests:ExpiringDiskCacheTests"

    private static let coverage = [
        CoverageRow(
            "Sync API", by: ["ExpiringDiskCache"], checks: ["BAS-1", tests],
            measure: "assay run --system expiring-disk-cache: latency of hit; latency of miss"),
        CoverageRow("Subscript", by: ["ExpiringDiskCache"], checks: [tests]),
        CoverageRow("CacheExpiry", by: ["CacheExpiry"], checks: ["TTL-3", "TTL-7", "TTL-9", tests]),
        CoverageRow(
            "Expired on access", by: ["ExpiringDiskCache"], checks: ["EXP-1", "EXP-10"],
            measure: "assay run --system expiring-disk-cache: disk; objects that sweeps removed"),
        CoverageRow(
            "removeExpiredObjects", by: ["TieredCache"], checks: ["EXP-2", tests],
            measure: "assay run --system expiring-disk-cache: latency of removing what has expired; sweeps"),
        CoverageRow("allObjects", by: ["ExpiringDiskCache"], checks: [tests]),
        CoverageRow(
            "cacheBlock", by: ["ExpiringDiskCache"], checks: ["EXP-6", "EXP-11", "LDR-6", tests],
            measure: "assay run --system expiring-disk-cache: origin requests saved; latency of miss"),
        CoverageRow(
            "Memory + disk tiers", by: ["TieredCache"],
            checks: ["EXP-3", "tests:TieredCacheTests", "tests:TieredLoadingTests"],
            measure: "assay run --system expiring-disk-cache: hits from memory; hits from disk"),
        CoverageRow(
            "Thread safety", by: ["ExpiringDiskCache"], checks: ["EXP-6", tests],
            measure:
                "assay run --system expiring-disk-cache: read-mostly operations a second, 16 threads; write-heavy operations a second, 16 threads"
        ),
        CoverageRow("Key → file name", by: ["FileNames"], checks: ["EXP-4", "EXP-5", "KEY-2", "KEY-3", "KEY-4"]),
        CoverageRow("Custom directory, file protection", by: ["FileStorage"], checks: ["PER-13", tests]),
        CoverageRow(
            "Subclassing to transform", by: ["ObjectCodec"], checks: ["EXP-9", tests],
            measure:
                "assay run --system expiring-disk-cache: JSON: encoding a byte; JSON and a stage that masks it: encoding a byte; JSON: decoding a byte"
        ),
        CoverageRow("isOnMemory", by: ["ExpiringDiskCache"], checks: ["EXP-3", tests]),
    ]
}
