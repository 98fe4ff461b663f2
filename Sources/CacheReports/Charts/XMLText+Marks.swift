// The marks that charts are made of.
extension XMLText {
    /// A straight line from (`x1`, `y1`) to (`x2`, `y2`).
    mutating func stroke(_ kind: String, _ x1: Double, _ x2: Double, _ y1: Double, _ y2: Double) {
        empty(
            "line",
            [
                ("class", kind), ("x1", coordinate(x1)), ("x2", coordinate(x2)), ("y1", coordinate(y1)),
                ("y2", coordinate(y2)),
            ])
    }

    /// A text at a place, which is its `start`, `middle` or `end`.
    mutating func label(_ kind: String, _ text: String, _ x: Double, _ y: Double, _ anchor: String) {
        element("text", [("class", kind), ("x", coordinate(x)), ("y", coordinate(y)), ("text-anchor", anchor)], text)
    }
}
