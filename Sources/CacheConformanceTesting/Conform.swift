public import CacheConformance
import CacheCore
import CachePolicies
import Foundation
public import Testing

/// Where a test asks its checks.
public struct CheckPlace: Sendable, Hashable {
    /// How long a check may take, in seconds, and how much memory its process may hold, in bytes; nil for this process.
    let limits: Limits?

    struct Limits: Hashable {
        var deadlineSeconds: Double
        var bytesMax: Int
    }

    /// In the process of the test, which a trap ends with every check that is left.
    public static let inThisProcess = CheckPlace(limits: nil)

    /// Each check in a child process of its own, for at most 60 seconds and 4 GiB.
    public static let inChildProcess = inChildProcess()

    /// Each check in a child process of its own: a trap, a deadlock or memory without end fails that check, and the others go on.
    ///
    /// - Parameters:
    ///   - deadlineSeconds: How long a check may take, in seconds.
    ///   - bytesMax: How much memory its process may hold, in bytes; seen on Linux alone.
    public static func inChildProcess(deadlineSeconds: Double = 60, bytesMax: Int = 4 << 30) -> CheckPlace {
        CheckPlace(limits: Limits(deadlineSeconds: deadlineSeconds, bytesMax: bytesMax))
    }
}

/// Asks a check of a subject, and throws if the answer is wrong: the body of a test with the checks as its arguments.
///
/// What was not asked or has no verdict is no pass: the test case is cancelled, and a line says why: a check whose claims are not made, one
/// that is blocked or inconclusive, and one that only records what it sees. An order of eviction that is claimed is compared with the
/// built-in policy of that name, unless the subject has a policy of its own.
///
/// In a child process the whole test is run again, up to this call: what stands before it is done there too, and the name of the subject
/// must be the same.
///
/// - Parameters:
///   - subject: The cache.
///   - check: The check.
///   - place: Where the check is asked.
///   - seed: The seed of random programs. Equal seeds ask equal questions.
/// - Throws: `ConformanceFailure` for a failure, a crash or a hang, and `AssayError` where the check cannot be asked.
public func conform(
    _ subject: any CacheSubject, to check: Check, _ place: CheckPlace = .inThisProcess, seed: UInt64 = 1,
    sourceLocation: SourceLocation = #_sourceLocation
) throws {
    let site = "\(sourceLocation.fileID):\(sourceLocation.line):\(sourceLocation.column)"
    let subject = try ordered(subject)
    if CheckProcess.isChild { return CheckProcess.answer(check, subject, at: site) }
    let result = try answer(check, subject, place, site, seed)
    if let failure = result.failure { throw ConformanceFailure(subject: subject.name, check: check, failure: failure) }
    if result.outcome == .pass { return }
    let words = "\(result.outcome.name): \(result.outcome.detail ?? "")"
    // Of a cancelled case Swift Testing tells tools, and nobody else.
    FileHandle.standardError.write(Data("➜ \(check.id) skipped, \(words)\n".utf8))
    try Test.cancel(Comment(rawValue: words), sourceLocation: sourceLocation)
}

/// Asks the checks of a suite of a subject, and records one issue for each likely cause of failures, which names every check that
/// fails by it or is blocked by it: the body of a test without arguments. One line tells the score.
///
/// A child process of a check runs the test again, as with one check.
///
/// - Parameters:
///   - subject: The cache.
///   - suite: The checks, such as `ConformanceSuite.cache.limited(to: .core)`.
///   - place: Where each check is asked.
///   - seed: The seed of random programs. Equal seeds ask equal questions.
/// - Throws: `AssayError` where a check cannot be asked.
public func conform(
    _ subject: any CacheSubject, to suite: ConformanceSuite, _ place: CheckPlace = .inThisProcess, seed: UInt64 = 1,
    sourceLocation: SourceLocation = #_sourceLocation
) throws {
    let site = "\(sourceLocation.fileID):\(sourceLocation.line):\(sourceLocation.column)"
    let subject = try ordered(subject)
    if CheckProcess.isChild { return suite.checks.forEach { CheckProcess.answer($0, subject, at: site) } }
    var trouble: (any Error)?
    let report = suite.run(onSubjectNamed: subject.name, seed: seed, progress: { _ in }) { check in
        do {
            if trouble == nil { return CheckAnswer(try answer(check, subject, place, site, seed), isPresent: false) }
        } catch { trouble = error }
        return CheckAnswer(check, endedWith: .notAsked)
    }
    if let trouble { throw trouble }
    for cause in report.likelyCauses {
        guard let first = report.failures.first(where: { $0.id == cause.checks[0] }) else { continue }
        let rest = [("also failing", Array(cause.checks.dropFirst())), ("blocked by this", cause.blocked)]
        let words =
            ["\(cause.title)", "\(subject.name) fails \(first.title) \(first.assertion)"]
            + (first.failure.map { ["\($0)"] } ?? [])
            + rest.filter { !$0.1.isEmpty }.map { "  \($0.0): \($0.1.joined(separator: ", "))" }
        Issue.record(Comment(rawValue: words.joined(separator: "\n")), sourceLocation: sourceLocation)
    }
    let score =
        "\(report.count(of: "pass")) of \(report.judged) checks pass, \(report.likelyCauses.count) causes of failures"
    FileHandle.standardError.write(Data("➜ \(subject.name): \(score)\n".utf8))
}

/// What comes of one check, in the place where it is to be asked.
private func answer(
    _ check: Check, _ subject: any CacheSubject, _ place: CheckPlace, _ site: String, _ seed: UInt64
) throws -> CheckResult {
    guard let limits = place.limits, try check.isDue(for: subject.claims()) else {
        return check.run(on: subject, seed: seed)
    }
    let process = CheckProcess(
        arguments: try arguments(), place: site, deadlineSeconds: limits.deadlineSeconds, bytesMax: limits.bytesMax)
    return try process.ask(check, of: subject, seed: seed)
}

/// A subject with the built-in policy whose order it claims.
private func ordered(_ subject: any CacheSubject) throws -> any CacheSubject {
    guard !(subject is ProcessSubject), subject.orderPolicy == nil, let claims = try? subject.claims(),
        let order = claims.order
    else { return subject }
    let policies = BuiltinPolicies.all
    guard let policy = policies.first(where: { $0.descriptor.name == order }) else {
        let near = nearestName(to: order, among: policies.map(\.descriptor.name)).map { " Did you mean '\($0)'?" } ?? ""
        throw AssayError(
            .usage, "\(subject.name) claims the order '\(order)', and no built-in policy has that name.\(near)")
    }
    return ClaimedSubject(subject, claims: claims, orderPolicy: policy)
}

/// The command line by which this program comes to the test that runs.
private func arguments() throws -> [String] {
    guard let test = Test.current, let program = Bundle.main.executablePath else {
        throw AssayError(
            .usage, "A check in a child process is asked by a test of Swift Testing, whose function calls 'conform'.")
    }
    // A helper of Swift's on macOS is told first which bundle to load.
    let given = CommandLine.arguments
    let bundle = given.firstIndex(of: "--test-bundle-path").map { Array(given[$0..<min($0 + 2, given.count)]) } ?? []
    let name = "\(test.id)".map { "\\.+*?^$()[]{}|/".contains($0) ? "\\\($0)" : "\($0)" }.joined()
    return [program] + bundle + ["--testing-library", "swift-testing", "--quiet", "--filter", "^\(name)$"]
}
