public import CacheCore

/// A list of checks that one kind of subject is held against.
public struct ConformanceSuite: Sendable {
    /// The suite's name.
    public let name: String
    /// The checks, in the order of the catalogue.
    public let checks: [Check]

    /// Every check of storage backends.
    public static let storage = ConformanceSuite(name: "storage", checks: BuiltinChecks.storage)

    /// Every check of stores and caches.
    public static let cache = ConformanceSuite(name: "cache", checks: BuiltinChecks.all)

    /// Every check of eviction policies, for a ``PolicySubject``.
    public static let policy = ConformanceSuite(name: "policy", checks: BuiltinChecks.policies)

    /// The version of the catalogue: raised with every check that is new, gone, or asks something else.
    public static let version = 14

    /// A suite of some checks.
    public init(name: String, checks: [Check]) {
        self.name = name
        self.checks = checks
    }

    /// The same suite with more checks at its end.
    public func with(_ more: [Check]) -> ConformanceSuite { ConformanceSuite(name: name, checks: checks + more) }

    /// The names of the sections, in order.
    public var sections: [String] {
        checks.map(\.section).reduce(into: []) { if $0.last != $1 { $0.append($1) } }
    }

    /// The check with an id, in any case of letters.
    public func check(_ id: String) -> Check? { checks.first { $0.id == id.uppercased() } }

    /// Only the checks of these sections, and those with these ids.
    ///
    /// - Throws: `AssayError` with code `usage` for a section or an id that does not exist, and for none at all.
    public func limited(to names: [String]) throws(AssayError) -> ConformanceSuite {
        let wanted = try known(names)
        return ConformanceSuite(name: name, checks: checks.filter { wanted.contains($0) })
    }

    /// All but the checks of these sections, and those with these ids.
    public func without(_ names: Selection) -> ConformanceSuite {
        ConformanceSuite(name: name, checks: checks.filter { !names.contains($0) })
    }

    /// The checks of a profile and of the smaller ones.
    public func limited(to profile: Check.Profile) -> ConformanceSuite {
        ConformanceSuite(name: name, checks: checks.filter { $0.head.profile <= profile })
    }

    /// Sections and checks that were named and exist.
    public struct Selection: Sendable, Hashable {
        let names: Set<String>

        /// Whether a check or its section was named.
        public func contains(_ check: Check) -> Bool { names.contains(check.section) || names.contains(check.id) }
    }

    /// Sections and checks by their names, in any case of letters.
    ///
    /// - Throws: `AssayError` with code `usage` for a section or an id that does not exist, and for none at all.
    public func known(_ names: [String]) throws(AssayError) -> Selection {
        let wanted = names.map { $0.uppercased() }
        if wanted.isEmpty {
            throw AssayError(.usage, "No section is named. There are \(sections.joined(separator: ", ")).")
        }
        for name in wanted where !sections.contains(name) && check(name) == nil {
            let near = nearestName(to: name, among: sections + checks.map(\.id)).map { " Did you mean '\($0)'?" } ?? ""
            throw AssayError(
                .usage,
                "There is no section and no check '\(name)'. The sections are \(sections.joined(separator: ", "))."
                    + near)
        }
        return Selection(names: Set(wanted))
    }

    /// Runs every check and reports, calling `progress` with each result as it comes.
    public func run(
        on subject: any CacheSubject, seed: UInt64 = 1, progress: (CheckResult) -> Void = { _ in }
    ) -> ConformanceReport {
        var report = run(onSubjectNamed: subject.name, seed: seed, progress: progress) {
            $0.answer(of: subject, seed: seed)
        }
        report.state((try? subject.claims()).map(\.statedDeviations) ?? [])
        return report
    }

    /// Runs every check by asking `ask`, which may put it in another process, and reports.
    ///
    /// A check comes after those that it builds on. The results are in the order of the catalogue.
    public func run(
        onSubjectNamed name: String, seed: UInt64, progress: (CheckResult) -> Void, ask: (Check) -> CheckAnswer
    ) -> ConformanceReport {
        var results: [String: CheckResult] = [:]
        var (present, absent, denied): (Set<String>, Set<String>, Set<[String]>) = ([], [], [])
        var seen: Set<Deviation> = []
        for check in inOrderOfDependence {
            let answer = ask(check)
            switch (answer.isPresent, answer.result.outcome) {
            case (true?, _): present.insert(check.id)
            case (false?, .notClaimed(let claims)):
                absent.insert(check.id)
                denied.insert(claims)
            case (_, let outcome) where outcome.isNegative: absent.insert(check.id)
            default: break
            }
            seen.formUnion(answer.seen)
            let result = answer.result.explained(
                by: explanations(of: check).compactMap { results[$0] }, named: check.buildsOn)
            results[check.id] = result
            progress(result)
        }
        let unclaimed = checks.compactMap { check -> String? in
            // What is asked of a feature may be kept without it: whoever has it keeps everything that is asked of it, and what that
            // builds on. A cache that loses everything brings nothing back that has made room.
            guard present.contains(check.id), case .notClaimed(let claims)? = results[check.id]?.outcome,
                !denied.contains(claims), absent.isDisjoint(with: check.head.dependsOn)
            else { return nil }
            return "\(check.id) passes although \(claims.joined(separator: ", ")) is not claimed"
        }
        var report = ConformanceReport(
            suite: self.name, subject: name, seed: seed, results: checks.compactMap { results[$0.id] },
            unclaimedButPresent: unclaimed)
        report.deviationsSeen = seen.map(\.rawValue).sorted()
        return report
    }
}

/// What a suite learns by one check.
public struct CheckAnswer: Sendable, Hashable, Codable {
    /// The check's result.
    public var result: CheckResult
    /// Whether a check that is not due would have passed, and not because the cache claims more; nil where that was not tried or
    /// not decided.
    public var isPresent: Bool?
    /// Whether the questions depend on the seed, so that another one may have another answer.
    public var isRandom = false
    /// The stated deviations without which an answer would not have been permitted.
    public var seen: Set<Deviation> = []

    /// The answer of a subject whose process crashed or hung before it gave one.
    public init(_ check: Check, endedWith outcome: CheckOutcome) {
        result = CheckResult(check, outcome)
    }

    package init(_ result: CheckResult, isPresent: Bool? = nil, isRandom: Bool = false) {
        self.result = result
        self.isPresent = isPresent
        self.isRandom = isRandom
    }
}

extension Check {
    /// Runs the check, and where it is not due, looks whether it would pass.
    ///
    /// - Parameter isOneOfMany: Whether many other seeds follow: about a tenth of the work is done for each then.
    public func answer(of subject: any CacheSubject, seed: UInt64, isOneOfMany: Bool = false) -> CheckAnswer {
        let draws = SeedDraws(isOneOfMany: isOneOfMany)
        let result = run(on: subject, seed: seed, draws)
        guard case .notClaimed = result.outcome else {
            var answer = CheckAnswer(result, isRandom: draws.isAny)
            answer.seen = draws.seen
            return answer
        }
        return CheckAnswer(result, isPresent: isPresent(in: subject, seed))
    }

    /// The first answer to so many seeds, one after the other, that is neither a pass nor inconclusive; without one a pass if more
    /// than half are passes, and the first that is inconclusive otherwise.
    ///
    /// - Parameter ask: Puts this check with a seed. Not called again for a check whose questions are always the same.
    public func answer(fromSeed first: UInt64, count: Int, ask: (UInt64) -> CheckAnswer) -> CheckAnswer {
        var answer = ask(first)
        var (lastPass, firstUndecided): (CheckAnswer?, CheckAnswer?)
        var (asked, passed) = (1, 0)
        while answer.isRandom, answer.result.outcome.isOpenOrPass {
            if answer.result.outcome == .pass {
                passed += 1
                lastPass = answer
            } else {
                firstUndecided = firstUndecided ?? answer
            }
            guard asked < count else { return (2 * passed > count ? lastPass : firstUndecided) ?? answer }
            answer = ask(first &+ UInt64(asked))
            asked += 1
        }
        return answer
    }

    private func isPresent(in subject: any CacheSubject, _ seed: UInt64) -> Bool? {
        // What was not promised under faults, or for settings that make no sense, may end the process; a plain LRU keeps hot sets
        // as one does that counts.
        let untried = [Claim.feature(.validates), .feature(.frequencyAware), .feature(.ages)]
        guard kind != .survey, kind != .optimal, section != "FLT", !claims.contains(where: untried.contains),
            let made = try? subject.claims(),
            // Whoever writes at once keeps what is asked of whoever may write later.
            !made.claims(.writer) || !claims.contains(.feature(.writeBehind))
        else {
            return nil
        }
        let wanted: Claims? = claims.reduce(made) { claims, claim in claims.flatMap { claim.added(to: $0) } }
        guard let enlarged = wanted else { return nil }
        // Objects and suspended operations are asked of instances of another kind, which nobody else may stand before.
        let ofOtherKinds = [Claim.feature(.references), .feature(.codable), .feature(.suspends)]
        guard !claims.contains(where: ofOtherKinds.contains) else {
            return run(on: subject, claims: enlarged, seed: seed).outcome == .pass
        }
        // A check may pass although what it is about is not there at all.
        let watched = WatchedSubject(subject)
        let outcome = run(on: watched, claims: enlarged, seed: seed).outcome
        return outcome == .pass ? !watched.lacksSomething : outcome.isNegative ? false : nil
    }
}

extension CheckOutcome {
    /// Whether another seed may still have another answer.
    fileprivate var isOpenOrPass: Bool {
        switch self {
        case .pass, .inconclusive: true
        default: false
        }
    }
}
