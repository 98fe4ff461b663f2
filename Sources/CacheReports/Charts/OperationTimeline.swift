internal import CacheCore

/// Operations of several clients over time: one lane a client, one bar an operation.
struct OperationTimeline: ReportChart {
    /// What the chart shows, for screen readers.
    var title: String
    var fault: HistoryFault

    private static let laneHeight = 30.0
    private static let laneStart = 9.0
    /// What a bar must be long to hold one character, in percent of a page of usual width.
    private static let percentOfCharacter = 0.62

    /// The timeline of a fault as a piece of a section.
    static func block(_ fault: HistoryFault) -> ReportDocument.Block {
        let title = "Timeline of \(fault.subject)"
        return .chart(
            .init(
                title: title, note: "one lane a client, one bar an operation from its call to its return",
                chart: OperationTimeline(title: title, fault: fault),
                key: [
                    .init(colourClass: "k1", text: "witness"),
                    .init(colourClass: "kf", text: "other operations of the key"),
                    .init(colourClass: "", text: "thin: no answer"),
                ]))
    }

    /// The chart as an SVG element.
    func svg() -> String {
        let clients = Set(fault.operations.map(\.client)).sorted()
        let lanes = Dictionary(uniqueKeysWithValues: clients.enumerated().map { ($1, $0) })
        let first = fault.operations.map(\.callTime).min() ?? 0
        let last = fault.operations.map { $0.returnTime ?? $0.callTime }.max() ?? first
        let scale = Scale(
            kind: .linear, low: 0, high: max(1, Double(last) - Double(first)), start: Self.laneStart, end: 97)
        var svg = XMLText()
        svg.open(
            "svg",
            [
                ("class", "chart bars"), ("width", "100%"),
                ("height", coordinate(Self.laneHeight * Double(clients.count) + 26)), ("role", "img"),
                ("aria-label", title),
            ])
        for (lane, client) in clients.enumerated() {
            let y = Double(lane) * Self.laneHeight
            svg.element("text", [("class", "name"), ("x", "0"), ("y", coordinate(y + 19))], "client \(client)")
            svg.empty(
                "line",
                [
                    ("class", "grid"), ("x1", percent(Self.laneStart)), ("x2", "100%"),
                    ("y1", coordinate(y + Self.laneHeight)), ("y2", coordinate(y + Self.laneHeight)),
                ])
        }
        // The witness is drawn last, above what it overlaps.
        let drawn = fault.operations.filter { !$0.isWitness } + fault.operations.filter(\.isWitness)
        for line in drawn { draw(line, from: first, lane: lanes[line.client] ?? 0, scale, &svg) }
        drawAxis(first, last, y: Self.laneHeight * Double(clients.count) + 18, &svg)
        svg.close("svg")
        return svg.text
    }

    private func draw(_ line: HistoryLine, from first: Int64, lane: Int, _ scale: Scale, _ svg: inout XMLText) {
        let y = Double(lane) * Self.laneHeight + 5
        let start = scale.position(Double(line.callTime) - Double(first))
        let end = line.returnTime.map { scale.position(Double($0) - Double(first)) } ?? 100
        let width = max(end - start, 0.35)
        let isPending = line.returnTime == nil
        let until = line.returnTime.map { "\($0)" } ?? "no return"
        svg.open("g", [("class", "series \(line.isWitness ? "k1" : "kf")")])
        svg.empty(
            "rect",
            [
                ("class", isPending || !line.isWitness ? "fill pale pt" : "fill pt"), ("x", percent(start)),
                ("y", coordinate(isPending ? y + 6 : y)), ("width", percent(width)), ("height", isPending ? "8" : "20"),
                ("rx", "2"), ("data-tip", "client \(line.client): \(line.text)\n\(line.callTime) to \(until)"),
            ])
        if !isPending, Double(line.text.count) * Self.percentOfCharacter < width {
            svg.element(
                "text", [("class", "name"), ("x", percent(start)), ("dx", "4"), ("y", coordinate(y + 14))], line.text)
        }
        svg.close("g")
    }

    private func drawAxis(_ first: Int64, _ last: Int64, y: Double, _ svg: inout XMLText) {
        let unit = fault.timeUnit == "nanoseconds" ? "ns" : "event"
        svg.element("text", [("x", percent(Self.laneStart)), ("y", coordinate(y))], "\(unit) \(first)")
        svg.element(
            "text", [("x", "97%"), ("y", coordinate(y)), ("text-anchor", "end")], "\(unit) \(last)")
    }

    private func percent(_ value: Double) -> String { HumanFormat.fixed(value, 3) + "%" }
}

extension HistoryFault {
    /// What is at fault: `key k1`.
    var subject: String { key.isEmpty ? "the register" : "key \(key)" }
}
