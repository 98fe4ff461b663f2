internal import CacheCore
internal import CacheGate

/// The figures of several results side by side: those of one name, subject and place in one row.
struct ComparedFigures {
    /// One figure with its value in each of the results; nil where they do not have it.
    struct Row {
        var cell: FigureCell.Identity
        var name: String
        var unit: String
        var kind: ResultFigure.Kind
        var better: ResultFigure.Better
        var values: [ResultFigure.Value?]

        fileprivate init(_ figure: ResultFigure, of cell: FigureCell.Identity, among sides: Int) {
            self.cell = cell
            (name, unit, kind, better) = (figure.name, figure.unit, figure.kind, figure.better)
            values = Array(repeating: nil, count: sides)
        }

        /// Whether the same work gives the same value, so that a difference is a fact.
        var isExact: Bool { kind == .exact }
        /// Whether two of the results have different values.
        var differs: Bool { Set(values.compactMap(\.self)).count > 1 }

        /// How far a value is from the first results' one, as a part of the larger; nil where one of them is missing.
        func distance(_ side: Int) -> Double? {
            guard let before = values[0], let after = values[side] else { return nil }
            guard let first = before.number, let second = after.number else { return before == after ? 0 : 1 }
            let most = max(abs(first), abs(second))
            return most == 0 ? 0 : abs(second - first) / most
        }

        /// The results that are farthest from the first, with the distance.
        var farthest: (side: Int, distance: Double) {
            values.indices.dropFirst().map { ($0, distance($0) ?? 0) }.max { $0.1 < $1.1 } ?? (0, 0)
        }

        /// Whether a value is better than the first results' one; nil where nobody can say.
        func isBetter(_ side: Int) -> Bool? {
            guard isExact, let first = values[0]?.number, let second = values[side]?.number, first != second else {
                return nil
            }
            return switch better {
            case .more: second > first
            case .less: second < first
            case .same, .neither: nil
            }
        }
    }

    /// What only some of the results have.
    struct PartialCell {
        var cell: FigureCell.Identity
        var isThere: [Bool]
    }

    /// Rows that at least two of the results have a value in, by figure in the order of telling.
    private(set) var rows: [Row] = []
    /// Subjects at places that some of the results lack.
    private(set) var partial: [PartialCell] = []
    /// Names that stand for different traces.
    private(set) var unlikeTraces: [String] = []

    init(_ sets: [FigureSet]) {
        var positions: [String: Int] = [:]
        var cells: [FigureCell.Identity: Int] = [:]
        for (side, set) in sets.enumerated() {
            for cell in set.cells {
                // A trace is what it holds, whatever it is called.
                var key = cell.identity
                if key.place["trace-digest"] != nil { key.place["trace"] = nil }
                let index = cells[key] ?? partial.count
                if index == partial.count {
                    cells[key] = index
                    partial.append(.init(cell: cell.identity, isThere: Array(repeating: false, count: sets.count)))
                }
                partial[index].isThere[side] = true
                for figure in Self.figures(cell) {
                    let place = "\(index) \(figure.name)"
                    if positions[place] == nil {
                        positions[place] = rows.count
                        rows.append(Row(figure, of: partial[index].cell, among: sets.count))
                    }
                    rows[positions[place] ?? 0].values[side] = figure.value
                }
            }
        }
        partial.removeAll { $0.isThere.allSatisfy(\.self) }
        rows.removeAll { $0.values.compactMap(\.self).count < 2 }
        let traces = Dictionary(grouping: sets.flatMap(\.traces), by: \.name)
        unlikeTraces = traces.filter { Set($0.value.map { $0.contentDigest ?? $0.digest }).count > 1 }.keys.sorted()
    }

    /// The names of the figures, the most telling first.
    var names: [String] {
        let told = ["failure", "outcome", Self.hitRatio, Self.byteHitRatio]
        let kinds: [ResultFigure.Kind] = [.exact, .counted, .timed]
        var seen: Set<String> = []
        let found = rows.filter { seen.insert($0.name).inserted }
        return told.filter(seen.contains)
            + kinds.flatMap { kind in found.filter { $0.kind == kind && !told.contains($0.name) }.map(\.name) }
    }

    static let hitRatio = "hit-ratio"
    static let byteHitRatio = "byte-hit-ratio"

    /// A cell's figures, with hits as ratios.
    private static func figures(_ cell: FigureCell) -> [ResultFigure] {
        var figures = cell.figures + cell.counted.flatMap(\.figures)
        for (part, whole, ratio) in [("hits", "requests", hitRatio), ("bytes-hit", "bytes-requested", byteHitRatio)] {
            guard let index = figures.firstIndex(where: { $0.name == part }), let hits = figures[index].value.number,
                let all = figures.first(where: { $0.name == whole })?.value.number, all > 0
            else { continue }
            figures[index].name = ratio
            figures[index].unit = ""
            figures[index].value = .real(hits / all)
        }
        return figures
    }
}

extension ComparedFigures.Row {
    private var isRatio: Bool { [ComparedFigures.hitRatio, ComparedFigures.byteHitRatio].contains(name) }

    /// How a figure is called in a sentence: `hit ratio`.
    static func title(_ name: String) -> String { name.replacing("-per-", with: " a ").replacing("-", with: " ") }

    /// The digits that tell the ratios of the row apart.
    private var digits: Int {
        let ratios = Set(values.compactMap { $0?.number })
        return (2...9).first { digits in
            Set(ratios.map { HumanFormat.percent($0, digits: digits) }).count == ratios.count
        }
            ?? 9
    }

    /// A value as people read it.
    func text(_ side: Int) -> String {
        guard let value = values[side] else { return HumanFormat.absent }
        guard let number = value.number else { return if case .word(let word) = value { word } else { "" } }
        if isRatio { return HumanFormat.percent(number, digits: digits) }
        switch (unit, value) {
        case ("ns", _): return HumanFormat.nanoseconds(number)
        case ("1/s", _): return HumanFormat.rate(number)
        case ("bytes", .count(let count)):
            return HumanFormat.bytes(count, beside: values.compactMap { $0?.number.map { Int(saturating: $0) } })
        case ("bytes", _): return HumanFormat.fixed(number, 2) + " B"
        case (_, .count(let count)): return HumanFormat.count(count)
        default: return number == number.rounded() ? HumanFormat.count(number) : HumanFormat.fixed(number, 4)
        }
    }

    /// How far a value is from the first results' one: points of ratios, percent of everything else.
    func difference(_ side: Int) -> String {
        guard let before = values[0], let after = values[side] else { return HumanFormat.absent }
        if before == after { return "=" }
        guard let first = before.number, let second = after.number else { return "differs" }
        let word = isBetter(side).map { $0 ? " better" : " worse" } ?? ""
        if isRatio { return "\(HumanFormat.points(second - first, digits: digits)) points\(word)" }
        let relative = (second - first) / abs(first)
        guard relative.isFinite, abs(relative) < 1e6 else {
            return (second > first ? "+" : "−") + HumanFormat.short(abs(second - first)) + word
        }
        let shown = (2...9).first { HumanFormat.fixed(abs(relative) * 100, $0).contains { "1"..."9" ~= $0 } } ?? 2
        return "\(HumanFormat.signed(relative * 100, shown)) %\(word)"
    }
}
