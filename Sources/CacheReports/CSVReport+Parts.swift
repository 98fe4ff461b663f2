public import CacheCore

// `windows.csv` and `tenants.csv`: one row for each part of each cell.
extension CSVReport {
    /// Hits over the time of the trace, a row a cell and window, as CSV with a header row; nil if no cell has windows.
    public static func windows(_ results: RunResults) -> String? {
        table(results, "window,first_request,start_seconds,") { cell in
            (cell.windows ?? []).enumerated().map { index, window in
                (["\(index)", "\(window.first)", text(window.startSeconds)], window.counts)
            }
        }
    }

    /// Hits by tenant, a row a cell and tenant, as CSV with a header row; nil if no cell tells tenants apart.
    public static func tenants(_ results: RunResults) -> String? {
        table(results, "tenant,tenants_together,") { cell in
            (cell.tenants ?? []).map { ([$0.tenant, text($0.others ?? 1)], $0.counts) }
        }
    }

    private static func table(
        _ results: RunResults, _ names: String, _ parts: (CellResult) -> [([String], PartCounts)]
    ) -> String? {
        let cells = results.cells.map { ($0, parts($0)) }.filter { !$0.1.isEmpty }
        guard !cells.isEmpty else { return nil }
        var lines =
            "trace,policy,parameters,admission,expiry,capacity,capacity_unit,warm_up_requests,\(names)"
            + "requests,hits,misses,hit_ratio,bytes_requested,bytes_hit,byte_hit_ratio\r\n"
        for (cell, parts) in cells {
            let identity = [
                cell.trace, cell.policy, cell.parameters, cell.admission,
                cell.honoursExpiry == true ? "honoured" : "ignored", "\(cell.capacity)", cell.capacityUnit.rawValue,
                "\(cell.warmUp?.requests ?? 0)",
            ]
            for (part, counts) in parts {
                let figures = [
                    "\(counts.requests)", "\(counts.hits)", "\(counts.requests - counts.hits)", text(counts.hitRatio),
                    "\(counts.bytesRequested)", "\(counts.bytesHit)", text(counts.byteHitRatio),
                ]
                lines += (identity + part + figures).map(quoted).joined(separator: ",") + "\r\n"
            }
        }
        return lines
    }
}
