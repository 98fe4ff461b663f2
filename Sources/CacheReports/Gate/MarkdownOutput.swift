internal import CacheGate

/// A gate's verdict as Markdown, for a comment or a job's summary: the worst first, and no longer than it may be.
enum MarkdownOutput {
    /// - Parameter bytesMax: The most bytes of UTF-8; at least 4,000, which hold the verdict whatever the names are.
    static func render(_ outcome: GateOutcome, bytesMax: Int) -> String {
        let text = GateText(outcome)
        var page = Page(bytesMax: bytesMax)
        page.add("### Assay gate: \(text.verdict)\n\n\(code(outcome.baseline)) → \(code(outcome.candidate))\n")
        page.add(
            outcome.notes.map { "\n- \(code($0))" }, upTo: bytesMax / 4, "notes", heading: "", ending: "\n")
        page.add(
            text.lines.map { row($0, text.hasIntervals) }, upTo: bytesMax / 3 * 2, "lines",
            heading: "\n| verdict | subject | where | figure | baseline | candidate | change |"
                + "\(text.hasIntervals ? " ratio |" : "") why |\n|---|---|---|---|--:|--:|--:|"
                + "\(text.hasIntervals ? "--:|" : "")---|", ending: "\n")
        var seen: Set<String> = []
        let commands = text.lines.filter { $0.fails && seen.insert($0.command).inserted }.compactMap(GateText.command)
        let fence = String(repeating: "`", count: max(3, (commands.map(longestFence).max() ?? 0) + 1))
        page.add(
            commands.map { "\n" + $0 }, upTo: bytesMax - 200, "commands",
            heading: "\n<details><summary>Repeat what fails</summary>\n\n\(fence)sh",
            ending: "\n\(fence)\n\n</details>\n")
        return page.text
    }

    /// Text that takes no more than it may.
    private struct Page {
        let bytesMax: Int
        private(set) var text = ""

        init(bytesMax: Int) { self.bytesMax = bytesMax }

        mutating func add(_ part: String) { text += part }

        /// Adds parts from the first on while they fit below a number of bytes, and says how many were left out.
        mutating func add(_ parts: [String], upTo limit: Int, _ name: String, heading: String, ending: String) {
            guard !parts.isEmpty else { return }
            var block = heading
            var size = text.utf8.count + heading.utf8.count + ending.utf8.count
            let shown = parts.prefix { part in
                size += part.utf8.count
                return size <= limit
            }
            block += shown.joined()
            if !shown.isEmpty { text += block + ending }
            let left = parts.count - shown.count
            guard left > 0 else { return }
            text +=
                "\n\(HumanFormat.count(left)) of "
                + HumanFormat.counted(parts.count, String(name.dropLast()), name)
                + " \(left == 1 ? "is" : "are") left out, because this text may have no more than "
                + "\(HumanFormat.count(bytesMax)) bytes. The JSON has all.\n"
        }
    }

    private static func row(_ line: GateLine, _ hasIntervals: Bool) -> String {
        let (baseline, candidate) = GateText.values(line)
        let verdict = line.fails ? "**\(line.verdict.rawValue)**" : line.verdict.rawValue
        let cells =
            [
                code(GateText.subject(line)), code(GateText.place(line)), code(GateText.figure(line)), code(baseline),
                code(candidate), GateText.change(line),
            ] + (hasIntervals ? [GateText.interval(line) ?? ""] : []) + [code(line.reason ?? "")]
        return "\n| \(([verdict] + cells).joined(separator: " | ")) |"
    }

    /// Text as code that nothing in it can end: what Markdown, HTML or GitHub could read is written as a character reference.
    static func code(_ text: String) -> String {
        if text.isEmpty { return "" }
        var result = ""
        for scalar in text.onOneLine.limited(to: 200).unicodeScalars {
            if "&<>\"'`*_[]{}()\\|~!#@$^;".unicodeScalars.contains(scalar) {
                result += "&#\(scalar.value);"
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        // Addresses would become links.
        return "<code>\(result.replacing("://", with: "&#58;//").replacing("www.", with: "www&#46;"))</code>"
    }

    static func longestFence(_ text: String) -> Int {
        text.split(whereSeparator: { $0 != "`" }).map(\.unicodeScalars.count).max() ?? 0
    }
}
