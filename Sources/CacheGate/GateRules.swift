public import CacheCore

/// What a gate tolerates.
public struct GateRules: Sendable, Hashable {
    /// How far figures may move either way, as a fraction of the baseline, by their names.
    public var tolerances: [String: Double] = [:]
    /// Whether cells and figures that the candidate lacks are listed without failing the gate.
    public var allowsMissing = false
    /// Whether any difference fails: improvements, and cells that only one side has or that nothing compares, too.
    public var isStrict = false
    /// Whether figures that depend on the machine are compared with those of another machine.
    public var allowsOtherMachine = false
    /// What may be worse for a time.
    public var exceptions: [GateException] = []
    /// The day on which exceptions are judged, as `2027-01-31`.
    public var today = ""

    /// Rules that fail on what is worse, missing or incomparable, and let counted figures move a little.
    public init(allowsMissing: Bool = false, isStrict: Bool = false, allowsOtherMachine: Bool = false) {
        self.allowsMissing = allowsMissing
        self.isStrict = isStrict
        self.allowsOtherMachine = allowsOtherMachine
    }

    /// How far a figure may move from the baseline's value.
    func slack(_ figure: String, from value: Double) -> Double {
        tolerances[figure].map { abs(value) * $0 } ?? FigureKinds.slack(figure, from: abs(value))
    }

    /// Adds a tolerance, as `hits=0.01%` or as a fraction, `hits=0.0001`.
    ///
    /// - Throws: `AssayError` with code `usage` for a figure that is never compared or a value outside of `0...100%`.
    public mutating func setTolerance(parsing text: String) throws(AssayError) {
        let place = AssayError.Location("--tolerance")
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2 else {
            throw AssayError(.usage, "'\(text)' is not a tolerance. Write bytes-per-entry=0.5%.", at: place)
        }
        try setTolerance(of: parts[0], parts[1], at: place, .usage)
    }

    mutating func setTolerance(
        of figure: String, _ text: String, at place: AssayError.Location, _ code: AssayError.Code
    ) throws(AssayError) {
        let names = FigureKinds.named(figure)
        guard names.count == 1, !["failure", "outcome"].contains(names[0]) else {
            throw AssayError(
                code,
                "'\(figure)' has no tolerance: it is no number that is compared; times never are. "
                    + FigureKinds.choices(instead: figure), at: place)
        }
        guard let fraction = Share.fraction(text), fraction <= 1 else {
            throw AssayError(code, "'\(text)' is not a tolerance from 0% to 100%, such as 0.5%.", at: place)
        }
        tolerances[names[0]] = fraction
    }
}

/// Figures of some cells that may be worse for a time.
public struct GateException: Sendable, Hashable {
    /// The subject, with or without its parameters.
    public var subject: String
    /// Words that the place must have; any place if empty.
    public var place: [String: String]
    /// The figures; none for the whole cell, which may then be missing.
    public var figures: Set<String>
    /// By how much the figures may be worse, as a fraction of the baseline.
    public var worseBy: Double
    /// Why.
    public var reason: String
    /// The last day on which it holds, as `2027-01-31`.
    public var until: String
    /// Where it is written.
    public var source: AssayError.Location

    /// An exception.
    public init(
        subject: String, place: [String: String] = [:], figures: Set<String>, worseBy: Double, reason: String,
        until: String, source: AssayError.Location
    ) {
        self.subject = subject
        self.place = place
        self.figures = figures
        self.worseBy = worseBy
        self.reason = reason
        self.until = until
        self.source = source
    }

    /// Whether it is about that cell.
    func covers(_ cell: FigureCell.Identity) -> Bool {
        (subject == cell.subject || subject == "\(cell.subject):\(cell.parameters)")
            && place.allSatisfy { cell.place[$0.key] == $0.value }
    }

    /// Whether it is about that figure, or about whole cells if the figure is empty.
    func covers(_ figure: String) -> Bool { figure.isEmpty ? figures.isEmpty : figures.contains(figure) }
}
