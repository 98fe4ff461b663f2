public import CacheConformance
public import CacheCore

/// The mutation matrix: which check notices which defect of the reference cache.
public struct MutantRun: Sendable {
    /// What became of one mutant.
    public struct Row: Sendable, Hashable {
        /// The mutant.
        public let mutation: Mutation
        /// The checks that failed on it, in the order of the catalogue.
        public let killedBy: [String]
        /// What the expected checks said that did not fail.
        public let survived: [String]
        /// The operations of the shortest reproducer among them; nil if none has one.
        public let operations: Int?
        /// How many seeds were tried, one after the other: more than one where threads race and the first did not show it.
        public internal(set) var attempts = 1

        /// Whether one of the expected checks is among those that failed.
        public var isKilledAsExpected: Bool { !Set(killedBy).isDisjoint(with: mutation.checks) }
    }

    private let checks: [Check]?
    private let policies: [PolicyEntry]
    private let seed: UInt64

    /// A run of some checks against each mutant; nil for those that are expected to notice it, until one does. The policies are
    /// those that orders are compared with.
    public init(checks: [Check]? = nil, policies: [PolicyEntry], seed: UInt64 = 1) {
        self.checks = checks
        self.policies = policies
        self.seed = seed
    }

    /// Holds the checks against a mutant, one that races again until it is noticed: on a busy machine its threads may not meet.
    public func row(_ mutation: Mutation) -> Row {
        var row = row(mutation, seed: seed)
        if checks != nil || !mutation.operator.isRace { return row }
        for attempt in 1..<50 as Range<UInt64> where !row.isKilledAsExpected {
            row = self.row(mutation, seed: seed &+ attempt)
            row.attempts += Int(attempt)
        }
        return row
    }

    private func row(_ mutation: Mutation, seed: UInt64) -> Row {
        let subject = mutation.subject(policies: policies)
        let suite = mutation.operator == .policy ? ConformanceSuite.policy : .cache
        var (killedBy, survived): ([String], [String]) = ([], [])
        var shortest: Int?
        for check in checks ?? mutation.checks.compactMap({ suite.check($0) }) {
            let result = check.run(on: subject, seed: seed)
            // A subject that does not answer is found out by that.
            guard let failure = result.failure else {
                survived.append("\(check.id): \(result.outcome.name) \(result.outcome.detail ?? "")")
                continue
            }
            killedBy.append(check.id)
            let count = failure.program?.operations.count
            if let count { shortest = min(shortest ?? .max, count) }
            if checks == nil { break }
        }
        return Row(mutation: mutation, killedBy: killedBy, survived: survived, operations: shortest)
    }
}
