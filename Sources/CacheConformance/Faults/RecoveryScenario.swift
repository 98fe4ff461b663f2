import CacheCore
import Foundation

/// What a store does when its files may not grow, as on a full disk, and when its directory is gone.
///
/// A child process is told by the system to let no file grow beyond a size: a write is then short or fails, as one to a full
/// disk does, and the limit can be taken back, which a full disk needs an administrator for.
struct RecoveryScenario: LetterKeys {
    private let context: CheckContext
    private static let first = CacheOperation.put(a, value(1, 300))
    private static let second = CacheOperation.put(a, value(2, 60_000))
    private static let third = CacheOperation.put(b, value(3, 300))
    private static let answers = AnswerBytes([first, second, third].map { $0.entry! })

    init(_ context: CheckContext) { self.context = context }

    /// FLT-9: what could not be written is an error or absent, and what was there before does not come back.
    func keepsNothingOld() throws(CheckStop) {
        for spare in [0, 10, 700, 8_000] {
            let steps = limited(spare) + ["\(Self.second)", "get \"a\"", "close", "open without a limit", "get \"a\""]
            let answers = try run(spare, [Self.second, .get(Self.a), .close], steps)
            guard answers.witness else { throw .blocked("the witness: the first value was not found") }
            let isStored = answers.results[0] == .done
            let new = OperationResult.entry(StoredEntry(Self.second.entry!.value))
            for (answer, moment) in [(answers.results[1], "at once"), (answers.end, "after another opening")] {
                try context.require(
                    answer == .entry(nil) || (isStored && answer == new),
                    observed: "\(ValueText.describe(answer, of: .get(Self.a))) \(moment), after the put answered "
                        + ValueText.describe(answers.results[0], of: Self.second),
                    permitted: isStored ? "value 2 (60000 bytes) or nil" : "nil", steps: steps)
            }
        }
    }

    /// FLT-10: when there is room again, what is put is stored.
    func worksAgain() throws(CheckStop) {
        for spare in [0, 10, 700] {
            let steps =
                limited(spare)
                + ["\(Self.second)", "take the limit back", "\(Self.third)", "get \"b\"", "close", "open", "get \"b\""]
            let answers = try run(spare, [Self.second, .flush, Self.third, .get(Self.b), .close], steps, endOfLimit: 1)
            guard answers.witness else { throw .blocked("the witness: the first value was not found") }
            let stored = OperationResult.entry(StoredEntry(Self.third.entry!.value))
            try context.require(
                answers.results[2] == .done && answers.results[3] == stored && answers.last == stored,
                observed: "put \(ValueText.describe(answers.results[2], of: Self.third)), get "
                    + "\(ValueText.describe(answers.results[3], of: .get(Self.b))), after another opening "
                    + ValueText.describe(answers.last, of: .get(Self.b)),
                permitted: "no error, and value 3 (300 bytes) both times", steps: steps)
        }
    }

    /// FLT-13: a store whose directory was deleted goes on, at the next opening at the latest with what is put from then on.
    func survivesDeletion() throws(CheckStop) {
        let steps = [
            "\(Self.first)", "delete the directory", "put and get \"b\" 4 times", "close", "open", "get \"b\"",
        ]
        let sandbox = try context.directory(steps: [])
        defer { sandbox.end() }
        let instance = try context.open(in: sandbox, steps: steps)
        _ = instance.perform(Self.first)
        Directory.delete(sandbox.directory!)
        var last = OperationResult.done
        for _ in 0..<4 {
            let put = instance.perform(Self.third)
            last = put == .done ? instance.perform(.get(Self.b)) : put
        }
        _ = instance.perform(.close)
        let again = try context.open(in: sandbox, steps: steps)
        defer { _ = again.perform(.close) }
        let found = again.perform(.get(Self.b))
        let stored = OperationResult.entry(StoredEntry(Self.third.entry!.value))
        try context.require(
            last == stored && found == stored,
            observed: "\(ValueText.describe(last, of: .get(Self.b))), and "
                + "\(ValueText.describe(found, of: .get(Self.b))) after another opening",
            permitted: "value 3 (300 bytes) both times", steps: steps)
    }

    // MARK: A child whose files cannot grow

    private struct Answers {
        /// Whether the first value was found before.
        var witness = false
        var results: [OperationResult] = []
        /// What the key of the first value has after another opening, and that of the third.
        var end = OperationResult.done
        var last = OperationResult.done
    }

    private func limited(_ spare: Int) -> [String] {
        ["\(Self.first)", "get \"a\"", "let no file grow by more than \(spare) bytes"]
    }

    private func run(
        _ spare: Int, _ operations: [CacheOperation], _ steps: [String], endOfLimit: Int = .max
    ) throws(CheckStop) -> Answers {
        guard !(context.subject is ProcessSubject) else {
            throw .blocked("the limits of a process that is not Assay's own cannot be set")
        }
        let sandbox = try context.directory(steps: [])
        defer { sandbox.end() }
        let (subject, directory) = (context.subject, sandbox.directory!)
        let lines = ForkedRun.report { tell in
            guard let instance = try? subject.open(CacheSetup(), in: directory) else { return }
            _ = instance.perform(Self.first)
            tell(Self.answers.byte(of: instance.perform(.get(Self.a))))
            FileLimit.set(FileLimit.largest(in: directory) + spare)
            for (index, operation) in operations.enumerated() {
                tell(Self.answers.byte(of: instance.perform(operation)))
                if index == endOfLimit { FileLimit.lift() }
            }
        }
        guard let lines, let witness = lines.first else { throw .noChild }
        var answers = Answers(witness: witness == Self.answers.byte(of: .entry(StoredEntry(Self.first.entry!.value))))
        answers.results = lines.dropFirst().map(Self.answers.result)
        try context.require(
            answers.results.count == operations.count,
            observed: "the process ended during \(operations[min(answers.results.count, operations.count - 1)])",
            permitted: "an answer to each operation", steps: steps)
        let instance = try context.open(in: sandbox, steps: steps)
        answers.end = instance.perform(.get(Self.a))
        answers.last = instance.perform(.get(Self.b))
        _ = instance.perform(.close)
        return answers
    }
}

/// How long a file of this process may become.
private enum FileLimit {
    static func largest(in directory: String) -> Int {
        Directory.files(directory).map(Directory.totalBytes).max() ?? 0
    }

    static func set(_ bytes: Int) {
        // Without this the process would end where a write must fail.
        signal(SIGXFSZ, SIG_IGN)
        change { $0.rlim_cur = min(rlim_t(bytes), $0.rlim_max) }
    }

    static func lift() { change { $0.rlim_cur = $0.rlim_max } }

    private static func change(_ body: (inout rlimit) -> Void) {
        #if canImport(Glibc)
            let resource = __rlimit_resource_t(UInt32(RLIMIT_FSIZE.rawValue))
        #else
            let resource = RLIMIT_FSIZE
        #endif
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return }
        body(&limit)
        setrlimit(resource, &limit)
    }
}
