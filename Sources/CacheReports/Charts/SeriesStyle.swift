/// How one curve looks everywhere in a report: colour, dash pattern and marker, so that no reader depends on colour alone.
struct SeriesStyle: Sendable {
    /// The identifier that the page's script and style sheet use.
    var id: String
    /// The name at the end of the curve.
    var label: String
    /// The class that sets the colour: `k0` to `k9` from a palette that colour-blind readers can tell apart, or a grey.
    var colourClass: String
    /// Whether the curve is a bound rather than a policy.
    var isBound: Bool { colourClass == Self.boundClass }
    /// The dash pattern, empty for a solid line.
    var dashes: String
    /// The attribute of the dash pattern; none for a solid line.
    var dashArray: [(String, String)] { dashes.isEmpty ? [] : [("stroke-dasharray", dashes)] }
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
                (style.colourClass, style.dashes) = (boundClass, "1.5 3.5")
            } else if let neutral = neutrals[style.label] {
                (style.colourClass, style.dashes) = neutral
            } else {
                style.colour(coloured)
                coloured += 1
            }
            styles[key] = style
        }
        return styles
    }

    /// Styles for curves that are told apart by their names alone, in order.
    static func assigned(to names: [String]) -> [SeriesStyle] {
        names.enumerated().map { index, name in
            var style = SeriesStyle(
                id: "s\(index)", label: name, colourClass: "", dashes: "", marker: index % markerCount)
            style.colour(index)
            return style
        }
    }

    private mutating func colour(_ number: Int) {
        colourClass = "k\(number % 10)"
        dashes = Self.patterns[number / 5 % Self.patterns.count]
    }

    private static let boundClass = "kb"
    private static let neutrals: [String: (String, String)] = [
        "lru": ("kl", ""), "fifo": ("kf", "6 3"), "random": ("kf", "2 3"),
    ]
    private static let patterns = ["", "7 3", "3 2.5", "9 3 2 3"]
    private static let markerCount = markerCorners.count + 1

    /// A marker of this style centred on a point, as path data. `radius` is half its width.
    func markerPath(x: Double, y: Double, radius: Double = 3) -> String {
        let r = coordinate(radius)
        if marker == 0 {
            let width = coordinate(2 * radius)
            return "M\(coordinate(x - radius)) \(coordinate(y))a\(r) \(r) 0 1 0 \(width) 0a\(r) \(r) 0 1 0 -\(width) 0z"
        }
        let corners = Self.markerCorners[marker - 1].map { ($0.0 * radius, $0.1 * radius) }
        // Steps from corner to corner are shorter than places.
        let steps = zip(corners.dropFirst(), corners).map { "l\(coordinate($0.0 - $1.0)) \(coordinate($0.1 - $1.1))" }
        return "M\(coordinate(x + corners[0].0)) \(coordinate(y + corners[0].1))\(steps.joined())z"
    }

    /// The corners of the markers after the circle, for a radius of 1.
    private static let markerCorners: [[(Double, Double)]] = [
        [(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)],
        [(0, -1.15), (1.1, 0.85), (-1.1, 0.85)],
        [(0, -1.3), (1.3, 0), (0, 1.3), (-1.3, 0)],
        [(0, 1.15), (1.1, -0.85), (-1.1, -0.85)],
        [
            (-1.2, -0.4), (-0.4, -0.4), (-0.4, -1.2), (0.4, -1.2), (0.4, -0.4), (1.2, -0.4), (1.2, 0.4), (0.4, 0.4),
            (0.4, 1.2), (-0.4, 1.2), (-0.4, 0.4), (-1.2, 0.4),
        ],
    ]

    /// The marker alone, for places where many stand close together.
    var glyph: String {
        var svg = XMLText()
        svg.open("svg", [("class", "swatch glyph \(colourClass)"), ("viewBox", "0 0 12 12"), ("aria-hidden", "true")])
        svg.empty("path", [("class", "mark"), ("d", markerPath(x: 6, y: 6, radius: 4.4))])
        svg.close("svg")
        return svg.text
    }

    /// A short sample of the line with its marker, for legends and tables: drawn once a page, by ``symbols(_:)``.
    var swatch: String {
        "<svg class=\"swatch \(colourClass)\"><use href=\"#w\(id)\"/></svg>"
    }

    /// What the swatches of a page show, hidden itself.
    static func symbols(_ styles: some Collection<SeriesStyle>) -> String {
        var svg = XMLText()
        svg.open("svg", [("class", "symbols"), ("aria-hidden", "true")])
        for style in styles.sorted(by: { $0.id < $1.id }) {
            svg.open("symbol", [("id", "w\(style.id)"), ("viewBox", "0 0 26 12")])
            svg.empty(
                "path",
                [
                    ("class", "line"), ("d", "M1 6H25"),
                ] + style.dashArray)
            svg.empty("path", [("class", "mark"), ("d", style.markerPath(x: 13, y: 6, radius: 3.4))])
            svg.close("symbol")
        }
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
