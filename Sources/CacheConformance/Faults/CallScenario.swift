import CacheCore
import Foundation

/// What a store does when calls of the operating system fail, each in turn, while it works in a child process.
struct CallScenario: LetterKeys {
    private let context: CheckContext
    private let old: CacheOperation
    private let new: CacheOperation
    private let other: CacheOperation
    private let later: CacheOperation
    /// The calls of one operation, or of an opening, that are tried at most.
    private static let callsMax = 400

    init(_ context: CheckContext) {
        self.context = context
        let storesExpiry = context.claims.claims(.storedExpiry)
        func put(_ number: Int, _ key: [UInt8], _ byteCount: Int) -> CacheOperation {
            .put(key, value(number, byteCount), expiresAtNanoseconds: storesExpiry ? Int64(number) << 56 : nil)
        }
        (old, new) = (put(1, Self.a, 300), put(2, Self.a, min(60_000, context.claims.valueBytesMax)))
        (other, later) = (put(3, Self.b, 300), put(4, Self.b, 200))
    }

    private var answers: AnswerBytes { AnswerBytes([old, new, other, later].map { $0.entry! }) }
    private func found(_ put: CacheOperation) -> OperationResult { .entry(put.entry) }

    /// Nil where calls of a subject can be made to fail; otherwise why not.
    static func absence(for subject: any CacheSubject) -> String? {
        guard subject.needsDirectory else { return "the subject has no directory" }
        guard !(subject is ProcessSubject) else {
            return "the calls of a process that is not Assay's own cannot be made to fail"
        }
        return FailingCalls.absence
    }

    private func requireLibrary() throws(CheckStop) {
        if let absence = Self.absence(for: context.subject) { throw .blocked(absence) }
    }

    // MARK: Writing

    /// Overwrites an entry while one call fails, each in turn; what is found then, at once and after another opening, is the new
    /// entry if the put was acknowledged, and otherwise the old one or none.
    func overwrites(_ kinds: FailingCalls.Kinds, _ failures: [FailingCalls.Failure]) throws(CheckStop) {
        try requireLibrary()
        var failed = 0
        for failure in failures {
            failed += try eachCall { (call) throws(CheckStop) in
                let steps = [
                    "\(old)", "\(other)", "let call \(call) of \(kinds.words) \(failure.words)", "\(new)", "get \"a\"",
                    isKilled ? "kill the process" : "close", "open", "get \"a\"", "get \"b\"",
                ]
                let run = try run(
                    [old, other, .get(Self.a)], kinds, failure, call...call, [new], after: [.get(Self.a)], steps)
                try context.require(
                    run.before.last == found(old), observed: "nothing to overwrite", permitted: "\(old)", steps: steps)
                try judge(run, steps)
                return run.failed > 0
            }
        }
        try requireFailed(failed)
    }

    private func judge(_ run: Run, _ steps: [String]) throws(CheckStop) {
        let isStored = run.during[0] == .done
        let (retains, claims) = (context.claims.retains, context.claims)
        // A cache that promises to recover does not serve what a put was to replace.
        let mayKeepOld = !claims.claims(.recovers)
        var now = isStored ? [found(new)] : [.entry(nil)] + (mayKeepOld ? [found(old)] : [])
        if !retains { now.append(.entry(nil)) }
        var then = now
        if !isStored, !claims.undoesFailedPuts { then.append(found(new)) }
        let put = "the put answered \(ValueText.describe(run.during[0], of: new))"
        for (answer, permitted, moment) in [
            (run.after[0], now, "at once"), (run.end[0], then, "after another opening"),
        ] {
            let isFailure = if case .failure = answer { true } else { false }
            try context.require(
                permitted.contains(answer) || isFailure && !isStored && moment == "at once",
                observed: "\(put), and get \(moment): \(ValueText.describe(answer, of: .get(Self.a)))",
                permitted: permitted.map { ValueText.describe($0, of: .get(Self.a)) }.joined(separator: " or "),
                steps: steps)
        }
        try context.require(
            run.end[1] == found(other) || !retains && run.end[1] == .entry(nil),
            observed: "\(put), and the other key has \(ValueText.describe(run.end[1], of: .get(Self.b)))",
            permitted: "\(other)", steps: steps)
    }

    /// Lets every call fail from one on, each in turn, as on a full disk; then there is room again, and what is put is found.
    func worksAgain() throws(CheckStop) {
        try requireLibrary()
        let kinds: FailingCalls.Kinds = [.writes, .lengths, .names]
        let failed = try eachCall { (call) throws(CheckStop) in
            let steps = [
                "\(old)", "let calls from \(call) on of \(kinds.words) \(FailingCalls.Failure.noRoom.words)", "\(new)",
                "let none fail", "\(later)", "get \"b\"", isKilled ? "kill the process" : "close", "open", "get \"b\"",
                "\(later)", "get \"b\"",
            ]
            let run = try run(
                [old], kinds, .noRoom, call...Int.max, [new], after: [later, .get(Self.b)], steps, again: [later])
            let isStored = run.after[0] == .done
            try context.require(
                isStored ? run.after[1] == found(later) : !context.claims.claims(.recovers),
                observed: "put \(ValueText.describe(run.after[0], of: later)), get "
                    + ValueText.describe(run.after[1], of: .get(Self.b)),
                permitted: "no error, and \(later)", steps: steps)
            try context.require(
                run.end.suffix(2) == [.done, found(later)] && (!isStored || run.end[1] == found(later)),
                observed: "after another opening get \(ValueText.describe(run.end[1], of: .get(Self.b))), put "
                    + "\(ValueText.describe(run.end[2], of: later)), get "
                    + ValueText.describe(run.end[3], of: .get(Self.b)),
                permitted: "\(later)", steps: steps)
            return run.failed > 0
        }
        try requireFailed(failed)
    }

    /// A put whose request to make bytes durable failed is an error, unless the bytes were written once more.
    func acknowledgesNothingFalse() throws(CheckStop) {
        try requireLibrary()
        guard context.claims.durability >= .power else { return }
        for isLasting in [false, true] {
            let failed = try eachCall { (call) throws(CheckStop) in
                let steps = [
                    "\(old)",
                    "let call \(call)\(isLasting ? " and all after it" : "") of fsync, fdatasync or msync "
                        + FailingCalls.Failure.device.words, "\(new)",
                ]
                let run = try run(
                    [old], .syncs, .device, call...(isLasting ? Int.max : call), [new], after: [], steps)
                try context.require(
                    run.during[0] != .done || run.failed == 0 || !isLasting && run.writesSinceFailure > 0,
                    observed: "the put is acknowledged, though \(run.failed) requests to make it durable failed",
                    permitted: "an error", steps: steps)
                return run.failed > 0
            }
            try requireFailed(failed)
        }
    }

    // MARK: Reading

    /// Reads while one call fails, each in turn, from the opening on: no wrong value, and afterwards everything is there.
    func reads() throws(CheckStop) {
        try requireLibrary()
        let faults: [(FailingCalls.Kinds, FailingCalls.Failure)] = [
            ([.opens, .names], .noDescriptor), (.opens, .noRights), ([.reads, .opens], .device), (.reads, .half),
        ]
        var failed = 0
        for (kinds, failure) in faults {
            failed += try eachCall { (call) throws(CheckStop) in
                let steps = [
                    "\(old)", "\(other)", "close", "let call \(call) of \(kinds.words) \(failure.words)",
                    "open, and again if that fails", "get \"a\"", "let none fail", "get \"a\"", "get \"b\"",
                    isKilled ? "kill the process" : "close", "open", "get \"a\"", "get \"b\"",
                ]
                let run = try run(
                    filled: [old, other, .close], [], kinds, failure, call...call, [.get(Self.a)],
                    after: [.get(Self.a), .get(Self.b)], steps)
                let isMiss = if case .failure = run.during[0] { true } else { run.during[0] == .entry(nil) }
                try context.require(
                    run.during[0] == found(old) || isMiss,
                    observed: ValueText.describe(run.during[0], of: .get(Self.a)),
                    permitted: "\(old), nil or an error", steps: steps)
                let kept = [found(old), found(other)]
                for (answers, moment) in [
                    (run.after, "afterwards"), (Array(run.end.prefix(2)), "after another opening"),
                ] {
                    try context.require(
                        answers == kept,
                        observed: "\(moment) get \"a\" \(ValueText.describe(answers[0], of: .get(Self.a))), get \"b\" "
                            + ValueText.describe(answers[1], of: .get(Self.b)),
                        permitted: "\(old), \(other)", steps: steps)
                }
                return run.failed > 0
            }
        }
        try requireFailed(failed)
    }

    // MARK: A child whose calls fail

    private struct Run {
        /// What was answered before, while calls failed, and after.
        var before: [OperationResult] = []
        var during: [OperationResult] = []
        var after: [OperationResult] = []
        /// What another process is answered then: get "a", get "b", and what was asked for besides.
        var end: [OperationResult] = []
        /// How many calls failed, and how many writes came after the last.
        var failed = 0
        var writesSinceFailure = 0
    }

    /// Whether the child is killed at the end; a store that survives only an orderly end is closed.
    private var isKilled: Bool { context.claims.durability >= .kill && !context.claims.claims(.recovers) }

    /// Calls `body` with 1, 2, 3 … until it says that no call failed, and returns how many did.
    private func eachCall(_ body: (Int) throws(CheckStop) -> Bool) throws(CheckStop) -> Int {
        for call in 1...Self.callsMax where try !body(call) { return call - 1 }
        throw .inconclusive("more than \(Self.callsMax) calls are made, and the rest were not tried")
    }

    /// A store that makes no such call, or makes it later, has not been tried.
    private func requireFailed(_ count: Int) throws(CheckStop) {
        guard count > 0 else { throw .blocked("the witness: no call was made that could fail") }
    }

    private func run(
        filled: [CacheOperation] = [], _ before: [CacheOperation], _ kinds: FailingCalls.Kinds,
        _ failure: FailingCalls.Failure,
        _ calls: ClosedRange<Int>, _ during: [CacheOperation], after: [CacheOperation], _ steps: [String],
        again: [CacheOperation] = []
    ) throws(CheckStop) -> Run {
        let sandbox = try context.directory(steps: steps)
        defer { sandbox.end() }
        if !filled.isEmpty {
            let store = try context.open(in: sandbox, steps: steps)
            for operation in filled { _ = store.perform(operation) }
        }
        let (subject, directory, answers, closes) = (context.subject, sandbox.directory!, answers, !isKilled)
        let lines = ForkedRun.report { tell in
            if !filled.isEmpty { FailingCalls.arm(kinds, failure, calls: calls, below: directory) }
            var opened = try? subject.open(CacheSetup(), in: directory)
            if opened == nil {
                FailingCalls.disarm()
                opened = try? subject.open(CacheSetup(), in: directory)
            }
            guard let instance = opened else { return }
            for operation in before { tell(answers.byte(of: instance.perform(operation))) }
            if filled.isEmpty { FailingCalls.arm(kinds, failure, calls: calls, below: directory) }
            for operation in during { tell(answers.byte(of: instance.perform(operation))) }
            let (failed, writes) = (FailingCalls.failed, FailingCalls.writesSinceFailure)
            FailingCalls.disarm()
            tell(UInt8(clamping: failed))
            tell(UInt8(clamping: writes))
            for operation in after { tell(answers.byte(of: instance.perform(operation))) }
            // Killed while it is open: letting go of it might do what a kill prevents.
            if closes { _ = instance.perform(.close) } else { withExtendedLifetime(instance) { ForkedRun.endNow() } }
        }
        guard let lines else { throw .noChild }
        try context.require(
            lines.count == before.count + during.count + 2 + after.count,
            observed: "the process ended after \(lines.count) answers", permitted: "an answer to each operation",
            steps: steps)
        var run = Run()
        run.before = lines.prefix(before.count).map(answers.result)
        run.during = lines.dropFirst(before.count).prefix(during.count).map(answers.result)
        let rest = lines.dropFirst(before.count + during.count)
        (run.failed, run.writesSinceFailure) = (Int(rest.first!), Int(rest.dropFirst().first!))
        run.after = rest.dropFirst(2).map(answers.result)
        let store = try context.open(in: sandbox, steps: steps)
        for operation in [.get(Self.a), .get(Self.b)] + again + again.map({ .get($0.key!) }) {
            run.end.append(answers.result(answers.byte(of: store.perform(operation))))
        }
        _ = store.perform(.close)
        return run
    }
}

extension FailingCalls.Kinds {
    /// The calls in words.
    fileprivate var words: String {
        let names: [(FailingCalls.Kinds, String)] = [
            (.writes, "write"), (.lengths, "ftruncate and fallocate"), (.syncs, "fsync"),
            (.names, "open, rename and unlink"),
            (.reads, "read"), (.opens, "open"), (.closes, "close"),
        ]
        return names.filter { contains($0.0) }.map(\.1).joined(separator: ", ")
    }
}
