public import CacheConformance
public import CacheCore

/// The kill matrix: which check notices which defect of the reference cache.
public struct MutantRun: Sendable {
    /// What became of one mutant.
    public struct Row: Sendable, Hashable {
        /// The mutant.
        public let mutant: Mutant
        /// The checks that failed on it, in the order of the catalogue.
        public let killedBy: [String]
        /// The operations of the shortest reproducer among them; nil if none has one.
        public let operations: Int?
        /// The operations that were asked until one of them failed, the one that the catalogue names if it did; nil where
        /// it does not count them.
        public let operationsToKill: Int?

        /// Whether the check that the catalogue names is among those that failed.
        public var isKilledAsNamed: Bool { killedBy.contains(mutant.killer) }
    }

    /// The checks that are put to each mutant.
    public let checks: [Check]
    private let policies: [PolicyEntry]
    private let seed: UInt64

    /// A run of some checks; the policies are those that orders are compared with.
    public init(checks: [Check], policies: [PolicyEntry], seed: UInt64 = 1) {
        self.checks = checks
        self.policies = policies
        self.seed = seed
    }

    /// Puts every check to a mutant.
    public func row(_ mutant: Mutant) -> Row {
        let subject = ReferenceSubject(mutant, policies: policies)
        var killedBy: [String] = []
        var shortest: Int?
        var toKill: [String: Int] = [:]
        for check in checks {
            // One that gets stuck is found out by that.
            guard let failure = check.run(on: subject, seed: seed).failure else { continue }
            killedBy.append(check.id)
            toKill[check.id] = failure.operationsAsked
            if let length = failure.program?.operations.count { shortest = min(shortest ?? .max, length) }
        }
        return Row(
            mutant: mutant, killedBy: killedBy, operations: shortest,
            operationsToKill: killedBy.contains(mutant.killer) ? toKill[mutant.killer] : toKill.values.min())
    }
}
