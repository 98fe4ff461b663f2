internal import CacheCore

/// How each figure is compared, by its name.
public enum FigureKinds {
    private struct Row: Sendable {
        var unit = ""
        var kind: ResultFigure.Kind
        var better: ResultFigure.Better
    }

    /// Exact and counted figures, the most telling first.
    private static let ordered: [(String, Row)] = [
        ("failure", Row(kind: .exact, better: .same)), ("outcome", Row(kind: .exact, better: .neither)),
        ("revision", Row(kind: .exact, better: .neither)),
        ("requests", Row(kind: .exact, better: .same)), ("calls", Row(kind: .exact, better: .same)),
        ("bytes-requested", Row(unit: "bytes", kind: .exact, better: .same)),
        ("hits", Row(kind: .exact, better: .more)), ("hit-ratio", Row(kind: .exact, better: .more)),
        ("bytes-hit", Row(unit: "bytes", kind: .exact, better: .more)),
        ("byte-hit-ratio", Row(kind: .exact, better: .more)), ("cost-missed", Row(kind: .exact, better: .less)),
        ("evictions", Row(kind: .exact, better: .less)),
        ("bytes-written", Row(unit: "bytes", kind: .exact, better: .less)),
        ("origin-requests", Row(kind: .exact, better: .less)),
        ("bytes-from-origin", Row(unit: "bytes", kind: .exact, better: .less)),
        ("outage-answered", Row(kind: .exact, better: .more)), ("unanswered", Row(kind: .exact, better: .less)),
        ("bytes-answered", Row(unit: "bytes", kind: .exact, better: .same)),
        ("misses", Row(kind: .exact, better: .less)), ("refreshed", Row(kind: .exact, better: .neither)),
        ("migrated", Row(kind: .exact, better: .neither)), ("confirmed", Row(kind: .exact, better: .neither)),
        ("fallbacks", Row(kind: .exact, better: .neither)), ("writes", Row(kind: .exact, better: .same)),
        ("resident-objects", Row(kind: .exact, better: .neither)),
        ("resident-weight", Row(kind: .exact, better: .neither)),
        ("bytes-per-entry", Row(unit: "bytes", kind: .counted, better: .less)),
        ("allocations-per-request", Row(kind: .counted, better: .less)),
        ("instructions", Row(kind: .counted, better: .less)),
    ]
    private static let rows = Dictionary(uniqueKeysWithValues: ordered)
    private static let ranks = Dictionary(uniqueKeysWithValues: ordered.enumerated().map { ($1.0, $0) })

    /// How far a figure may move from a value of at least 0 unless rules say otherwise: not at all if it is exact.
    static func slack(_ name: String, from value: Double) -> Double {
        switch name {
        case "bytes-per-entry": 0.5
        case "allocations-per-request": max(0.001, value * 0.005)
        case "instructions": value * 0.02
        default: 0
        }
    }

    /// Figures that move together, by the name that stands for all of them in an exception.
    private static let families = [
        "efficiency": ordered.filter { $1.kind == .exact && [.less, .more].contains($1.better) }.map(\.0),
        "resources": ordered.filter { $1.kind == .counted }.map(\.0),
    ]

    /// The figures that a name stands for, with `-` or `_` between its words: itself, or those of a family; none for any other.
    static func named(_ text: String) -> [String] {
        let name = text.replacing("_", with: "-")
        return families[name] ?? (ranks[name] == nil ? [] : [name])
    }

    /// What can be named, in words: every figure, and the families.
    public static var described: String {
        let families = families.sorted { $0.key < $1.key }.map { "\($0) for \($1.joined(separator: ", "))" }
        return
            "\(ordered.map(\.0).joined(separator: ", ")); an exception may say \(families.joined(separator: "; and "))"
    }

    /// What can be named, after a name that means nothing.
    static func choices(instead name: String) -> String {
        let near = nearestName(to: name, among: ordered.map(\.0) + families.keys).map { " Did you mean '\($0)'?" } ?? ""
        return "There are \(described).\(near)"
    }

    /// A figure of a cell; one that has no row is a time or a rate, and better where it is less unless its unit is a rate.
    static func figure(_ name: String, _ value: ResultFigure.Value, of cell: FigureCell.Identity) -> ResultFigure {
        let isRate = name.hasSuffix("per-second")
        let row = rows[name] ?? Row(unit: isRate ? "1/s" : "ns", kind: .timed, better: isRate ? .more : .less)
        return ResultFigure(
            subject: cell.subject, parameters: cell.parameters, place: cell.place, name: name, unit: row.unit,
            value: value, kind: row.kind, better: row.better)
    }

    /// The place in the list; figures without one come last.
    static func rank(_ name: String) -> Int { ranks[name] ?? rows.count }
}
