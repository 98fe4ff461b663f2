internal import CacheConformance
internal import CacheCore

/// RecordCache as one of the systems: its defects and its coverage.
enum RecordCacheSystem {
    static func suite(policy: PolicyEntry, storage: BackendEntry) -> SystemSuite {
        SystemSuite(
            name: "record-cache", title: "RecordCache (HMCache)",
            fixed: CurrentRecordCache(policy: policy, storage: storage),
            asShipped: LegacyRecordCache(), checks: RecordChecks.all, defects: defects, coverage: coverage)
    }

    private static let defects = [
        SystemDefect("Removing a key in a group removes it from the default group.", check: "REC-1"),
        SystemDefect("Storing nil in a group removes from the default group.", check: "REC-2"),
        SystemDefect(
            "Clearing a group leaves the groups inside it in memory, and goes on serving them.", check: "REC-3"),
        SystemDefect("Removing the empty key deletes the whole group.", check: "REC-4"),
        SystemDefect(
            "A key with a slash is in memory and not on disk; one with dots escapes from its group.", check: "REC-5"),
        SystemDefect("A key in a group and a group inside that of the same name cannot both be.", check: "REC-6"),
        SystemDefect("Keys with a dot are left out when a group is listed.", check: "REC-7"),
        SystemDefect("Whether a value is to be in memory is dropped on the way.", check: "REC-8"),
        SystemDefect("What is read from disk is not put into memory until its group is written.", check: "REC-9"),
        SystemDefect("Doubles are read as floats.", check: "REC-11"),
        SystemDefect("A damaged file raises an exception.", check: "REC-12"),
        SystemDefect(
            "After everything was removed the classes are not recorded again, and the next start deletes all objects.",
            check: "REC-13"),
        SystemDefect(
            "The block after removing everything runs on the cache's queue, where using it hangs.", check: "REC-14"),
        SystemDefect(
            "Emptying the store for a new version of the program is switched off by the compiler.", check: "REC-15"),
        SystemDefect("Properties that are new in a version that is recorded already are not saved.", check: "REC-17"),
        SystemDefect("Without the file of classes every object is deleted.", check: "REC-18"),
        SystemDefect(
            "Nothing leads from version to version: one migration is called for the version that is stored.",
            check: "REC-19"),
        SystemDefect("What was migrated is not stored, and is migrated by every read.", check: "REC-20"),
        SystemDefect(
            "A refused migration gives an object with nothing set, and forgets the properties of its version.",
            check: "REC-21"),
        SystemDefect("What a newer version stored is migrated as if it were older.", check: "REC-22"),
        SystemDefect("An object of a class that is gone raises, by itself and in a list.", check: "REC-23"),
        SystemDefect(
            "The hash is the exclusive or of the properties' hashes, in which equal ones cancel out.", check: "REC-24"),
        SystemDefect("A copy shares the objects in its arrays.", check: "REC-25"),
        SystemDefect("The order of the keys in a description is that of a hash table.", check: "REC-26"),
        SystemDefect("Describing a number that JSON does not have raises.", check: "REC-27"),
    ]

    private static let cache = "tests:RecordCacheTests"
    private static let migration = "tests:RecordMigrationTests"
    private static let values = "tests:RecordValueTests"

    private static let coverage = [
        CoverageRow(
            "Groups as directories, nested by \".\"", by: ["RecordGroup", "RecordKey"],
            checks: ["REC-1", "REC-3", "REC-4", "REC-5", "REC-6", "GRP-2", "GRP-3", "KEY-2", cache],
            measure: "assay run --system record-cache: latency of write; latency of hit"),
        CoverageRow(
            "Enumerate group", by: ["RecordGroup"], checks: ["REC-7", "GRP-4", cache],
            measure: "assay run --system record-cache: latency of listing a group"),
        CoverageRow(
            "Size threshold for memory (1 MiB)", by: ["RecordCacheOptions"], checks: ["REC-10", cache],
            measure:
                "assay run --system record-cache: in memory at a threshold of 1024; read from memory at a threshold of 1024"
        ),
        CoverageRow("keepInMemory", by: ["RecordEntry"], checks: ["REC-8", "REC-9", cache]),
        CoverageRow("nil removes", by: ["RecordGroup"], checks: ["REC-2", cache]),
        CoverageRow("Typed helpers, maxItems", by: ["RecordGroup"], checks: ["REC-11", cache]),
        CoverageRow(
            "Automatic schema per version", by: ["RecordSchema", "RecordSchemas"],
            checks: ["REC-13", "REC-16", "REC-17", "REC-18", "tests:RecordSchemaTests", "tests:RecordBytesTests"],
            measure:
                "assay run --system record-cache: encoding, against plain Codable to JSON; decoding, against plain Codable from JSON; bytes stored, of those of JSON"
        ),
        CoverageRow(
            "Migration: rename/retype/delete", by: ["RecordData", "RecordTimeline"],
            checks: ["REC-19", "tests:RecordDataTests", migration],
            measure: "assay run --system record-cache: records migrated; latency of migrated"),
        CoverageRow("Nested object of deleted class", by: ["RecordData"], checks: ["REC-19", "REC-23", migration]),
        CoverageRow(
            "Version timeline", by: ["RecordTimeline"], checks: ["REC-19", "REC-22", migration],
            measure: "assay run --system record-cache: latency of migrated"),
        CoverageRow("NO deletes schema", by: ["RecordRefusal"], checks: ["REC-21", migration]),
        CoverageRow(
            "Write-back", by: ["RecordStore"], checks: ["REC-20", "PER-1", "LIN-1", migration],
            measure: "assay run --system record-cache: records stored in their new form; on disk after version 4"),
        CoverageRow(
            "isEqual/hash/copy", by: ["RecordValue"], checks: ["REC-24", "REC-25", values, cache],
            measure: "assay run --system record-cache: hash of a record; hashes that collided"),
        CoverageRow(
            "JSON description, `*`/`**`, `(Category)`", by: ["RecordText"], checks: ["REC-26", "REC-27", values]),
        CoverageRow(
            "Category properties", by: ["ExtensionField", "ExtensionFields"],
            checks: ["REC-26", "REC-28", values, "tests:RecordSchemaTests"]),
        CoverageRow("Version-change wipe, reserve group", by: ["RecordCacheOptions"], checks: ["REC-15", cache]),
        CoverageRow("Completion blocks", by: ["RecordGroup"], checks: ["REC-14", cache]),
    ]
}
