public import CacheCore

// `curve.csv`: one row a point.
extension CSVReport {
    /// Curves as CSV with a header row, one row a point; lines end with CR LF. A curve without points has one row with its
    /// reason.
    public static func render(_ results: CurveResults) -> String {
        var text = curveColumnNames.joined(separator: ",") + "\r\n"
        for curve in results.curves {
            let rows = curve.points.map { row(curve, $0) }
            for row in rows.isEmpty ? [row(curve, nil)] : rows {
                text += row.map(quoted).joined(separator: ",") + "\r\n"
            }
        }
        return text
    }

    /// The names of the columns of `curve.csv`, in order.
    public static var curveColumnNames: [String] {
        [
            "trace", "policy", "parameters", "method", "capacity", "capacity_unit", "hit_ratio", "miss_ratio",
            "byte_hit_ratio", "byte_miss_ratio", "error", "sample_rate", "capacity_requested", "warm_up_requests",
            "notes", "failure",
        ]
    }

    private static func row(_ curve: CurveResult, _ point: CurvePoint?) -> [String] {
        func figure(_ value: Double?) -> String { value.map { "\($0)" } ?? "" }
        return [
            curve.trace, curve.policy, curve.parameters, (point?.method ?? curve.method).rawValue,
            point.map { "\($0.capacity)" } ?? "", curve.capacityUnit.rawValue, figure(point?.hitRatio),
            figure(point.map { 1 - $0.hitRatio }), figure(point?.byteHitRatio),
            figure(point.map { 1 - $0.byteHitRatio }),
            figure(point?.error), figure(curve.sample?.rate), point?.capacityRequested ?? "",
            "\(curve.warmUp?.requests ?? 0)",
            (curve.notes ?? []).joined(separator: "; "),
            curve.failure.map { "\($0.kind.rawValue): \($0.message)" } ?? "",
        ]
    }
}
