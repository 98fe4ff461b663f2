internal import CacheCore

// Parts of a trace: hit ratios over its time, and by tenant.
extension RunTraceSection {
    /// The most windows that a chart shows; neighbours are put together where there are more.
    private static var shownWindows: Int { 120 }
    /// The most tenants that a table shows.
    private static var shownTenants: Int { 50 }

    /// Cells by capacity, ascending.
    private func byCapacity(_ cells: [CellResult]) -> [(title: String, cells: [CellResult])] {
        Dictionary(grouping: cells) { CapacityKey($0) }.sorted { $0.key < $1.key }.compactMap { _, cells in
            cells.first.map { first in
                let unit = first.capacityUnit == .objects ? " objects" : ""
                return ("\(page.capacityText(first))\(unit)", cells)
            }
        }
    }

    /// A chart of hit ratio over time for each capacity; none if no cell has windows.
    var windowCharts: [ReportDocument.ChartBlock] {
        byCapacity(cells.filter { ($0.windows ?? []).count > 1 }).map { windowChart($0.title, $0.cells) }
    }

    private func windowChart(_ size: String, _ cells: [CellResult]) -> ReportDocument.ChartBlock {
        let windows = cells[0].windows ?? []
        let stride = (windows.count + Self.shownWindows - 1) / Self.shownWindows
        let shown = cells.map { Self.joined($0.windows ?? [], by: stride) }
        let hasTimes = windows.allSatisfy { $0.startSeconds != nil }
        let caption = "\(trace): hit ratio over time at \(size)"
        let places: [Double] = shown[0].map { hasTimes ? $0.startSeconds ?? 0 : Double($0.first) }
        let lines: [TimelineChart.Line] = zip(cells, shown).compactMap { cell, windows in
            page.styles[SeriesKey(cell)].map { style in
                TimelineChart.Line(
                    colourClass: style.colourClass, dashes: style.dashes, seriesID: style.id,
                    values: windows.map(\.counts.hitRatio))
            }
        }
        let chart = TimelineChart(
            title: caption, places: places, range: (places.min() ?? 0)...(places.max() ?? 0), lines: lines,
            leastTop: 0.01, valueText: { HumanFormat.percent($0, digits: 1) },
            placeText: { hasTimes ? HumanFormat.duration($0) : HumanFormat.count($0) })
        let together = stride > 1 ? "; \(stride) windows together, each is in windows.csv" : ""
        return ReportDocument.ChartBlock(
            title: "Hit ratio over time at \(size)",
            note: "\(HumanFormat.counted(windows.count, "window", "windows"))\(together)",
            chart: chart, table: windowTable(caption, cells, shown, hasTimes))
    }

    /// Windows with each `stride` neighbours put together.
    private static func joined(_ windows: [ReplayWindow], by stride: Int) -> [ReplayWindow] {
        Swift.stride(from: 0, to: windows.count, by: max(1, stride)).map { start in
            var window = windows[start]
            for other in windows[(start + 1)...].prefix(stride - 1) { window.counts += other.counts }
            return window
        }
    }

    private func windowTable(
        _ caption: String, _ cells: [CellResult], _ shown: [[ReplayWindow]], _ hasTimes: Bool
    ) -> DataTable {
        DataTable(
            caption: caption,
            columns: [.init("From"), .init("Requests")] + cells.map { .init(page.labels.label($0)) },
            rows: shown[0].indices.map { index in
                let window = shown[0][index]
                return [
                    hasTimes
                        ? .figure(window.startSeconds, HumanFormat.duration) : .figure(window.first),
                    .figure(window.counts.requests),
                ]
                    + shown.map { windows in
                        .figure(windows.indices.contains(index) ? windows[index].counts.hitRatio : nil) {
                            HumanFormat.percent($0)
                        }
                    }
            }
        )
    }

    /// A table of tenants for each capacity; none if no cell tells tenants apart.
    var tenantTables: [ReportDocument.Block] {
        byCapacity(cells.filter { $0.tenants?.isEmpty == false }).map { size, cells in
            let all = cells[0].tenants ?? []
            let shown = all.prefix(Self.shownTenants)
            let hasSizes = description?.hasSizes ?? true
            let title = "Hit ratio by tenant at \(size)"
            let rest =
                all.count > shown.count ? ", the \(shown.count) with the most requests; tenants.csv has more" : ""
            let table = DataTable(
                caption: "\(trace): \(title.lowercased())\(rest)",
                columns: [.init("Tenant", isNumeric: false), .init("Requests")]
                    + (hasSizes ? [.init("Bytes requested")] : []) + cells.map { .init(page.labels.label($0)) },
                rows: shown.map { tenant in
                    [.init(tenant.label), .figure(tenant.counts.requests)]
                        + (hasSizes ? [.figure(tenant.counts.bytesRequested, HumanFormat.bytes)] : [])
                        + cells.map { Self.ratios(of: tenant, in: $0, hasSizes: hasSizes) }
                })
            return .table(.init(title: title, table: table))
        }
    }

    private static func ratios(of tenant: TenantCounts, in cell: CellResult, hasSizes: Bool) -> DataTable.Cell {
        let counts = cell.tenants?.first { $0.tenant == tenant.tenant && $0.others == tenant.others }?.counts
        var field = DataTable.Cell.figure(counts?.hitRatio) { HumanFormat.percent($0) }
        if hasSizes, let ratio = counts?.byteHitRatio { field.note = "\(HumanFormat.percent(ratio)) of bytes" }
        return field
    }
}

extension TenantCounts {
    /// What reports call it.
    var label: String { others.map { "\(HumanFormat.count($0)) others" } ?? tenant }
}
