internal import CEmbeddedFiles
internal import CacheCore
internal import Foundation

/// The charts of a document, each as an SVG file that stands alone: with its title, what its colours mean, and the colours that a
/// light page gives it.
public enum SVGCharts {
    /// A file a chart, named after the chart's title by safe characters, each name once.
    public static func render(_ document: ReportDocument) -> [(name: String, text: String)] {
        var taken: Set<String> = []
        return document.sections.flatMap { section in
            section.blocks.compactMap { block -> (name: String, text: String)? in
                guard case .chart(let chart) = block else { return nil }
                let stem = safe("\(section.shortTitle ?? section.title) \(chart.title)")
                var (name, number) = (stem, 1)
                while !taken.insert(name).inserted {
                    number += 1
                    name = "\(stem)-\(number)"
                }
                return ("\(name).svg", file(chart, of: section.title))
            }
        }
    }

    private static func safe(_ title: String) -> String {
        let words = title.lowercased().split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }
        let stem = String(words.joined(separator: "-").prefix(80))
        return stem.isEmpty ? "chart" : stem
    }

    private static let width = 640.0
    private static let margin = 16.0

    private static func file(_ block: ReportDocument.ChartBlock, of section: String) -> String {
        let (chart, height) = nested(block.chart.svg(), at: 62)
        let key = keyLines(block.key)
        let total = 62 + height + 20 * Double(key.count) + margin
        var svg = XMLText()
        svg.open(
            "svg",
            [
                ("xmlns", "http://www.w3.org/2000/svg"), ("width", coordinate(width + 2 * margin)),
                ("height", coordinate(total)),
                ("viewBox", "0 0 \(coordinate(width + 2 * margin)) \(coordinate(total))"),
            ])
        svg.element("title", [], "\(section): \(block.title)")
        svg.line("<style>\(style)</style>")
        svg.empty("rect", [("width", "100%"), ("height", "100%"), ("fill", "#fff")])
        svg.element(
            "text", [("class", "title"), ("x", coordinate(margin)), ("y", "26")], "\(section) · \(block.title)")
        svg.element("text", [("class", "note"), ("x", coordinate(margin)), ("y", "46")], block.note)
        svg.line(chart)
        for (row, items) in key.enumerated() {
            let y = 62 + height + 20 * Double(row) + 14
            for (x, item) in items {
                svg.open("g", [("class", item.colourClass)])
                if !item.colourClass.isEmpty {
                    svg.empty(
                        "rect",
                        [
                            ("class", "fill"), ("x", coordinate(x)), ("y", coordinate(y - 9)), ("width", "10"),
                            ("height", "10"),
                        ])
                }
                svg.element("text", [("class", "note"), ("x", coordinate(x + 15)), ("y", coordinate(y))], item.text)
                svg.close("g")
            }
        }
        svg.close("svg")
        return svg.text
    }

    /// A chart as a part of a file, with its height: charts whose widths are percentages get the width that these refer to.
    private static func nested(_ chart: String, at y: Double) -> (text: String, height: Double) {
        // What only the page's script reads.
        var text = chart.replacing(/\ (?:data-[a-z]+|tabindex)="[^"]*"/, with: "")
        let box = text.firstMatch(of: /viewBox="0 0 ([\d.]+) ([\d.]+)"/)
        let ownWidth = box.flatMap { Double($0.output.1) } ?? width
        let ownHeight =
            box.flatMap { Double($0.output.2) } ?? text.firstMatch(of: /height="([\d.]+)"/).flatMap {
                Double($0.output.1)
            }
            ?? 0
        let height = ownHeight * width / max(ownWidth, 1)
        let place =
            "<svg x=\"\(coordinate(margin))\" y=\"\(coordinate(y))\" width=\"\(coordinate(width))\" "
            + "height=\"\(coordinate(height))\""
        text.replace(/<svg([^>]*)>/, maxReplacements: 1) { match in
            let rest = match.output.1.replacing(/\ (?:width|height)="[^"]*"/, with: "")
            return place + (box == nil ? " viewBox=\"0 0 \(coordinate(width)) \(coordinate(ownHeight))\"" : "") + rest
                + ">"
        }
        return (text, height)
    }

    /// What colours mean, in lines, each item with its place.
    private static func keyLines(_ key: [ReportDocument.KeyItem]) -> [[(x: Double, item: ReportDocument.KeyItem)]] {
        var lines: [[(x: Double, item: ReportDocument.KeyItem)]] = []
        var x = margin
        for item in key {
            let length = 15 + 7 * Double(item.text.count) + 16
            if lines.isEmpty || x + length > width + margin { lines.append([]); x = margin }
            lines[lines.count - 1].append((x, item))
            x += length
        }
        return lines
    }

    /// The style of a file: the page's colours on white, in the words that programs for pictures know.
    static let style: String = {
        let classes = colours.sorted { $0.key < $1.key }.map { ".\($0.key){color:\($0.value)}" }.joined()
        return classes + """
            svg{overflow:visible}
            text{font:12px "DejaVu Sans","Segoe UI",Roboto,Arial,sans-serif;fill:#63656c}
            .title{font-size:16px;font-weight:600;fill:#1b1c1f}
            .name,.value{fill:#1b1c1f}
            .lines .name{fill:currentColor}
            .grid{stroke:#e4e4df;stroke-width:1}
            .zero,.minor{stroke:#63656c;stroke-width:1}
            .line{fill:none;stroke:currentColor;stroke-width:1.8;stroke-linejoin:round}
            .mark{fill:currentColor;stroke:#fff;stroke-width:.7}
            .leader{fill:none;stroke:currentColor;stroke-width:.7;opacity:.5}
            .fill,.dot{fill:currentColor}
            .pale{opacity:.32}
            .whisker{stroke:#1b1c1f;stroke-width:1.2;opacity:.55}
            .span{stroke:currentColor;stroke-width:1.4;opacity:.55}
            .ring{fill:#fff;stroke:currentColor;stroke-width:1.6}
            .floor{stroke:#b3261e;stroke-width:1.2;stroke-dasharray:4 3}
            .floor-name{fill:#b3261e}
            .hit{fill:none;stroke:none}
            """
    }()

    /// The light colour of each class of curves, by the page's style sheet.
    static let colours: [String: String] = {
        let css = embedded_report_css().text
        var named: [Substring: Substring] = [:]
        for match in css.matches(of: /--(\w+): light-dark\((#\w+),/) where named[match.output.1] == nil {
            named[match.output.1] = match.output.2
        }
        var colours: [String: String] = [:]
        for match in css.matches(of: /\.(k\w+) \{ --c: (?:light-dark\((#\w+),|var\(--(\w+)\))/) {
            guard let colour = match.output.2 ?? match.output.3.flatMap({ named[$0] }) else { continue }
            colours[String(match.output.1)] = String(colour)
        }
        return colours
    }()
}
