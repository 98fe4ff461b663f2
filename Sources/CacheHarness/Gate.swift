public import CacheCore

/// Holds the exact figures of one run against another's.
///
/// Counts are compared by integer equality, bytes per entry within a tolerance, times never. Fewer hits or bytes hit, more
/// evictions or bytes written, and any difference in the work itself (requests, bytes requested) are regressions; the
/// opposite is an improvement; a difference of what is resident at the end is a change. Traces are paired by their
/// digests and cells by identity, so that neither the names of files nor the order in either run matters.
/// O(cells · log cells).
public enum Gate {
    /// Compares a candidate with a baseline.
    ///
    /// - Throws: `AssayError` with code `badInput` if the two runs share no cell that could be compared, since a gate
    ///   that compares nothing must not pass.
    public static func compare(
        baseline: RunResults, from baselineSource: String, candidate: RunResults, from candidateSource: String,
        rules: GateRules = GateRules()
    ) throws(AssayError) -> GateResults {
        guard !baseline.cells.isEmpty else {
            throw AssayError(
                .badInput, "The baseline holds no cells, so nothing can be compared. Record it again with 'assay run'.",
                at: .init(baselineSource))
        }
        try requireSound(baseline, from: baselineSource)
        try requireSound(candidate, from: candidateSource)
        let traces = TracePairing(baseline.traces, candidate.traces)
        let incomparable = Set(traces.mismatches.map(\.trace))
        let pairs = paired(baseline.cells, traces.renamed(candidate.cells))
        let cells = pairs.map { pair in
            let cell = verdict(on: pair, rules, isComparable: !incomparable.contains(pair.identity.trace))
            return withThroughput(cell, of: pair)
        }
        let results = GateResults(
            baseline: GateSide(baseline, source: baselineSource),
            candidate: GateSide(candidate, source: candidateSource),
            rules: rules, incomparableTraces: traces.mismatches, notes: traces.notes, cells: cells.sorted(by: isWorse))
        guard results.comparedCount > 0 || !results.passes else {
            throw AssayError(
                .badInput,
                "No cell has figures in both the baseline and the candidate, so nothing was compared. Run the same traces, policies, "
                    + "capacities and backends as the baseline did: assay \(baseline.commandLine.joined(separator: " "))",
                at: .init(candidateSource))
        }
        return results
    }

    private static func verdict(on pair: Pair, _ rules: GateRules, isComparable: Bool) -> GateCell {
        guard isComparable else { return GateCell(pair.identity, .incomparable) }
        switch (pair.baseline, pair.candidate) {
        case (nil, let candidate?): return GateCell(candidate, .added, failure: candidate.failure)
        case (let baseline?, nil): return GateCell(baseline, rules.allowsMissing ? .dropped : .missing)
        case (let baseline?, let candidate?): return verdict(baseline, candidate, rules)
        case (nil, nil): preconditionFailure("a pair has at least one side")
        }
    }

    private static func verdict(_ baseline: CellResult, _ candidate: CellResult, _ rules: GateRules) -> GateCell {
        guard let after = candidate.counts, candidate.failure == nil else {
            let failure = candidate.failure ?? CellFailure(.failed, "The cell holds neither counts nor a failure.")
            let failedBefore = baseline.counts == nil || baseline.failure != nil
            return GateCell(candidate, failedBefore ? .stillFailing : .regression, failure: failure)
        }
        guard let before = baseline.counts, baseline.failure == nil else {
            return GateCell(candidate, .improvement, notCompared: ["every figure: the cell failed in the baseline"])
        }
        var differences = GateFigure.exact.compactMap { $0.difference(before, after) }
        var notCompared: [String] = []
        compareMemory(baseline.memory, candidate.memory, rules, &differences, &notCompared)
        if !differences.isEmpty, baseline.seed != candidate.seed {
            notCompared.append(
                "seeds differ (\(baseline.seed), then \(candidate.seed)); repeat with --seed \(baseline.seed)")
        }
        return GateCell(
            candidate, verdict(of: differences), differences: worstFirst(differences), notCompared: notCompared)
    }

    private static func verdict(of differences: [FigureDifference]) -> GateCell.Verdict {
        if differences.isEmpty { return .equal }
        if differences.contains(where: { $0.direction == .worse }) { return .regression }
        return differences.contains { $0.direction == .better } ? .improvement : .change
    }

    private static func withThroughput(_ cell: GateCell, of pair: Pair) -> GateCell {
        var cell = cell
        cell.baselineRequestsPerSecond = pair.baseline?.requestsPerSecond
        cell.candidateRequestsPerSecond = pair.candidate?.requestsPerSecond
        return cell
    }
}

// MARK: - Pairing

extension Gate {
    /// The two sides of one identity; at least one is there.
    struct Pair {
        var identity: CellResult
        var baseline: CellResult?
        var candidate: CellResult?
    }

    /// Pairs cells by identity. Two shares of a small footprint can resolve to one capacity, so an identity may occur
    /// more than once; such cells are paired in the order of the capacity as it was asked for.
    static func paired(_ baseline: [CellResult], _ candidate: [CellResult]) -> [Pair] {
        let before = byIdentity(baseline)
        let after = byIdentity(candidate)
        return Set(before.keys).union(after.keys).sorted().flatMap { identity -> [Pair] in
            let old = before[identity] ?? []
            let new = after[identity] ?? []
            return (0..<max(old.count, new.count)).map { index in
                let left = index < old.count ? old[index] : nil
                let right = index < new.count ? new[index] : nil
                return Pair(identity: (right ?? left)!, baseline: left, candidate: right)
            }
        }
    }

    private static func byIdentity(_ cells: [CellResult]) -> [String: [CellResult]] {
        Dictionary(grouping: cells, by: \.identity).mapValues { same in
            same.sorted { ($0.capacityRequested, $0.seed) < ($1.capacityRequested, $1.seed) }
        }
    }
}

// MARK: - Order

extension Gate {
    private static func isWorse(_ a: GateCell, _ b: GateCell) -> Bool {
        if a.verdict != b.verdict { return a.verdict.severity > b.verdict.severity }
        let (first, second) = (magnitude(a), magnitude(b))
        if first != second { return first > second }
        return (a.trace, a.policy, a.parameters, a.capacity, a.backend)
            < (b.trace, b.policy, b.parameters, b.capacity, b.backend)
    }

    private static func magnitude(_ cell: GateCell) -> Double {
        if cell.failure != nil { return .infinity }
        return cell.differences.map(magnitude).max() ?? 0
    }

    private static func magnitude(_ difference: FigureDifference) -> Double {
        difference.relativeChange.map(abs) ?? .infinity
    }

    private static func worstFirst(_ differences: [FigureDifference]) -> [FigureDifference] {
        let rank: [FigureDifference.Direction: Int] = [.worse: 0, .better: 1, .neutral: 2]
        return differences.enumerated().sorted { a, b in
            (rank[a.element.direction]!, a.offset) < (rank[b.element.direction]!, b.offset)
        }.map(\.element)
    }
}

// MARK: - Verdict

extension GateResults {
    /// Does nothing if the candidate passes.
    ///
    /// - Throws: `AssayError` with code `verdict` for a regression, a missing cell or, under strict rules, any difference;
    ///   with code `badInput` if nothing is worse but a trace could not be compared.
    public func throwUnlessPassed() throws(AssayError) {
        guard !passes else { return }
        let losses = [counted(.regression, "worse"), counted(.missing, "missing")].compactMap(\.self)
        if !losses.isEmpty {
            throw AssayError(
                .verdict,
                "Of the \(cells.count - count(.added)) cells of the baseline \(losses.joined(separator: " and ")). "
                    + "Mend the cause, or accept the new figures by making the candidate the baseline.")
        }
        if let mismatch = incomparableTraces.first {
            throw AssayError(
                .badInput,
                "The trace '\(mismatch.trace)' is not the input that the baseline was recorded with"
                    + (mismatch.formats.map { ": it was read as \($0[0]) and now as \($0[1])" } ?? "")
                    + ". Use the same file or workload in the same format, or record the baseline again.",
                at: .init(candidate.source))
        }
        let differences = [
            counted(.improvement, "better"), counted(.change, "different"), counted(.added, "not in the baseline"),
        ].compactMap(\.self)
        throw AssayError(
            .verdict,
            "Of the \(cells.count) cells \(differences.joined(separator: " and ")), and --strict allows no difference.")
    }

    /// `3 are worse`; nil where none is.
    private func counted(_ verdict: GateCell.Verdict, _ state: String) -> String? {
        let count = count(verdict)
        return count == 0 ? nil : "\(count) \(count == 1 ? "is" : "are") \(state)"
    }
}
