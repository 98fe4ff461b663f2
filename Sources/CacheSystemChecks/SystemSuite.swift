public import CacheConformance

/// A system with everything that judges it: the fixed version and the one that was shipped as subjects, the checks of its
/// own, and what became of its coverage table.
public struct SystemSuite: Sendable {
    /// The name on the command line; the version that was shipped has `-as-shipped` after it.
    public let name: String
    /// What the system is called in prose, and what it grew out of.
    public let title: String
    /// The version that keeps the promises of its documentation.
    public let fixed: any CacheSubject
    /// The version with the documented defects.
    public let asShipped: any CacheSubject
    /// The checks that are the system's own, beside those that every cache shares.
    public let checks: [Check]
    /// The documented defects, each with the check that must notice it.
    public let defects: [SystemDefect]
    /// The rows of the system's coverage table.
    public let coverage: [CoverageRow]

    /// The shared checks and the system's own.
    public var suite: ConformanceSuite {
        ConformanceSuite(name: name, checks: ConformanceSuite.cache.checks + checks)
    }
}

/// A defect of a system as it was shipped.
public struct SystemDefect: Sendable, Hashable {
    /// What is wrong, in one sentence.
    public let summary: String
    /// The check that must fail on the version that was shipped.
    public let check: String

    /// A defect.
    public init(_ summary: String, check: String) {
        self.summary = summary
        self.check = check
    }
}

/// One row of a system's coverage table: a feature of the original, and where it is covered.
public struct CoverageRow: Sendable, Hashable {
    /// The feature, in the words of the table.
    public let feature: String
    /// The types that do it; empty for what is not portable.
    public let components: [String]
    /// The checks that hold it against its promise: ids, and names of test suites after `tests:`.
    public let checks: [String]
    /// How it is measured, or why it is not.
    public let measure: String

    /// A row.
    public init(_ feature: String, by components: [String], checks: [String], measure: String = "none") {
        self.feature = feature
        self.components = components
        self.checks = checks
        self.measure = measure
    }
}
