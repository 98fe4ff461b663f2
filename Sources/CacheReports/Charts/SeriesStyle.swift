/// How one curve looks everywhere in a report: colour, dash pattern and marker, so that no reader depends on colour alone.
struct SeriesStyle: Sendable {
    /// The identifier that the page's script and style sheet use.
    var id: String
    /// The name at the end of the curve.
    var label: String
    /// The class that sets the colour: `k0` to `k9` from a palette that colour-blind readers can tell apart, or a grey.
    var colourClass: String
    /// The dash pattern, empty for a solid line.
    var dashes: String
    /// The marker's shape, from 0.
    var marker: Int

    /// Styles for every curve of a run, in order. Baselines and bounds are neutral, so that colour is left to the rest.
    static func assigned(to labels: SeriesLabels) -> [SeriesKey: SeriesStyle] {
        var styles: [SeriesKey: SeriesStyle] = [:]
        var coloured = 0
        for (index, key) in labels.keys.enumerated() {
            var style = SeriesStyle(
                id: "s\(index)", label: labels.label(key), colourClass: "", dashes: "", marker: index % markerCount)
            if labels.isBound(key) {
                (style.colourClass, style.dashes) = ("kb", "1.5 3.5")
            } else if let neutral = neutrals[style.label] {
                (style.colourClass, style.dashes) = neutral
            } else {
                style.colourClass = "k\(coloured % 10)"
                style.dashes = patterns[coloured / 5 % patterns.count]
                coloured += 1
            }
            styles[key] = style
        }
        return styles
    }

    private static let neutrals: [String: (String, String)] = [
        "lru": ("kl", ""), "fifo": ("kf", "6 3"), "random": ("kf", "2 3"),
    ]
    private static let patterns = ["", "7 3", "3 2.5", "9 3 2 3"]
    private static let markerCount = 6

    /// A marker of this style centred on a point, as path data. `radius` is half its width.
    func markerPath(x: Double, y: Double, radius: Double = 3) -> String {
        func at(_ dx: Double, _ dy: Double) -> String {
            "\(coordinate(x + dx * radius)) \(coordinate(y + dy * radius))"
        }
        switch marker {
        case 0:
            let r = coordinate(radius)
            return
                "M\(at(-1, 0))a\(r) \(r) 0 1 0 \(coordinate(2 * radius)) 0a\(r) \(r) 0 1 0 \(coordinate(-2 * radius)) 0z"
        case 1: return "M\(at(-0.9, -0.9))L\(at(0.9, -0.9))L\(at(0.9, 0.9))L\(at(-0.9, 0.9))z"
        case 2: return "M\(at(0, -1.15))L\(at(1.1, 0.85))L\(at(-1.1, 0.85))z"
        case 3: return "M\(at(0, -1.3))L\(at(1.3, 0))L\(at(0, 1.3))L\(at(-1.3, 0))z"
        case 4: return "M\(at(0, 1.15))L\(at(1.1, -0.85))L\(at(-1.1, -0.85))z"
        default:
            return
                "M\(at(-1.2, -0.4))L\(at(-0.4, -0.4))L\(at(-0.4, -1.2))L\(at(0.4, -1.2))L\(at(0.4, -0.4))L\(at(1.2, -0.4))"
                + "L\(at(1.2, 0.4))L\(at(0.4, 0.4))L\(at(0.4, 1.2))L\(at(-0.4, 1.2))L\(at(-0.4, 0.4))L\(at(-1.2, 0.4))z"
        }
    }

    /// The marker alone, for places where many stand close together.
    var glyph: String {
        var svg = XMLText()
        svg.open("svg", [("class", "swatch glyph \(colourClass)"), ("viewBox", "0 0 12 12"), ("aria-hidden", "true")])
        svg.empty("path", [("class", "mark"), ("d", markerPath(x: 6, y: 6, radius: 4.4))])
        svg.close("svg")
        return svg.text
    }

    /// A short sample of the line with its marker, for legends and tables.
    var swatch: String {
        var svg = XMLText()
        svg.open("svg", [("class", "swatch \(colourClass)"), ("viewBox", "0 0 26 12"), ("aria-hidden", "true")])
        svg.empty(
            "path", [("class", "line"), ("d", "M1 6H25"), ("stroke-dasharray", dashes.isEmpty ? "none" : dashes)])
        svg.empty("path", [("class", "mark"), ("d", markerPath(x: 13, y: 6, radius: 3.4))])
        svg.close("svg")
        return svg.text
    }
}

/// A coordinate with one decimal, without a needless zero; 0 for anything that is not finite.
func coordinate(_ value: Double) -> String {
    guard value.isFinite else { return "0" }
    let tenths = (value * 10).rounded() / 10
    return tenths == tenths.rounded() ? "\(Int(tenths))" : "\(tenths)"
}
