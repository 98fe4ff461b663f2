/// What a suite found out about a subject.
public struct ConformanceReport: Sendable, Hashable, Codable {
    /// The version of this form; a reader refuses a higher one.
    public static let currentVersion = 1

    /// The version of the form that was written.
    public var version = currentVersion
    /// The suite's name.
    public var suite: String
    /// The subject's name, with the parameters that were set.
    public var subject: String
    /// The seed that every check ran with.
    public var seed: UInt64
    /// One result a check, in the order of the catalogue.
    public var results: [CheckResult]
    /// What the subject does although it does not claim it. Recorded, without a verdict.
    public var unclaimedButPresent: [String]

    init(suite: String, subject: String, seed: UInt64, results: [CheckResult], unclaimedButPresent: [String]) {
        self.suite = suite
        self.subject = subject
        self.seed = seed
        self.results = results
        self.unclaimedButPresent = unclaimedButPresent
    }

    /// The number of checks with an outcome of this name.
    public func count(of outcome: String) -> Int { results.count { $0.outcome.name == outcome } }

    /// Checks that passed, over those that passed, failed, crashed or hung; nil if there were none.
    public var score: Double? { judged == 0 ? nil : Double(count(of: "pass")) / Double(judged) }

    /// Checks with a verdict.
    public var judged: Int { count(of: "pass") + failures.count }

    /// The part of all checks that the subject's claims make due. To be read beside the score: claiming little must not
    /// look like passing much.
    public var claimedFraction: Double {
        results.isEmpty ? 0 : 1 - Double(count(of: "not claimed")) / Double(results.count)
    }

    /// The results that failed, crashed or hung.
    public var failures: [CheckResult] { results.filter(\.outcome.isNegative) }
}
