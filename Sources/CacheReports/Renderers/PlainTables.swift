extension ReportDocument.Block {
    /// What the block holds as tables, for renderers that draw no charts.
    var tables: [ReportDocument.TableBlock] {
        switch self {
        case .heading, .text, .code: []
        case .table(let block): [block]
        case .chart(let block):
            block.table.map { [.init(title: "\(block.title): \(block.tableTitle)", isOpen: false, table: $0)] } ?? []
        case .pairs(let pairs):
            [
                .init(
                    table: .init(
                        caption: "", columns: [.init("Name", isNumeric: false), .init("Value", isNumeric: false)],
                        rows: pairs.map { [.init($0.name), .init($0.value)] }))
            ]
        case .heat(let map):
            map.views.map { view in
                .init(
                    title: "\(map.title), \(view.name)", isOpen: false,
                    table: .init(
                        caption: "\(map.title), \(view.name)",
                        columns: [.init(map.rowTitle, isNumeric: false)] + map.columns.map { .init($0) },
                        rows: zip(map.rows, view.values).map { name, row in
                            [.init(name)] + row.map { .figure($0) { HumanFormat.percent($0) } }
                        }))
            }
        case .costs(let view):
            [
                .init(
                    title: view.title,
                    table: .init(
                        caption: view.title,
                        columns: [.init("Choice", isNumeric: false), .init("Takes"), .init("Misses")],
                        rows: view.rows.map { row in
                            [
                                .init(row.label), .figure(row.bytes, HumanFormat.bytes),
                                .figure(row.misses),
                            ]
                        }))
            ]
        }
    }
}
