/// Recorded figures over commits, with the commits at which they changed.
public struct FigureHistory: Sendable, Hashable, Codable {
    /// A commit whose results were recorded.
    public struct Commit: Sendable, Hashable, Codable {
        /// The commit's digest in hexadecimal digits.
        public var digest: String
        /// When it was committed, in seconds since 1970 in UTC.
        public var time: Int
        /// The first line of its message; empty if nobody knows.
        public var title: String

        /// A commit.
        public init(digest: String, time: Int, title: String = "") {
            self.digest = digest
            self.time = time
            self.title = title
        }

        /// The first ten digits, as people write a commit.
        public var shortDigest: String { String(digest.prefix(10)) }
    }

    /// A figure at a commit.
    public struct Point: Sendable, Hashable, Codable {
        /// The commit, as an index into ``FigureHistory/commits``.
        public var commit: Int
        /// The subject's parameters at this commit.
        public var parameters: String
        /// How much: the median where a counted or timed figure was recorded several times.
        public var value: ResultFigure.Value

        /// A figure at a commit.
        public init(commit: Int, parameters: String, value: ResultFigure.Value) {
            self.commit = commit
            self.parameters = parameters
            self.value = value
        }
    }

    /// A commit at which a figure changed.
    public struct Change: Sendable, Hashable, Codable {
        /// The first commit with the new value, as an index into ``Series/points``; at least 1.
        public var point: Int
        /// The value before: the last one of an exact figure, the median since the change before of any other.
        public var before: ResultFigure.Value
        /// The value after: the first one of an exact figure, the median until the next change of any other.
        public var after: ResultFigure.Value
        /// How often noise alone would look so, from 0 to 1; nil for exact figures, which have none.
        public var chance: Double?
        /// Commits just before this one without this figure: any of them may have changed it. Nil if nobody knows the commits.
        public var unrecordedCommits: Int?

        /// A change.
        public init(
            point: Int, before: ResultFigure.Value, after: ResultFigure.Value, chance: Double? = nil,
            unrecordedCommits: Int? = nil
        ) {
            self.point = point
            self.before = before
            self.after = after
            self.chance = chance
            self.unrecordedCommits = unrecordedCommits
        }
    }

    /// One figure of one subject under equal conditions.
    public struct Series: Sendable, Hashable, Codable {
        /// What is judged, without its parameters.
        public var subject: String
        /// Under what it was measured, as in ``ResultFigure/place``.
        public var place: [String: String]
        /// What is counted.
        public var name: String
        /// The unit; empty for a number of things.
        public var unit: String
        /// How values are compared.
        public var kind: ResultFigure.Kind
        /// Which side is better.
        public var better: ResultFigure.Better
        /// Where it was measured; empty for exact figures, which are the same everywhere.
        public var machine: String
        /// The values in the order of the commits.
        public var points: [Point]
        /// Where the value changed, in the same order.
        public var changes: [Change]

        /// A series.
        public init(
            subject: String, place: [String: String], name: String, unit: String, kind: ResultFigure.Kind,
            better: ResultFigure.Better, machine: String, points: [Point], changes: [Change]
        ) {
            self.subject = subject
            self.place = place
            self.name = name
            self.unit = unit
            self.kind = kind
            self.better = better
            self.machine = machine
            self.points = points
            self.changes = changes
        }

        /// Whether a change is for the worse; nil where no side is better.
        public func isWorse(_ change: Change) -> Bool? {
            guard better != .neither else { return nil }
            guard better != .same, let before = change.before.number, let after = change.after.number else {
                return true
            }
            return better == .less ? after > before : after < before
        }
    }

    /// The commits that have results, the oldest first.
    public var commits: [Commit]
    /// The figures, by name, subject and place.
    public var series: [Series]
    /// What else a reader must know, a sentence each.
    public var notes: [String]

    /// A history.
    public init(commits: [Commit], series: [Series], notes: [String]) {
        self.commits = commits
        self.series = series
        self.notes = notes
    }
}
