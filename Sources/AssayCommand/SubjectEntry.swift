public import CacheConformance
import CacheSystemChecks

/// A whole cache as ``Plugins`` hold it.
public struct SubjectEntry: Sendable {
    /// The cache; its name is the one on the command line.
    public let subject: any CacheSubject
    /// Checks of its own, beside those of every cache.
    public let checks: [Check]
    private let suiteName: String

    /// A cache with checks of its own.
    public init(_ subject: any CacheSubject, checks: [Check] = []) {
        self.subject = subject
        self.checks = checks
        suiteName = subject.name
    }

    /// One of the versions of a system.
    init(_ subject: any CacheSubject, of system: SystemSuite) {
        self.subject = subject
        checks = system.checks
        suiteName = system.name
    }

    /// The checks of every cache, and its own.
    var suite: ConformanceSuite { ConformanceSuite(name: suiteName, checks: ConformanceSuite.cache.checks + checks) }
}
