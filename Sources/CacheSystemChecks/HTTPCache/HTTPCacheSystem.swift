internal import CacheConformance
internal import CacheCore

/// HTTPCache as one of the systems: its defects and its coverage.
enum HTTPCacheSystem {
    static func suite(policy: PolicyEntry, storage: BackendEntry) -> SystemSuite {
        SystemSuite(
            name: "http-cache", title: "HTTPCache (AFCache)", fixed: CurrentHTTPCache(policy: policy, storage: storage),
            asShipped: LegacyHTTPCache(), checks: HTTPChecks.all, defects: defects, coverage: coverage)
    }

    private static let defects = [
        SystemDefect("Without a lifetime nothing is ever fresh.", check: "HTC-2"),
        SystemDefect("s-maxage is not known.", check: "HTC-4"),
        SystemDefect("After a 304 an answer is as stale as before, which a test of its own demands.", check: "HTC-5"),
        SystemDefect("Cache-Control is a text in which \"max-age=\" is searched for.", check: "HTC-6"),
        SystemDefect("The validator is looked up as \"Etag\", in this spelling alone.", check: "HTC-9"),
        SystemDefect("What says no-cache is served as long as its max-age lasts.", check: "HTC-10"),
        SystemDefect("What says must-revalidate is served stale when the connection is lost.", check: "HTC-11"),
        SystemDefect("stale-if-error is not known.", check: "HTC-12"),
        SystemDefect("What a request says in Cache-Control is not read.", check: "HTC-14"),
        SystemDefect(
            "Pragma is read in answers, where any Cache-Control undoes it, and not in requests.", check: "HTC-15"),
        SystemDefect("A 304 does not update what is stored.", check: "HTC-16"),
        SystemDefect("A date is sent to confirm by, that of the download where the origin gave none.", check: "HTC-17"),
        SystemDefect("No status from 400 on is stored, and every other is.", check: "HTC-21"),
        SystemDefect("A temporary redirection is followed offline as a permanent one.", check: "HTC-22"),
        SystemDefect("Answers to requests with Authorization are given to others.", check: "HTC-24"),
        SystemDefect("What changes a resource leaves what is stored of it.", check: "HTC-25"),
        SystemDefect("An empty body counts as an unfinished one.", check: "HTC-26"),
        SystemDefect("Vary is not read.", check: "HTC-27"),
        SystemDefect(
            "Files with the names of addresses have neither scheme nor port, and stand where directories must.",
            check: "HTC-31"),
        SystemDefect("What is stored is given whole, whatever part of it was asked for.", check: "HTC-32"),
        SystemDefect("A part of a body is stored as the whole.", check: "HTC-50"),
        SystemDefect(
            "What it gives as the platform's cache of addresses has lost its status and its fields.", check: "HTC-35"),
        SystemDefect("What it takes as that is kept by Expires alone, against max-age and no-store.", check: "HTC-36"),
        SystemDefect("Requests that wait for their turn are not shared.", check: "HTC-40"),
        SystemDefect("What says no-store is written to disk.", check: "HTC-42"),
        SystemDefect("The index is written later: who is killed before has files that nobody knows.", check: "HTC-44"),
        SystemDefect("The size on disk is always 0, so that nothing ever leaves.", check: "HTC-45"),
        SystemDefect("The limit of a file's size is looked at before the size is known.", check: "HTC-46"),
        SystemDefect("Which package something came from is forgotten at a restart.", check: "HTC-47"),
        SystemDefect("A package that is damaged is stored as far as it goes.", check: "HTC-51"),
        SystemDefect("What a package has takes the place of what is newer.", check: "HTC-52"),
    ]

    private static let rules = "tests:HTTPSemanticsTests"
    private static let cache = "tests:HTTPCacheTests"
    private static let streams = "tests:HTTPStreamingTests"
    private static let network = "tests:HTTPClientOriginTests"

    private static let coverage = [
        CoverageRow(
            "RFC 2616 (today RFC 9111)", by: ["HTTPSemantics", "CacheDirectives", "HTTPDate", "HTTPVary"],
            checks: (1...11).map { "HTC-\($0)" } + [14, 15, 23, 24, 25, 27, 28, 29, 32, 33, 34, 50].map { "HTC-\($0)" }
                + [
                    rules
                ],
            measure: "assay run --system http-cache: hit ratio; origin requests saved; bytes saved"),
        CoverageRow(
            "Conditional GET", by: ["HTTPValidation", "EntityTag"],
            checks: ["HTC-5", "HTC-16", "HTC-17", "HTC-18", "HTC-19", "HTC-20", rules],
            measure: "assay run --system http-cache: confirmed, of what the origin was asked; latency of confirmed"),
        CoverageRow(
            "Offline mode", by: ["HTTPCache"], checks: ["HTC-38", "HTC-39", "HTC-22", cache],
            measure: "assay run --system http-cache: answered without a connection; answered in outages"),
        CoverageRow(
            "Return before revalidation", by: ["HTTPRequestOptions"], checks: ["HTC-13", "HTC-37", cache],
            measure: "assay run --system http-cache: latency of refreshed; answers that were outdated"),
        CoverageRow(
            "Never / forced revalidate, invalidate, HEAD only", by: ["HTTPRequestOptions"],
            checks: ["HTC-20", "HTC-37", cache]),
        CoverageRow("Error statuses", by: ["HTTPSemantics"], checks: ["HTC-12", "HTC-21"]),
        CoverageRow(
            "Coalescing, queue, priority, suspend, cancel", by: ["OriginQueue", "HTTPCache"],
            checks: ["HTC-40", "HTC-41", cache, "tests:OriginQueueTests", "tests:HTTPProxyTests"],
            measure: "assay run --system http-cache: requests by one of the origin; requests in flight, of 4 allowed"),
        CoverageRow("Progress", by: ["HTTPBody"], checks: [streams]),
        CoverageRow(
            "Streaming large files to disk", by: ["BodyFiles", "BodyRecording", "HTTPClientOrigin"],
            checks: ["HTC-43", streams, network, "tests:ProxyMemoryTests"],
            measure:
                "assay run --system http-cache: memory grown by storing it; storing a long body; reading a long body"),
        CoverageRow(
            "Download flag/length in xattrs", by: ["StoredAnswer", "BodyFiles"], checks: ["HTC-43", "HTC-44", streams]),
        CoverageRow(
            "Deferred index (30 s)", by: ["HTTPStore"], checks: ["HTC-44", "PER-1", streams],
            measure: "assay run --system http-cache: opening again; entries then"),
        CoverageRow(
            "Size-limited displacement", by: ["HTTPStore", "HTTPCacheOptions"], checks: ["HTC-45", cache],
            measure: "assay run --system http-cache: answers displaced; bytes stored"),
        CoverageRow("maxItemFileSize", by: ["HTTPCacheOptions"], checks: ["HTC-46"]),
        CoverageRow("Housekeeping by required set", by: ["HTTPCache"], checks: ["HTC-48"]),
        CoverageRow(
            "Packages: prepopulate", by: ["CachePackage", "PackageManifest", "HTTPBatch"],
            checks: [
                "HTC-51", "HTC-52", "tests:CachePackageTests", "tests:PackageImportTests", "tests:HTTPBatchTests",
            ],
            measure:
                "assay run --system http-cache: entries imported a second; first requests that hit, warm; first requests that hit, cold"
        ),
        CoverageRow(
            "Packager tool", by: ["PackageBuilder", "PackageFolder", "PackCommand"],
            checks: ["tests:PackageBuilderTests", "tests:PackageFolderTests", "tests:PackCommandTests"],
            measure: "assay run --system http-cache: files packed a second; archive, of its files' bytes"),
        CoverageRow(
            "Package tracking", by: ["HTTPRequestOptions"],
            checks: ["HTC-47", "HTC-53", cache, "tests:PackageImportTests"]),
        CoverageRow(
            "Encryption", by: ["SealedStorage", "SealedBodies", "BodySealing"],
            checks: [
                "tests:SealedStorageConformanceTests", "tests:SealedStorageTests", "tests:SealedBodiesTests",
                "tests:EncryptedHTTPCacheTests",
            ], measure: "assay bench --backend sealed, beside the backend that it is over"),
        CoverageRow("Hash-named files", by: ["HTTPURL", "FileNames"], checks: ["HTC-30", "HTC-31", "KEY-2", rules]),
        CoverageRow(
            "URL cache override", by: ["HTTPCache"], checks: ["HTC-35", "HTC-36"],
            measure: "assay bench --backend urlcache, for the platform's own"),
        CoverageRow("Contexts", by: ["HTTPCacheOptions"], checks: [cache]),
        CoverageRow("Redirects", by: ["HTTPSemantics", "HTTPClientOrigin"], checks: ["HTC-22", network]),
        CoverageRow(
            "Credentials, SSL bypass, user agent", by: ["HTTPSemantics"], checks: ["HTC-24"],
            measure: "none: the origin's business"),
    ]
}
