/// The verdict of holding one run's exact figures against another's: the versioned source of every gate report.
public struct GateResults: Codable, Sendable, Hashable {
    /// The version that this code writes.
    public static var currentSchemaVersion: Int { 1 }

    /// The version of the schema, raised when a field changes its meaning.
    public var schemaVersion: Int
    /// The run that was taken as good.
    public var baseline: GateSide
    /// The run that was judged.
    public var candidate: GateSide
    /// The rules that applied.
    public var rules: GateRules
    /// Traces whose input differs between the two runs; none of their cells was compared.
    public var incomparableTraces: [TraceMismatch]
    /// How traces were paired, where that is not by equal requests under equal names: a sentence each.
    public var notes: [String]?
    /// Every cell of either run, worst verdict first, then by identity.
    public var cells: [GateCell]

    /// The outcome of a comparison under `rules`.
    public init(
        baseline: GateSide, candidate: GateSide, rules: GateRules, incomparableTraces: [TraceMismatch],
        notes: [String] = [], cells: [GateCell]
    ) {
        schemaVersion = Self.currentSchemaVersion
        self.baseline = baseline
        self.candidate = candidate
        self.rules = rules
        self.incomparableTraces = incomparableTraces
        self.notes = notes.isEmpty ? nil : notes
        self.cells = cells
    }

    /// The number of cells with a verdict.
    public func count(_ verdict: GateCell.Verdict) -> Int { cells.count { $0.verdict == verdict } }

    /// The number of cells whose figures were held against each other.
    public var comparedCount: Int {
        cells.count { $0.verdict == .equal || !$0.differences.isEmpty }
    }

    /// Whether the candidate may pass: no cell is worse, every trace is comparable, and with strict rules nothing differs.
    public var passes: Bool { incomparableTraces.isEmpty && !cells.contains { rules.forbids($0.verdict) } }
}

/// One of the two runs that a gate compares.
public struct GateSide: Codable, Sendable, Hashable {
    /// The file it was read from.
    public var source: String
    /// The Assay version that wrote it.
    public var assayVersion: String
    /// When the run started, as ISO 8601 in UTC.
    public var startedAt: String
    /// Whether the run finished.
    public var status: RunResults.Status

    /// The run in `results`, read from `source`.
    public init(_ results: RunResults, source: String) {
        self.source = source
        assayVersion = results.assayVersion
        startedAt = results.startedAt
        status = results.status
    }
}

/// What a gate tolerates.
public struct GateRules: Codable, Sendable, Hashable {
    /// How far bytes per entry may move either way, as a fraction of the baseline: 0.005 is 0.5 %.
    public var bytesPerEntryTolerance: Double
    /// Whether cells and figures that the candidate lacks are listed without failing the gate.
    public var allowsMissing: Bool
    /// Whether any difference fails: improvements and cells that only the candidate has, too.
    public var isStrict: Bool

    /// Rules; the defaults fail on what is worse or missing and give bytes per entry 0.5 %.
    public init(bytesPerEntryTolerance: Double = 0.005, allowsMissing: Bool = false, isStrict: Bool = false) {
        self.bytesPerEntryTolerance = bytesPerEntryTolerance
        self.allowsMissing = allowsMissing
        self.isStrict = isStrict
    }
}

extension GateRules {
    /// Whether a cell with that verdict fails the gate. What is incomparable does too, but as an error of its input.
    public func forbids(_ verdict: GateCell.Verdict) -> Bool {
        switch verdict {
        case .regression, .missing: true
        case .improvement, .change, .added: isStrict
        case .equal, .dropped, .stillFailing, .incomparable: false
        }
    }
}

/// A trace of the same name with another content.
public struct TraceMismatch: Codable, Sendable, Hashable {
    /// The trace's name.
    public var trace: String
    /// The digest in the baseline.
    public var baselineDigest: String
    /// The digest in the candidate.
    public var candidateDigest: String

    /// The formats, the baseline's first, where both read one file, but not as the same requests; nil elsewhere.
    public var formats: [String]?

    /// A trace whose digests differ.
    public init(trace: String, baselineDigest: String, candidateDigest: String, formats: [String]? = nil) {
        self.formats = formats
        self.trace = trace
        self.baselineDigest = baselineDigest
        self.candidateDigest = candidateDigest
    }
}
