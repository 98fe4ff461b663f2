internal import CacheCore

/// What a reader of the figures must know besides them, from the notes of cells.
enum CellNotes {
    /// A line a note, each once, after the names of the combinations that have it.
    static func lines(_ cells: [CellResult], label: (CellResult) -> String) -> [String] {
        var order: [String] = []
        var labels: [String: [String]] = [:]
        for cell in cells {
            for note in cell.notes ?? [] {
                if labels[note] == nil { order.append(note) }
                let label = label(cell).onOneLine
                if labels[note]?.contains(label) != true { labels[note, default: []].append(label) }
            }
        }
        return order.map { note in
            let names = labels[note] ?? []
            let shown =
                names.prefix(3).joined(separator: ", ") + (names.count > 3 ? " and \(names.count - 3) more" : "")
            return "\(shown): \(note.onOneLine)"
        }
    }
}
