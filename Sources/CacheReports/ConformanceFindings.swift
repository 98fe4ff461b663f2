public import CacheCore

/// What a conformance suite found out about one subject, as its page shows it.
public struct ConformanceFindings: Sendable, Hashable {
    /// One check with what came of it.
    public struct Row: Sendable, Hashable {
        /// The check's id, `BAS-3`, whose letters name the section.
        public var id: String
        /// What the verdict means: `required`, `claimed`, `optimal`, `survey`.
        public var kind: String
        /// What must be so.
        public var assertion: String
        /// `pass`, `fail`, `crashed`, `hung`, `blocked`, `inconclusive`, `not claimed` or `recorded`.
        public var outcome: String
        /// What goes with it: the reason, the finding, the claims that are missing.
        public var detail: String?
        /// The check's revision.
        public var revision: Int
        /// Why the caller expects the check to fail; nil where nobody does.
        public var known: String?

        /// A row of the table.
        public init(
            id: String, kind: String, assertion: String, outcome: String, detail: String?, revision: Int = 1,
            known: String? = nil
        ) {
            self.id = id
            self.kind = kind
            self.assertion = assertion
            self.outcome = outcome
            self.detail = detail
            self.revision = revision
            self.known = known
        }

        /// Whether the subject was found wanting.
        var isNegative: Bool { ["fail", "crashed", "hung"].contains(outcome) }
        var section: String { String(id.prefix { $0 != "-" }) }
    }

    /// One failure with what is needed to see it again.
    public struct Failure: Sendable, Hashable {
        /// The check's id.
        public var id: String
        /// The id, and the operation whose rule was broken where the check asks one rule of several.
        public var name: String
        /// What the subject did.
        public var observed: String
        /// What it was allowed to do.
        public var permitted: String
        /// The claims that made the check due.
        public var dueTo: String
        /// Forms of the program or the steps, each with a title: the first is shown, the others open on demand.
        public var reproducers: [Reproducer]
        /// What several clients saw, where that is the failure.
        public var history: HistoryResult?
        /// What is said of the reproducer, such as that there may be a smaller one.
        public var remarks: [String]

        /// A failure in words.
        public init(
            id: String, name: String? = nil, observed: String, permitted: String, dueTo: String,
            reproducers: [Reproducer], history: HistoryResult? = nil, remarks: [String] = []
        ) {
            self.remarks = remarks
            self.id = id
            self.name = name ?? id
            self.observed = observed
            self.permitted = permitted
            self.dueTo = dueTo
            self.reproducers = reproducers
            self.history = history
        }
    }

    /// Failures that are likely to have one cause.
    public struct Cause: Sendable, Hashable {
        /// What they have in common.
        public var title: String
        /// The checks that failed by it, the one with the shortest program first.
        public var checks: [String]
        /// The checks that are blocked by these.
        public var blocked: [String]

        /// A cause in words.
        public init(title: String, checks: [String], blocked: [String]) {
            self.title = title
            self.checks = checks
            self.blocked = blocked
        }
    }

    /// A way to see a failure again.
    public struct Reproducer: Sendable, Hashable {
        /// What form it has.
        public var title: String
        /// The text, line by line.
        public var text: String

        /// A text with a title.
        public init(title: String, text: String) {
            self.title = title
            self.text = text
        }
    }

    /// Something that a subject documents to do otherwise than most caches.
    public struct Deviation: Sendable, Hashable {
        /// Its name in the claims.
        public var name: String
        /// What it says.
        public var sentence: String

        /// A deviation with its sentence.
        public init(name: String, sentence: String) {
            self.name = name
            self.sentence = sentence
        }
    }

    /// The subject's name.
    public var subject: String
    /// What a reader calls the subject.
    public var title: String
    /// The profile that was asked; nil where sections and checks were named.
    public var profile: String?
    /// The suite's name.
    public var suite: String
    /// The seed that every check ran with.
    public var seed: UInt64
    /// The Assay version that wrote it.
    public var assayVersion: String
    /// The arguments after `assay`.
    public var commandLine: [String]
    /// One row a check, in the order of the catalogue.
    public var rows: [Row]
    /// The failures, in the order of their checks.
    public var failures: [Failure]
    /// The failures by their likely cause.
    public var causes: [Cause]
    /// What is present without being claimed, a sentence each.
    public var unclaimedButPresent: [String]
    /// What the subject documents to do otherwise than most caches.
    public var deviations: [Deviation] = []
    /// What each section is about, by the letters of its checks.
    public var sectionTitles: [String: String]
    /// The report as JSON, which the page carries.
    public var json: String

    /// Findings about one subject.
    public init(
        subject: String, title: String, suite: String, profile: String?, seed: UInt64, assayVersion: String,
        commandLine: [String], rows: [Row], failures: [Failure], causes: [Cause], unclaimedButPresent: [String],
        sectionTitles: [String: String], json: String
    ) {
        self.subject = subject
        self.title = title
        self.profile = profile
        self.suite = suite
        self.seed = seed
        self.assayVersion = assayVersion
        self.commandLine = commandLine
        self.rows = rows
        self.failures = failures
        self.causes = causes
        self.unclaimedButPresent = unclaimedButPresent
        self.sectionTitles = sectionTitles
        self.json = json
    }

    /// How many checks have an outcome.
    func count(_ outcome: String) -> Int { rows.count { $0.outcome == outcome } }
    /// How many checks failed, crashed or hung.
    var negatives: Int { rows.count(where: \.isNegative) }
}
