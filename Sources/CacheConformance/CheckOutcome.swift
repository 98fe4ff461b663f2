public import CacheCore

/// What came of a check.
public enum CheckOutcome: Sendable, Hashable {
    /// The assertion held, and the witness was seen.
    case pass
    /// The assertion did not hold.
    case fail(CheckFailure)
    /// The subject does not make these claims, so the check is not due.
    case notClaimed([String])
    /// The question could not be put, for this reason.
    case blocked(by: String)
    /// The answer could not be decided.
    case inconclusive(String)
    /// What a survey found.
    case recorded(String)
    /// The subject's process ended before there was an answer.
    case crashed(String)
    /// There was no answer within the deadline.
    case hung(String)

    /// What is said of a check that was not asked, since the time for all was over.
    public static let notAsked = CheckOutcome.inconclusive("the run ended before it was asked")

    /// One word for tables and files.
    public var name: String {
        switch self {
        case .pass: "pass"
        case .fail: "fail"
        case .notClaimed: "not claimed"
        case .blocked: "blocked"
        case .inconclusive: "inconclusive"
        case .recorded: "recorded"
        case .crashed: "crashed"
        case .hung: "hung"
        }
    }

    /// Whether the subject was found wanting: a failure, a crash or a hang.
    public var isNegative: Bool {
        switch self {
        case .fail, .crashed, .hung: true
        default: false
        }
    }

    /// What goes with the word: the missing claims, the reason, the finding.
    public var detail: String? {
        switch self {
        case .pass: nil
        case .fail(let failure): "observed \(failure.observed); permitted \(failure.permitted)"
        case .notClaimed(let claims): claims.joined(separator: ", ")
        case .blocked(let reason), .inconclusive(let reason), .recorded(let reason), .crashed(let reason),
            .hung(let reason):
            reason
        }
    }
}

/// How a check failed, with everything needed to see it again.
public struct CheckFailure: Sendable, Hashable, Codable, CustomStringConvertible {
    /// The seed that the check ran with.
    public var seed: UInt64
    /// The claims that made the check due, or `core`.
    public var dueTo: String
    /// The operation of which the rule does not hold, where the check asks it of several; nil elsewhere.
    public var operation: String?
    /// What the subject did.
    public var observed: String
    /// What it was allowed to do.
    public var permitted: String
    /// The smallest program that was found to fail; nil where the failure is not one of a sequence of operations.
    public var program: Program?
    /// Where there is no program: what was done, in words. Beside one: that it may be smaller, if not everything was tried.
    public var steps: [String]
    /// How the subject's process ended, where that is the failure.
    public var end: ProcessEnd?
    /// What several clients saw, where that is the failure: its timeline.
    public var history: HistoryResult?
    /// How many operations the subject was asked for until the failure was seen, before the program was made smaller; nil
    /// where they were not counted.
    public var operationsAsked: Int?

    /// How a subject's process can fail to answer.
    public enum ProcessEnd: String, Sendable, Hashable, Codable {
        /// It ended.
        case crashed
        /// It did not answer in time.
        case hung

        init?(_ error: StoreError?) { self.init(rawValue: error?.code.rawValue ?? "") }
    }

    /// The forms of a reproducer.
    public enum Reproducer: String, Sendable, Hashable, CaseIterable {
        /// Statements in Swift.
        case swift
        /// What `assay conform --replay` runs.
        case json
        /// What a subject in a child process is asked.
        case `protocol`
        /// The operations with the moments at which they are asked for, and what came of the last.
        case timeline
    }

    /// What was seen, what was permitted, and how to see it again in Swift.
    public var description: String { text(reproducer: .swift) }

    /// What was seen, what was permitted, and how to see it again.
    public func text(reproducer form: Reproducer) -> String {
        let end = form == .timeline ? "\n→ \(observed); permitted \(permitted)" : ""
        let how =
            program.map { (["Reproducer:\n" + indented($0.text(form) + end)] + steps).joined(separator: "\n  ") }
            ?? "Steps:\n" + indented(steps.joined(separator: "\n"))
        return "  observed:  \(observed)\n  permitted: \(permitted)\n  claim:     \(dueTo), seed \(seed)\n  \(how)"
    }

    private func indented(_ text: String) -> String {
        text.split(separator: "\n").map { "    " + $0 }.joined(separator: "\n")
    }

    static func unopened(_ error: StoreError, seed: UInt64) -> CheckFailure {
        CheckFailure(
            seed: seed, dueTo: "every cache", observed: "opening threw \(error)", permitted: "an open store",
            program: nil, steps: ["open a store in a fresh directory"], end: ProcessEnd(error))
    }
}

/// A check with what came of it.
public struct CheckResult: Sendable, Hashable {
    /// The check's id.
    public let id: String
    /// The check's revision; 1 in reports that do not say.
    public let revision: Int
    /// What the verdict means.
    public let kind: Check.Kind
    /// What must be so.
    public let assertion: String
    /// The id, and where the check asks one rule of several operations the one that broke it, such as `TTL-5[exchange]`.
    public var title: String { failure?.operation.map { "\(id)[\($0)]" } ?? id }
    /// What came of it.
    public internal(set) var outcome: CheckOutcome
    /// How to see a failure again; also where the subject's process ended, if it is known what it was asked, and where the
    /// failure is explained by another.
    public let failure: CheckFailure?
    /// The check whose failure explains the failure of this one, which is blocked by it.
    public internal(set) var blockedBy: String?
    /// Why the caller expects the check to fail; nil where nobody does.
    public var known: String?

    /// Whether the subject does not claim what the check is about.
    public var isNotClaimed: Bool { if case .notClaimed = outcome { true } else { false } }

    init(_ check: Check, _ outcome: CheckOutcome) {
        let failure: CheckFailure? = if case .fail(let failure) = outcome { failure } else { nil }
        self.init(check, outcome, failure)
    }

    /// A check that failed, or made the subject's process end.
    init(_ check: Check, failed failure: CheckFailure) {
        let outcome: CheckOutcome =
            switch failure.end {
            case .crashed: .crashed(failure.observed)
            case .hung: .hung(failure.observed)
            case nil: .fail(failure)
            }
        self.init(check, outcome, failure)
    }

    private init(_ check: Check, _ outcome: CheckOutcome, _ failure: CheckFailure?) {
        (id, revision, kind, assertion) = (check.id, check.head.revision, check.kind, check.assertion)
        (self.outcome, self.failure) = (outcome, failure)
    }
}

extension CheckResult: Codable {
    private enum Key: String, CodingKey {
        case id, revision, kind, assertion, outcome, detail, claims, failure, blockedBy, known
    }

    /// Reads a result.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        id = try container.decode(String.self, forKey: .id)
        revision = try container.decodeIfPresent(Int.self, forKey: .revision) ?? 1
        blockedBy = try container.decodeIfPresent(String.self, forKey: .blockedBy)
        known = try container.decodeIfPresent(String.self, forKey: .known)
        kind = try container.decode(Check.Kind.self, forKey: .kind)
        assertion = try container.decode(String.self, forKey: .assertion)
        let detail = try container.decodeIfPresent(String.self, forKey: .detail) ?? ""
        failure = try container.decodeIfPresent(CheckFailure.self, forKey: .failure)
        switch try container.decode(String.self, forKey: .outcome) {
        case "pass": outcome = .pass
        case "fail": outcome = .fail(try container.decode(CheckFailure.self, forKey: .failure))
        case "not claimed": outcome = .notClaimed(try container.decode([String].self, forKey: .claims))
        case "blocked": outcome = .blocked(by: detail)
        case "inconclusive": outcome = .inconclusive(detail)
        case "recorded": outcome = .recorded(detail)
        case "crashed": outcome = .crashed(detail)
        case "hung": outcome = .hung(detail)
        case let other:
            throw DecodingError.dataCorruptedError(
                forKey: .outcome, in: container, debugDescription: "unknown outcome '\(other)'")
        }
    }

    /// Writes the result with the outcome as a word and what belongs to it beside it.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(id, forKey: .id)
        try container.encode(revision, forKey: .revision)
        try container.encode(kind, forKey: .kind)
        try container.encode(assertion, forKey: .assertion)
        try container.encode(outcome.name, forKey: .outcome)
        try container.encodeIfPresent(outcome.detail, forKey: .detail)
        if case .notClaimed(let claims) = outcome { try container.encode(claims, forKey: .claims) }
        try container.encodeIfPresent(failure, forKey: .failure)
        try container.encodeIfPresent(blockedBy, forKey: .blockedBy)
        try container.encodeIfPresent(known, forKey: .known)
    }
}
