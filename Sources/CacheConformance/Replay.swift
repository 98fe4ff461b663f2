public import CacheCore

/// A program that is run once more, operation by operation: what `assay conform --replay` prints.
public struct Replay: Sendable {
    /// One operation.
    public struct Step: Sendable, Hashable {
        /// The operation in words.
        public let operation: String
        /// The answer in words.
        public let observed: String
        /// What the claims permit instead; nil if they permit the answer.
        public let permitted: String?
    }

    /// The operations up to the first answer that is not permitted.
    public let steps: [Step]
    /// What was not permitted apart from answers, such as files outside the directory.
    public let remark: String?

    /// Runs a program on a fresh instance of a subject and holds every answer against the subject's claims.
    ///
    /// - Throws: `StoreError` if the subject cannot say what it claims.
    public init(_ program: Program, on subject: any CacheSubject) throws(StoreError) {
        let runner = ProgramRunner(subject: subject, claims: try subject.claims())
        var answers: [(CacheOperation, OperationResult)] = []
        let run = runner.run(program) { answers.append(($0, $1)) }
        steps = answers.enumerated().map { index, answer in
            Step(
                operation: "\(answer.0)", observed: ValueText.describe(answer.1, of: answer.0),
                permitted: run.divergence?.index == index ? run.divergence?.permitted : nil)
        }
        let divergence = run.divergence.flatMap { $0.index < answers.count ? nil : $0 }
        remark = divergence.map { "\($0.observed); permitted \($0.permitted)" }
    }

    /// Whether every answer was permitted.
    public var isPermitted: Bool { remark == nil && steps.allSatisfy { $0.permitted == nil } }
}
