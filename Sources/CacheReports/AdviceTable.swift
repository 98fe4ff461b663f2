public import CacheCore

/// Advice as text for a terminal: the answer, the runners-up, how sure it is, and what more would buy.
public enum AdviceTable {
    /// Candidates that are shown; the files have all.
    private static var shownCandidates: Int { 10 }

    /// The advice as text that ends with a newline.
    ///
    /// - Parameters:
    ///   - width: The terminal's width in characters; columns that do not fit are left out and sentences are broken. Nil
    ///     prints every column, and sentences in one line each.
    ///   - isColored: Whether to use ANSI colours; pass false when the output is piped.
    public static func render(_ results: AdviceResults, width: Int? = nil, isColored: Bool = false) -> String {
        var lines: [String] = []
        for advice in results.advice {
            let text = AdviceText(results: results, advice: advice)
            if let trace = results.traces.first(where: { $0.name == advice.trace }) {
                let heading = "\(trace.name.onOneLine) · \(TraceSectionBuilder.facts(trace))"
                lines.append(Ansi.dim(clippedInside(heading, to: width), isColored))
                for sentence in TraceRemarks(rules: results.rules).sentences(trace) {
                    lines += wrapped(sentence, width)
                }
            }
            lines += wrapped(text.answer, width).map { Ansi.bold($0, isColored) } + [""]
            lines += candidates(text).lines(width: width, isColored: isColored) + [""]
            lines += grounds(text, width) + steps(text, width, isColored)
        }
        let replays = results.advice.reduce(0) { $0 + $1.replays }
        lines.append(
            "\(HumanFormat.counted(replays, "replay", "replays")) in \(HumanFormat.duration(results.durationSeconds))")
        if results.status == .interrupted {
            lines.append(Ansi.red("Interrupted: what stands here may be unproven or missing.", isColored))
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func candidates(_ text: AdviceText) -> TextTable {
        let advice = text.advice
        let hasBytes = text.results.traces.contains { $0.name == advice.trace && $0.bytesRequested > 0 && $0.hasSizes }
        var table = TextTable(
            columns: [.init("", isNumeric: false), .init("policy", isNumeric: false), .init("capacity")]
                + (text.hasPrices ? [.init("takes")] : []) + [.init("hit ratio")]
                + (hasBytes ? [.init("byte hit ratio", expendability: 2)] : [])
                + [.init("at the choice's"), .init("how the capacity was found", isNumeric: false, expendability: 1)])
        for (place, candidate) in advice.candidates.prefix(shownCandidates).enumerated() {
            let isChoice = place == 0 && advice.choice != nil
            if isChoice { table.emphasized.insert(place) }
            if let failure = candidate.failure {
                if failure.kind != .notApplicable { table.alarming.insert(place) }
                table.remarks[place] = "\(failure.kind.rawValue): \(failure.message.onOneLine)"
            }
            let figures = candidate.certainty == .bracket && advice.outcome == .reached ? nil : candidate.figures
            let row =
                [isChoice ? "*" : "", AdviceText.name(candidate).onOneLine, text.capacity(candidate)]
                + (text.hasPrices ? [candidate.price.map(text.price) ?? HumanFormat.absent] : [])
                + [figures.map { HumanFormat.percent($0.hitRatio) } ?? HumanFormat.absent]
                + (hasBytes ? [figures.map { HumanFormat.percent($0.byteHitRatio) } ?? HumanFormat.absent] : [])
                + [text.ratio(candidate.atChoicePrice), text.certainty(candidate)]
            // A reason takes the place of figures that there are none of.
            table.rows.append(candidate.failure == nil ? row : Array(row.prefix(2)) + row.dropFirst(2).map { _ in "" })
        }
        if advice.candidates.count > shownCandidates {
            table.rows.append(
                ["", "and \(advice.candidates.count - shownCandidates) more"]
                    + Array(repeating: "", count: table.columns.count - 2))
        }
        return table
    }

    private static func grounds(_ text: AdviceText, _ width: Int?) -> [String] {
        guard text.advice.choice != nil else { return [] }
        var sentences = text.verdict.map { ["The choice is \($0)."] } ?? []
        sentences += [text.caution].compactMap(\.self) + text.grounds
        for rival in text.advice.evidence?.rivals ?? [] {
            sentences.append(
                "Over \(AdviceText.name(text.advice.candidates[rival.candidate])): \(AdviceText.lead(rival)), ahead in "
                    + "\(rival.windowsAhead) and behind in \(rival.windowsBehind) windows.")
        }
        let blocks = [sentences, text.bounds].filter { !$0.isEmpty }
        return blocks.flatMap { block in block.flatMap { wrapped($0, width) } + [""] }
    }

    private static func steps(_ text: AdviceText, _ width: Int?, _ isColored: Bool) -> [String] {
        guard text.advice.choice != nil, text.advice.steps.count > 1 else { return [] }
        var table = TextTable(
            columns: [.init("with"), .init(text.metric.rawValue), .init("points"), .init(text.slopeUnit)])
        for step in text.advice.steps {
            if step.capacity == text.advice.choice?.capacity { table.emphasized.insert(table.rows.count) }
            table.rows.append([
                text.amount(step.capacity, beside: text.advice.steps.map(\.capacity)), text.ratio(step.figures),
                text.gain(step).map { HumanFormat.points($0) } ?? HumanFormat.absent,
                text.slope(step).map { HumanFormat.signed($0, abs($0) < 10 ? 2 : 0) } ?? HumanFormat.absent,
            ])
        }
        return table.lines(width: width, isColored: isColored) + [""]
    }

    /// A sentence over as many lines as it needs, broken at spaces, the later ones set in.
    static func wrapped(_ text: String, _ width: Int?) -> [String] {
        guard let width, text.count > width else { return [text] }
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ") {
            if !line.isEmpty, line.count + 1 + word.count > width {
                lines.append(line)
                line = "  " + word
            } else {
                line += (line.isEmpty ? "" : " ") + word
            }
        }
        return lines + [line]
    }
}
