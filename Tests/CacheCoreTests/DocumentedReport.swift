import CacheCore

/// The hits of a run as a table of Markdown.
enum MarkdownReport {
    static let entry = ReportEntry("results.md", "Hits as a table of Markdown.") { (results) throws(AssayError) in
        render(results)
    }

    static func render(_ results: RunResults) -> String {
        let rows = results.cells.map { cell in
            let hits = cell.counts.map { String($0.hits) } ?? cell.failure?.message ?? ""
            let columns = [cell.trace, cell.policy, cell.capacityRequested, hits]
            return "| " + columns.map { $0.replacing("|", with: "\\|") }.joined(separator: " | ") + " |\n"
        }
        return "| trace | policy | capacity | hits |\n| --- | --- | --- | --: |\n" + rows.joined()
    }
}
