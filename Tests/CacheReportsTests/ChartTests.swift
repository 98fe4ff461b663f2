import CacheCore
import Testing

@testable import CacheReports

@Suite("Charts")
struct ChartTests {
    @Test(
        "Linear scales end at round values that hold the data",
        arguments: [(0.0, 0.62, 0.0, 0.8), (0, 1, 0, 1), (-0.024, 0.163, -0.05, 0.2), (0, 0.0007, 0, 0.0008)])
    func niceScales(_ low: Double, _ high: Double, _ expectedLow: Double, _ expectedHigh: Double) {
        let (scale, step) = Scale.nice(low, high, from: 100, to: 0)
        #expect(abs(scale.low - expectedLow) < 1e-9)
        #expect(abs(scale.high - expectedHigh) < 1e-9)
        #expect((3...8).contains(scale.ticks(every: step).count))
        #expect(scale.position(scale.low) == 100 && scale.position(scale.high) == 0)
    }

    @Test("Equal factors are equally far apart on a logarithmic scale")
    func logarithmic() {
        let scale = Scale(kind: .logarithmic, low: 1, high: 16, start: 0, end: 4)
        #expect([1, 2, 4, 8, 16].map(scale.position) == [0, 1, 2, 3, 4])
        #expect(scale.powersOfTwo(atMost: 3) == [1, 4, 16])
    }

    @Test("No two names of curves overlap, however close the curves end")
    func names() {
        let lines = (0..<13).map { index in
            LineChart.Line(style: style(index), values: [0.1, 0.3 + Double(index) * 0.0001])
        }
        let chart = LineChart(
            title: "t", quantity: .ratio, capacities: [10, 100], unit: .objects, lines: lines)
        let heights = MarkupCheck(chart.svg()).named("text").filter { $0.attributes["class"] == "name" }
            .compactMap { $0.attributes["y"].flatMap(Double.init) }.sorted()
        #expect(heights.count == 13)
        #expect(zip(heights, heights.dropFirst()).allSatisfy { $1 - $0 >= 13.8 })
    }

    @Test("Of more curves than names fit, the best are named")
    func bestNames() {
        let lines = (0..<60).map { index in
            LineChart.Line(style: style(index), values: [0.1, Double(index) / 100])
        }
        let chart = LineChart(title: "t", quantity: .ratio, capacities: [10, 100], unit: .objects, lines: lines)
        let names = MarkupCheck(chart.svg()).named("text").filter { $0.attributes["class"] == "name" }
        #expect(names.count == 8)
        #expect(chart.svg().contains(">policy59<") && !chart.svg().contains(">policy51<"))
    }

    @Test func `close curves are told apart, and an axis from 0 stays where it costs little`() {
        func ticks(_ low: Double, _ high: Double) -> [String] {
            let lines = [LineChart.Line(style: style(0), values: [low, high])]
            let chart = LineChart(title: "t", quantity: .ratio, capacities: [31, 62], unit: .objects, lines: lines)
            return chart.svg().matches(of: /text-anchor="end">([^<]*)</).map { String($0.1) }
        }
        #expect(ticks(0.9, 0.96).first == "90%" && ticks(0.9, 0.96).last == "96%")
        #expect(ticks(0.4, 0.96).first == "0%")
        #expect(ticks(0.5, 0.5).first == "0%")
    }

    /// 62 policies between 90 and 96 % once were a smear below nop's 0 %.
    @Test func `of many curves those far below the others are cut off and named`() {
        func chart(_ worst: Double, _ quantity: LineChart.Quantity = .ratio) -> String {
            let lines = (0..<12).map { index in
                let value = index == 7 ? worst : 0.9 + Double(index) * 0.005
                return LineChart.Line(style: style(index), values: [value - 0.02, value])
            }
            return LineChart(title: "t", quantity: quantity, capacities: [31, 62], unit: .objects, lines: lines).svg()
        }
        let cut = MarkupCheck(chart(0.1))
        #expect(cut.problem == nil && cut.text.contains("off this axis: policy7"))
        #expect(
            cut.elements.filter { $0.attributes["clip-path"] != nil }.map { $0.attributes["data-label"] } == ["policy7"]
        )
        #expect(cut.elements[0].attributes["data-domain"]?.hasPrefix("8") == true)
        #expect(!chart(0.9).contains("off this axis"))
        #expect(chart(-0.8, .points).contains("off this axis: policy7"))
    }

    @Test("A missing value breaks the curve rather than bridging it")
    func gaps() throws {
        let chart = LineChart(
            title: "t", quantity: .ratio, capacities: [1, 2, 4, 8], unit: .objects,
            lines: [LineChart.Line(style: style(0), values: [0.1, nil, 0.3, 0.4])])
        let elements = MarkupCheck(chart.svg()).named("path")
        let path = try #require(elements.first { $0.attributes["class"] == "line" }?.attributes["d"])
        #expect(path.count { $0 == "M" } == 2)
        let marks = try #require(elements.first { $0.attributes["class"] == "mark" }?.attributes["d"])
        #expect(marks.count { $0 == "M" } == 3)
        let curve = try #require(MarkupCheck(chart.svg()).named("g").first)
        #expect(curve.attributes["data-values"] == "10.00||30.00|40.00")
    }

    @Test("Curves differ by colour, and by dashes or marker where colours repeat")
    func styles() {
        var results = SmallResults.make()
        results.cells = (0..<24).map { SmallResults.simulated("policy\($0)", hits: $0) }
        let styles = SeriesStyle.assigned(to: SeriesLabels(results)).values
        let looks = Set(styles.map { "\($0.colourClass) \($0.dashes) \($0.marker)" })
        #expect(looks.count == 24)
        #expect(Set(styles.prefix(10).map(\.id)).count == 10)
    }

    private func style(_ index: Int) -> SeriesStyle {
        SeriesStyle(id: "s\(index)", label: "policy\(index)", colourClass: "k0", dashes: "", marker: index % 6)
    }
}
