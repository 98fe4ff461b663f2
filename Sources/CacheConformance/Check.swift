import CacheCore

/// One question about a subject, with a stable id and a verdict.
public struct Check: Sendable, Identifiable, CustomStringConvertible {
    /// What a check's verdict means.
    public enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
        /// Soundness: due for every subject.
        case required
        /// Follows from a claim that the subject makes.
        case claimed
        /// The subject could do better; recorded.
        case optimal
        /// Recorded, without a verdict.
        case survey
    }

    /// Which selection of checks a check belongs to; each includes the ones before it.
    public enum Profile: String, Sendable, Hashable, Codable, CaseIterable, Comparable {
        /// What matters to every cache, and takes seconds.
        case core
        /// What is asked unless another profile is named.
        case extended
        /// New and not yet trusted, or asked for curiosity: what has no verdict, and what no real cache has failed.
        case experimental

        /// Orders the profiles from the smallest to the largest.
        public static func < (one: Self, other: Self) -> Bool {
            allCases.firstIndex(of: one)! < allCases.firstIndex(of: other)!
        }
    }

    /// What a check is called and how it stands to others. A literal is an id with nothing more to say.
    public struct Head: Sendable, Hashable, ExpressibleByStringLiteral {
        /// The section and a number, such as `BAS-3`; never given to another check.
        public let id: String
        /// Raised when the check asks something else than before, so that old verdicts are not compared with new ones; from 1.
        public let revision: Int
        /// The checks whose failure explains a failure of this one.
        public let dependsOn: [String]
        /// Whether it tries so much of all that is claimed that it meets what checks of one behaviour look for: it builds on all
        /// of them.
        public let sweeps: Bool
        /// The smallest selection that the check belongs to.
        public let profile: Profile
        /// The public report, or the promise of a well-known cache, that justifies the check; nil where nothing is named.
        public let source: String?

        /// A name with what is to be said beside it.
        public init(
            _ id: String, revision: Int = 1, dependsOn: [String] = [], sweeps: Bool = false,
            profile: Profile = .extended, source: String? = nil
        ) {
            self.id = id
            self.revision = revision
            self.dependsOn = dependsOn
            self.sweeps = sweeps
            self.profile = profile
            self.source = source
        }

        /// An id of revision 1 in the profile `extended`, on which no check bears.
        public init(stringLiteral id: String) { self.init(id) }
    }

    /// The name, with the revision, the profile and the checks that this one builds on.
    public let head: Head
    /// What the verdict means.
    public let kind: Kind
    /// The claims that make the check due; none for a required check.
    public let claims: [Claim]
    /// What must be so, in one sentence.
    public let assertion: String
    /// What is done, what the witness is, and which defects are known to be found this way.
    public let explanation: String
    let body: @Sendable (CheckContext) throws(CheckStop) -> String?

    /// The section and a number, such as `BAS-3`; never given to another check.
    public var id: String { head.id }

    /// The letters before the number.
    public var section: String { String(id.prefix { $0 != "-" }) }

    /// The id and the assertion.
    public var description: String { "\(id) \(assertion)" }

    /// A check with a verdict. It is `claimed` if it names claims and `required` otherwise.
    init(
        _ head: Head, due claims: [Claim] = [], _ assertion: String, explanation: String,
        body: @escaping @Sendable (CheckContext) throws(CheckStop) -> Void
    ) {
        self.init(
            recording: claims.isEmpty ? .required : .claimed, head, due: claims, assertion, explanation: explanation
        ) {
            (context) throws(CheckStop) in
            try body(context)
            return nil
        }
    }

    /// A check that runs one program of what is claimed of these operations.
    init(
        _ head: Head, due claims: [Claim] = [], _ assertion: String, explanation: String,
        _ operations: [CacheOperation],
        setup: CacheSetup = CacheSetup(), witness: CheckContext.Witness = .hits(1)
    ) {
        self.init(head, due: claims, assertion, explanation: explanation) { (context) throws(CheckStop) in
            try context.verify(context.claimed(operations), setup: setup, witness: witness)
        }
    }

    /// A check that records what it finds: a survey, or how well a subject does what it could do less well and still be right.
    init(
        recording kind: Kind, _ head: Head, due claims: [Claim] = [], _ assertion: String, explanation: String,
        body: @escaping @Sendable (CheckContext) throws(CheckStop) -> String?
    ) {
        (self.kind, self.head, self.claims, self.body) = (kind, head, claims, body)
        (self.assertion, self.explanation) = (assertion, explanation)
    }

    /// Puts the question to a subject. Equal seeds put it in equal words.
    public func run(on subject: any CacheSubject, seed: UInt64 = 1) -> CheckResult {
        run(on: subject, seed: seed, SeedDraws())
    }

    func run(on subject: any CacheSubject, seed: UInt64, _ draws: SeedDraws) -> CheckResult {
        do throws(StoreError) {
            return run(on: subject, claims: try subject.claims(), seed: seed, draws: draws)
        } catch {
            return CheckResult(self, failed: .unopened(error, seed: seed))
        }
    }

    /// Puts the question to a subject and throws if the answer is wrong: the body of a third party's test.
    ///
    /// A check that is not due, and one whose witness did not appear although no claim demands it, does not throw.
    public func require(on subject: any CacheSubject, seed: UInt64 = 1) throws(ConformanceFailure) {
        let result = run(on: subject, seed: seed)
        if let failure = result.failure {
            throw ConformanceFailure(subject: subject.name, check: self, failure: failure)
        }
    }

    /// The outcome where the run ended before the check was asked: one that is not due needs no question.
    package func unasked(_ claims: Claims?) -> CheckOutcome {
        let missing = claims.map(missing) ?? []
        return missing.isEmpty ? .notAsked : .notClaimed(missing)
    }

    /// Whether claims make the check due.
    package func isDue(for claims: Claims) -> Bool { missing(in: claims).isEmpty }

    /// What is lacking to make it due, in words.
    private func missing(in claims: Claims) -> [String] {
        let missing = self.claims.filter { !$0.isMade(in: claims) }
        guard missing.isEmpty else { return missing.map(\.description) }
        return claims.excluding(id).map { "by the deviation \($0.rawValue)" }
    }

    func run(
        on subject: any CacheSubject, claims: Claims, seed: UInt64, draws: SeedDraws = SeedDraws()
    ) -> CheckResult {
        let missing = missing(in: claims)
        guard missing.isEmpty else { return CheckResult(self, .notClaimed(missing)) }
        let context = CheckContext(subject: subject, claims: claims, check: self, seed: seed, draws: draws)
        do throws(CheckStop) {
            let finding = try body(context)
            return CheckResult(self, finding.map { .recorded($0) } ?? .pass)
        } catch {
            switch error {
            case .failed(var failure):
                if draws.makesSmaller, let program = failure.program, failure.end == nil {
                    let excuses = deviations(excusing: program, of: subject, claims, seed, draws)
                    failure.steps += excuses.map { deviations in
                        let names = deviations.map { "'\($0.rawValue)'" }.joined(separator: " and ")
                        let sentences = deviations.map { "\($0.sentence.dropLast())" }.joined(separator: "; ")
                        let plural = deviations.count > 1 ? "s" : ""
                        return "It would not fail with the deviation\(plural) \(names) stated: \(sentences)"
                    }
                    if excuses.isEmpty {
                        failure.steps += deviations(failing: program, of: subject, claims, seed, draws).map {
                            "It would not fail without the deviation '\($0.rawValue)', which is stated"
                        }
                    }
                }
                return CheckResult(self, failed: failure)
            case .notClaimed(let claim): return CheckResult(self, .notClaimed([claim]))
            case .blocked(let reason): return CheckResult(self, .blocked(by: reason))
            case .inconclusive(let reason): return CheckResult(self, .inconclusive(reason))
            }
        }
    }
}

extension Check {
    /// The deviations with each of which a subject would not fail that fails, or the first two with which it would not: what its maker
    /// may have documented.
    private func deviations(
        excusing program: Program, of subject: any CacheSubject, _ claims: Claims, _ seed: UInt64, _ draws: SeedDraws
    ) -> [[Deviation]] {
        // What fails now and then would pass by luck.
        func fails(_ claims: Claims) -> Bool {
            ProgramRunner(subject: subject, claims: claims).run(program).divergence != nil
        }
        guard fails(claims) else { return [] }
        func excuses(_ deviations: [Deviation]) -> Bool {
            var deviating = claims
            deviating.deviations.formUnion(deviations)
            // The check may ask for more than its program, and of the whole check the deviation may leave out the question.
            if deviations.allSatisfy(\.shows), fails(deviating) { return false }
            let excluded = deviations.map { CheckOutcome.notClaimed(["by the deviation \($0.rawValue)"]) }
            return ([.pass] + excluded).contains(outcome(of: subject, deviating, seed, draws))
        }
        // These leave out the question: how long an entry lives that was given a life, and what is listed.
        let open = Deviation.allCases.filter {
            likely.contains($0) && claims.canState($0) && $0 != .oneTimeToLive && $0 != .cannotList
        }
        let single = open.filter { excuses([$0]) }
        guard single.isEmpty else { return fails(claims) ? single.map { [$0] } : [] }
        let shown = open.filter(\.shows)
        let pairs = shown.indices.lazy.flatMap { one in shown[(one + 1)...].lazy.map { [shown[one], $0] } }
        return pairs.first(where: excuses).map { [$0] } ?? []
    }

    /// The stated deviations without each of which a subject would pass that fails: it does what they say that it does not.
    private func deviations(
        failing program: Program, of subject: any CacheSubject, _ claims: Claims, _ seed: UInt64, _ draws: SeedDraws
    ) -> [Deviation] {
        func fails() -> Bool { ProgramRunner(subject: subject, claims: claims).run(program).divergence != nil }
        guard fails() else { return [] }
        let found = claims.deviations.filter { deviation in
            var fewer = claims
            fewer.deviations.remove(deviation)
            return likely.contains(deviation) && outcome(of: subject, fewer, seed, draws) == .pass
        }
        return fails() ? found.sorted { $0.rawValue < $1.rawValue } : []
    }

    /// The deviations that the check may be about.
    private var likely: Set<Deviation> { Set(claims.flatMap(Deviation.explaining) + Deviation.ofEveryCache) }

    private func outcome(
        of subject: any CacheSubject, _ claims: Claims, _ seed: UInt64, _ draws: SeedDraws
    ) -> CheckOutcome {
        let draws = SeedDraws(isOneOfMany: draws.isOneOfMany, makesSmaller: false)
        return run(on: subject, claims: claims, seed: seed, draws: draws).outcome
    }
}

extension [Check] {
    /// Checks of one section in the order of their numbers.
    var inOrder: [Check] {
        func number(_ check: Check) -> Int { Int(check.id.dropFirst(check.section.count + 1)) ?? 0 }
        return sorted { number($0) < number($1) }
    }
}

/// A failed check, as a test shows it.
public struct ConformanceFailure: Error, Sendable, CustomStringConvertible {
    /// The subject's name.
    public let subject: String
    /// The check that failed.
    public let check: Check
    /// How it failed.
    public let failure: CheckFailure

    package init(subject: String, check: Check, failure: CheckFailure) {
        self.subject = subject
        self.check = check
        self.failure = failure
    }

    /// The check, what was seen, what was permitted, and the reproducer.
    public var description: String { "\(subject) fails \(check.description)\n\(failure)" }
}

/// Why a check's body ends before its end.
enum CheckStop: Error {
    case failed(CheckFailure)
    /// Something is not promised that claims have no word for.
    case notClaimed(String)
    case blocked(String)
    case inconclusive(String)

    static let noChild = Self.inconclusive("no child process could be made, or it gave no sign for a minute")
}
