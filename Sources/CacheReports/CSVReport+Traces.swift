public import CacheCore

/// A row of `trace.csv`.
struct TraceRow: Sendable {
    var part: String
    var label: String?
    var limit: Int?
    var startNanoseconds: Int64?
    var requests: Int?
    var objects: Int?
    var newObjects: Int?
    var bytes: Int?
}

// `trace.csv`.
extension CSVReport {
    static let trace = CSVFile<(TraceProfile, TraceRow)>(
        name: "trace.csv",
        summary:
            "What `assay trace info --csv` found in a trace: one row a bin, a rank, a part of the trace or a name.",
        columns: [
            .text("trace", "The trace's name.") { $0.0.trace.name },
            .text("trace_digest", "The trace's digest.") { $0.0.trace.digest },
            .text(
                "part",
                "`popularity`, `reuse-distance`, `request-size`, `object-size`, `working-set`, `operation`, `time-to-live` or `tenant`."
            ) { $0.1.part },
            .text(
                "label", "The operation or the tenant; `endless` for requests without a time to live.",
                empty: "the row is a bin"
            ) {
                $0.1.label
            },
            .integer(
                "limit",
                "The rank, or the most that the bin holds: objects of a reuse distance, bytes of a size, seconds of a time to live.",
                empty: "the bin has no limit, or the row is none"
            ) { $0.1.limit },
            CSVColumn(
                name: "start_nanoseconds", kind: .integer, unit: "ns",
                meaning: "When the part of the trace begins, from its first request.",
                absence: "it is no part, or the trace states no times"
            ) { $0.1.startNanoseconds.map(String.init) },
            .integer(
                "requests", "Requests of the bin, the object at this rank, the part or the name.",
                empty: "the row counts objects"
            ) {
                $0.1.requests
            },
            .integer(
                "objects", "Distinct objects of the bin, the part or the tenant.",
                empty: "the row counts requests alone"
            ) {
                $0.1.objects
            },
            .integer("new_objects", "Objects that were not requested before.", empty: "it is no part of the trace") {
                $0.1.newObjects
            },
            .integer(
                "bytes", "Bytes of the part's objects, or those that the tenant requested.", in: "bytes",
                empty: "it is neither, or the trace states no sizes"
            ) { $0.1.bytes },
        ])

    /// What a trace holds, a row a bin, rank, part or name.
    public static func render(_ profile: TraceProfile) -> String {
        func bins(_ part: String, _ bins: [TraceProfile.Bin]?, ofObjects: Bool = false) -> [TraceRow] {
            (bins ?? []).map {
                TraceRow(
                    part: part, limit: $0.atMost, requests: ofObjects ? nil : $0.count,
                    objects: ofObjects ? $0.count : nil)
            }
        }
        var rows = profile.popularity.ranks.map { TraceRow(part: "popularity", limit: $0.rank, requests: $0.requests) }
        rows += bins("reuse-distance", profile.reuse.distances)
        rows += bins("request-size", profile.sizes?.requests)
        rows += bins("object-size", profile.sizes?.objects, ofObjects: true)
        rows += profile.workingSet.map {
            TraceRow(
                part: "working-set", startNanoseconds: $0.startNanoseconds, requests: $0.requests, objects: $0.objects,
                newObjects: $0.newObjects, bytes: $0.footprintBytes)
        }
        if profile.operations.isStated {
            let operations = profile.operations
            rows += [("read", operations.reads), ("write", operations.writes), ("delete", operations.deletes)].map {
                TraceRow(part: "operation", label: $0.0, requests: $0.1)
            }
        }
        rows += bins("time-to-live", profile.timesToLive?.seconds)
        rows +=
            profile.timesToLive.map { [TraceRow(part: "time-to-live", label: "endless", requests: $0.endless)] } ?? []
        rows += profile.tenants.map {
            TraceRow(
                part: "tenant", label: $0.name, requests: $0.requests, objects: $0.objects,
                bytes: profile.trace.hasSizes ? $0.bytesRequested : nil)
        }
        return trace.text(rows.map { (profile, $0) })
    }
}
