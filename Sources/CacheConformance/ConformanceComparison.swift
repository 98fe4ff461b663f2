/// Two reports of one subject, told apart: what the subject does otherwise, and what the suite asks otherwise.
public struct ConformanceComparison: Sendable, Hashable {
    /// A check whose outcome differs.
    public struct Change: Sendable, Hashable, CustomStringConvertible {
        /// The check.
        public var id: String
        /// Its revision and outcome before; nil for a check that was not asked.
        public var old: String?
        /// Its revision and outcome now; nil for a check that is gone.
        public var new: String?

        /// `TTL-5: pass → fail`.
        public var description: String { "\(id): \(old ?? "not asked") → \(new ?? "no such check any more")" }
    }

    /// Checks of the same revision with another outcome.
    public var subject: [Change] = []
    /// Checks that are new, gone, or of another revision.
    public var suite: [Change] = []
    /// What makes the two hard to compare, a sentence each.
    public var remarks: [String] = []

    /// Compares two reports.
    ///
    /// A failure that another explains now is a failure still. A check of the old report that was not asked now, and exists, is
    /// left out.
    ///
    /// - Parameter exists: Whether a check is in the catalogue.
    public init(from old: ConformanceReport, to new: ConformanceReport, exists: (String) -> Bool) {
        if old.subject != new.subject { remarks.append("The old report is about \(old.subject).") }
        if old.seed != new.seed { remarks.append("The old report has seed \(old.seed): random programs were others.") }
        var before = Dictionary(old.results.map { ($0.id, $0) }) { first, _ in first }
        var undecided = 0
        for result in new.results {
            let now = result.plainOutcome
            guard let past = before.removeValue(forKey: result.id) else {
                suite.append(Change(id: result.id, old: nil, new: now))
                continue
            }
            if case .inconclusive = result.outcome {
                undecided += 1
            } else if past.revision != result.revision {
                suite.append(
                    Change(
                        id: result.id, old: "\(past.plainOutcome) (revision \(past.revision))",
                        new: "\(now) (revision \(result.revision))"))
            } else if past.plainOutcome != now {
                subject.append(Change(id: result.id, old: past.plainOutcome, new: now))
            }
        }
        if undecided > 0 {
            remarks.append("Without an answer now, and not compared: \(undecided) of \(new.results.count).")
        }
        suite += old.results.filter { before[$0.id] != nil && !exists($0.id) }
            .map { Change(id: $0.id, old: $0.plainOutcome, new: nil) }
    }
}

extension CheckResult {
    /// The outcome's word, `fail` also where another failure explains it.
    var plainOutcome: String { blockedBy == nil ? outcome.name : "fail" }
}
