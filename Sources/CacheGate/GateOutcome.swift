/// What a gate found: the source of every output of `assay gate`.
public struct GateOutcome: Sendable, Hashable, Codable {
    /// The version that this code writes.
    public static var currentSchemaVersion: Int { 2 }

    /// The version of the schema, raised when a field changes its meaning.
    public var schemaVersion = Self.currentSchemaVersion
    /// What was taken as good: a file, a folder, a program or a revision.
    public var baseline: String
    /// What was judged.
    public var candidate: String
    /// What differs or could not be compared, the worst first, then by subject and place.
    public var lines: [GateLine]
    /// How many figures were held against each other.
    public var comparedFigures: Int
    /// How many cells these figures belong to.
    public var comparedCells: Int
    /// How many of the figures moved by no more than they may.
    public var toleratedFigures = 0
    /// What else a reader must know, a sentence each.
    public var notes: [String]

    /// What a gate found.
    public init(
        baseline: String, candidate: String, lines: [GateLine], comparedFigures: Int, comparedCells: Int,
        notes: [String] = []
    ) {
        self.baseline = baseline
        self.candidate = candidate
        self.lines = lines
        self.comparedFigures = comparedFigures
        self.comparedCells = comparedCells
        self.notes = notes
    }

    /// Whether nothing fails the gate.
    public var passes: Bool { !lines.contains { $0.fails } }
}

/// One figure of one cell that is not what it was, or a cell or figure that could not be compared.
public struct GateLine: Sendable, Hashable, Codable {
    /// What was found.
    public enum Verdict: String, Sendable, Hashable, Codable, CaseIterable {
        case worse
        /// Only the baseline has it.
        case missing
        /// Not enough was measured to decide.
        case undecided
        /// Both have it, and they cannot be compared.
        case incomparable
        /// It differs, and no side is better.
        case changed
        /// Only the candidate has it.
        case added
        case better
        /// It was measured side by side and did not move.
        case same
    }

    /// What is judged, without its parameters.
    public var subject: String
    /// The subject's parameters in the candidate; those of the baseline stand in `reason` if they differ.
    public var parameters: String
    /// Under what it was measured, as in ``ResultFigure/place``.
    public var place: [String: String]
    /// The figure, `hits`; empty for the whole cell.
    public var figure: String
    /// The figure's unit, `bytes` or `ns`; empty for a number of things.
    public var unit: String
    /// The value that was taken as good.
    public var baseline: ResultFigure.Value?
    /// The value that was judged.
    public var candidate: ResultFigure.Value?
    /// Between which values the ratio of candidate to baseline lies, the least first, if it was measured side by side.
    public var ratioInterval: [Double]?
    /// What was found.
    public var verdict: Verdict
    /// Whether this line fails the gate under its rules.
    public var fails: Bool
    /// Why, or under which exception it may; a sentence, nil where the values say all.
    public var reason: String?
    /// The command that measures it again; empty if nobody knows.
    public var command: String

    /// Where the line stands among others: what fails first, then the worst first. At least 0.
    public var rank: Int {
        let order = Verdict.allCases
        return (fails ? 0 : order.count) + (order.firstIndex(of: verdict) ?? 0)
    }

    /// A line.
    public init(
        subject: String, parameters: String = "", place: [String: String], figure: String = "", unit: String = "",
        baseline: ResultFigure.Value? = nil, candidate: ResultFigure.Value? = nil, ratioInterval: [Double]? = nil,
        verdict: Verdict, fails: Bool, reason: String? = nil, command: String = ""
    ) {
        self.subject = subject
        self.parameters = parameters
        self.place = place
        self.figure = figure
        self.unit = unit
        self.baseline = baseline
        self.candidate = candidate
        self.ratioInterval = ratioInterval
        self.verdict = verdict
        self.fails = fails
        self.reason = reason
        self.command = command
    }
}
