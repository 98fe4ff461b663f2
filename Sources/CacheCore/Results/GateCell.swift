/// What a gate found out about one combination of trace, policy, capacity and backend.
public struct GateCell: Codable, Sendable, Hashable {
    /// The verdict on a cell, from best to worst.
    public enum Verdict: String, Codable, Sendable, Hashable, CaseIterable {
        /// Every compared figure is as it was.
        case equal
        /// Only the candidate has this cell.
        case added
        /// The candidate lacks this cell and the rules allow it.
        case dropped
        /// The trace's input differs, so nothing was compared.
        case incomparable
        /// Failed in the baseline and fails still.
        case stillFailing
        /// Figures differ, and none of them has a better side.
        case change
        /// Figures differ, and each that has a better side moved there.
        case improvement
        /// The candidate lacks this cell.
        case missing
        /// A figure is worse, the work differs, or the cell fails now.
        case regression

        /// 0 for equal; a worse verdict has a higher severity.
        public var severity: Int { Self.allCases.firstIndex(of: self) ?? 0 }
    }

    /// The trace's name.
    public var trace: String
    /// The policy's name.
    public var policy: String
    /// The policy's parameters.
    public var parameters: String
    /// The admission policy's name, `with expiry` where objects expire, the rules of the replay that are not the default, and
    /// the requests before the counted ones.
    public var admission: String
    /// The backend's name with parameters, or `simulation`.
    public var backend: String
    /// The capacity in `capacityUnit`.
    public var capacity: Int
    /// What the capacity counts.
    public var capacityUnit: Capacity.Unit
    /// The verdict.
    public var verdict: Verdict
    /// The figures that differ, worst first; empty for equal cells.
    public var differences: [FigureDifference]
    /// Figures that could not be compared, and why; never a verdict of its own.
    public var notCompared: [String]
    /// Why the candidate has no result, if it failed.
    public var failure: CellFailure?
    /// Requests a second in the baseline: history for the reader, never judged.
    public var baselineRequestsPerSecond: Double?
    /// Requests a second in the candidate: history for the reader, never judged.
    public var candidateRequestsPerSecond: Double?

    /// A verdict on the combination that `cell` names.
    public init(
        _ cell: CellResult, _ verdict: Verdict, differences: [FigureDifference] = [], notCompared: [String] = [],
        failure: CellFailure? = nil
    ) {
        trace = cell.trace
        policy = cell.policy
        parameters = cell.parameters
        admission =
            cell.admission + (cell.honoursExpiry == true ? " with expiry" : "")
            + (cell.rules.map { " with \($0.text)" } ?? "") + (cell.warmUp?.text ?? "")
        backend = cell.backend
        capacity = cell.capacity
        capacityUnit = cell.capacityUnit
        self.verdict = verdict
        self.differences = differences
        self.notCompared = notCompared
        self.failure = failure
    }
}

/// One figure that is not what it was.
public struct FigureDifference: Codable, Sendable, Hashable {
    /// Which way a figure moved.
    public enum Direction: String, Codable, Sendable, Hashable {
        /// Towards its better side.
        case better
        /// Towards its worse side, or away from where it must stay.
        case worse
        /// The figure has no better side.
        case neutral
    }

    /// The figure's name with its unit, as in the CSV report: `hits`, `bytes_hit`, `bytes_per_entry`.
    public var figure: String
    /// The value in the baseline.
    public var baseline: Double
    /// The value in the candidate; nil if it was not measured.
    public var candidate: Double?
    /// Which way it moved.
    public var direction: Direction

    /// A figure that moved from `baseline` to `candidate`.
    public init(_ figure: String, baseline: Double, candidate: Double?, _ direction: Direction) {
        self.figure = figure
        self.baseline = baseline
        self.candidate = candidate
        self.direction = direction
    }

    /// The change as a fraction of the baseline: 0.01 is 1 % more. Nil if a side is missing or the baseline is 0.
    public var relativeChange: Double? {
        guard let candidate, baseline != 0 else { return nil }
        return (candidate - baseline) / baseline
    }
}
