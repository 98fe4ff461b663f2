/// What a suite found out about a subject.
public struct ConformanceReport: Sendable, Hashable, Codable {
    /// The version of this form; a reader refuses a higher one.
    public static let currentVersion = 1

    /// The version of the form that was written.
    public var version = currentVersion
    /// The suite's name.
    public var suite: String
    /// The version of the catalogue; nil in reports that do not say.
    public var suiteVersion: Int?
    /// The profile that was asked; nil where sections and checks were named.
    public var profile: Check.Profile?
    /// The subject's name, with the parameters that were set.
    public var subject: String
    /// What the subject calls itself; nil where that is its name.
    public var title: String?
    /// The seed that every check ran with.
    public var seed: UInt64
    /// One result a check, in the order of the catalogue.
    public var results: [CheckResult]
    /// The failures by their likely cause; nil in reports that do not say.
    public var causes: [FailureCause]?
    /// What the subject does although it does not claim it. Recorded, without a verdict.
    public var unclaimedButPresent: [String]
    /// What the subject documents to do otherwise than most caches, which no check holds against it; nil for nothing.
    public var deviations: [StatedDeviation]?
    /// The names of those that an answer showed; nil where nothing is stated, and in reports that do not say.
    public var deviationsSeen: [String]?

    init(suite: String, subject: String, seed: UInt64, results: [CheckResult], unclaimedButPresent: [String]) {
        self.suite = suite
        suiteVersion = ConformanceSuite.version
        self.subject = subject
        self.seed = seed
        self.results = results
        causes = FailureCause.grouped(results)
        self.unclaimedButPresent = unclaimedButPresent
    }

    /// The failures by their likely cause, worked out where the report does not say.
    public var likelyCauses: [FailureCause] { causes ?? FailureCause.grouped(results) }

    /// What a reader calls the subject.
    public var calledName: String { title ?? subject }

    /// Notes what the subject documents to do otherwise.
    public mutating func state(_ stated: [StatedDeviation]) {
        deviations = stated.isEmpty ? nil : stated
        if stated.isEmpty { deviationsSeen = nil }
    }

    /// The names of stated deviations that an answer could have shown, and none did: what is documented may not be so, or no
    /// check that was asked comes there.
    public var deviationsNotSeen: [String] {
        guard let deviationsSeen else { return [] }
        return (deviations ?? []).map(\.name).filter { name in
            Deviation(rawValue: name)?.shows == true && !deviationsSeen.contains(name)
        }
    }

    /// The number of checks with an outcome of this name.
    public func count(of outcome: String) -> Int { results.count { $0.outcome.name == outcome } }

    /// Checks that passed, over those that passed, failed, crashed or hung; nil if there were none.
    public var score: Double? { judged == 0 ? nil : Double(count(of: "pass")) / Double(judged) }

    /// Checks with a verdict.
    public var judged: Int { count(of: "pass") + failures.count }

    /// How many checks were not asked, since the time for all was over.
    public var notAsked: Int { results.count { $0.outcome == .notAsked } }

    /// The part of the checks that were asked that the subject's claims make due; nil if none was asked. To be read beside the
    /// score: claiming little must not look like passing much, and what was not asked is neither.
    public var claimedFraction: Double? {
        let asked = results.count - notAsked
        return asked == 0 ? nil : 1 - Double(count(of: "not claimed")) / Double(asked)
    }

    /// The results that failed, crashed or hung.
    public var failures: [CheckResult] { results.filter(\.outcome.isNegative) }
}
