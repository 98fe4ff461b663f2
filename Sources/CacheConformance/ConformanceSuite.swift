public import CacheCore

/// A list of checks that one kind of subject is held against.
public struct ConformanceSuite: Sendable {
    /// The suite's name.
    public let name: String
    /// The checks, in the order of the catalogue.
    public let checks: [Check]

    /// Every check of storage backends.
    public static let storage = ConformanceSuite(name: "storage", checks: BuiltinChecks.storage)

    /// A suite of some checks.
    public init(name: String, checks: [Check]) {
        self.name = name
        self.checks = checks
    }

    /// The names of the sections, in order.
    public var sections: [String] {
        checks.map(\.section).reduce(into: []) { if $0.last != $1 { $0.append($1) } }
    }

    /// The check with an id, in any case of letters.
    public func check(_ id: String) -> Check? { checks.first { $0.id == id.uppercased() } }

    /// Only the checks of these sections.
    ///
    /// - Throws: `AssayError` with code `usage` for a section that does not exist, and for none at all.
    public func limited(toSections names: [String]) throws(AssayError) -> ConformanceSuite {
        let wanted = names.map { $0.uppercased() }
        if wanted.isEmpty {
            throw AssayError(.usage, "No section is named. There are \(sections.joined(separator: ", ")).")
        }
        for section in wanted where !sections.contains(section) {
            let near = nearestName(to: section, among: sections).map { " Did you mean '\($0)'?" } ?? ""
            throw AssayError(
                .usage, "There is no section '\(section)'. There are \(sections.joined(separator: ", ")).\(near)")
        }
        return ConformanceSuite(name: name, checks: checks.filter { wanted.contains($0.section) })
    }

    /// Runs every check and reports, calling `progress` with each result as it comes.
    public func run(
        on subject: StorageSubject, seed: UInt64 = 1, progress: (CheckResult) -> Void = { _ in }
    ) -> ConformanceReport {
        var results: [CheckResult] = []
        var unclaimed: [String] = []
        for check in checks {
            let result = check.run(on: subject, seed: seed)
            if case .notClaimed(let claims) = result.outcome, isPresent(check, in: subject, seed) {
                unclaimed.append("\(check.id) passes although \(claims.joined(separator: ", ")) is not claimed")
            }
            results.append(result)
            progress(result)
        }
        return ConformanceReport(
            suite: name, subject: subject.name, seed: seed, results: results, unclaimedButPresent: unclaimed)
    }

    /// Whether a check that is not due would pass.
    private func isPresent(_ check: Check, in subject: StorageSubject, _ seed: UInt64) -> Bool {
        guard check.kind != .survey, let claims = try? subject.claims() else { return false }
        let enlarged = check.claims.reduce(claims) { $1.added(to: $0) }
        return check.run(on: subject, claims: enlarged, seed: seed).outcome == .pass
    }
}
