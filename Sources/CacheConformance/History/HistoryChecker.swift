public import CacheCore

/// Says whether a history is linearizable: whether a cache that does one operation after the other, each at some moment
/// between its call and its return, could have given every answer.
///
/// Keys do not depend on each other, so each is judged alone (Herlihy and Wing, "Linearizability", 1990, theorem 1), the
/// shortest first. Unique writes, reads, misses and removals are decided by their zones in O(n log n); what is left goes to
/// a search, which ends at a limit of time or of configurations and then says so.
///
/// ```swift
/// let report = try HistoryChecker(.evicting).check(history)
/// if case .notLinearizable(let violation) = report.verdict { print(violation.reason) }
/// ```
public struct HistoryChecker: Sendable {
    /// What the cache may do beside what it is asked.
    public var semantics: HistorySemantics
    /// How long a check may take, in seconds above 0. The making of a witness may take as long again.
    public var limitSeconds: Double
    /// How many configurations the searches of one check may go through. A configuration takes 24 to 48 bytes while its key
    /// is searched.
    public var configurationLimit: Int

    /// A checker; by default it has 60 s and 8 million configurations.
    public init(
        _ semantics: HistorySemantics = .exact, limitSeconds: Double = 60, configurationLimit: Int = 8_000_000
    ) {
        self.semantics = semantics
        self.limitSeconds = limitSeconds
        self.configurationLimit = configurationLimit
    }

    /// Judges a history.
    ///
    /// - Throws: `AssayError` with code `badInput` for an operation that returns before it is called or has numbers outside
    ///   their range, and `usage` for ``HistoryOperation/Kind/append`` on a cache that may drop values: what a text is
    ///   appended to is then anybody's guess.
    public func check(_ history: History) throws(AssayError) -> HistoryReport {
        try validate(history)
        var report = HistoryReport(
            verdict: .linearizable, operations: history.operations.count, keys: 0, keysByZones: 0, configurations: 0)
        var budget = SearchBudget(seconds: limitSeconds, configurations: configurationLimit)
        var texts = AppendedTexts(history.valueNames)
        let values = history.operations.reduce(Int32(0)) { max($0, $1.argument, $1.expected, $1.result) }
        var zones = ZoneCheck(semantics, values: Int(values) + 1)
        for operations in Self.byKey(history.operations) {
            report.keys += 1
            let finding = judge(operations, &zones, &texts, &budget)
            if finding.isByZones { report.keysByZones += 1 }
            switch finding.verdict {
            case .linearizable: break
            case .unknown: if case .linearizable = report.verdict { report.verdict = finding.verdict }
            case .notLinearizable:
                if case .notLinearizable(var first) = report.verdict {
                    first.keysAtFault += 1
                    report.verdict = .notLinearizable(first)
                } else {
                    report.verdict = explained(finding.verdict, operations, history, texts)
                }
            }
        }
        report.configurations = configurationLimit - max(0, budget.configurations)
        return report
    }

    /// The verdict of one key. A search's violation holds the blocked operation alone until it is explained.
    private func judge(
        _ operations: [HistoryOperation], _ zones: inout ZoneCheck, _ texts: inout AppendedTexts,
        _ budget: inout SearchBudget
    ) -> (verdict: HistoryVerdict, isByZones: Bool) {
        func impossible(_ witness: [HistoryOperation], _ reason: String) -> HistoryVerdict {
            .notLinearizable(
                HistoryViolation(
                    key: operations[0].key, keysAtFault: 1, witness: witness, knowsInitialState: true, reason: reason))
        }
        switch zones.judge(operations) {
        case .linearizable: return (.linearizable, true)
        case .impossible(let witness, let fault): return (impossible(witness, fault.reason), true)
        case .undecided, nil: break
        }
        let candidates = Self.withoutUnreadWrites(operations)
        var search = LinearizabilitySearch(candidates, RegisterModel(semantics))
        switch search.run(from: HistoryOperation.absent, &texts, &budget) {
        case .linearizable: return (.linearizable, false)
        case .exhausted:
            let limit =
                texts.isFull
                ? "the limit of \(AppendedTexts.bytesMax >> 20) MiB of appended texts"
                : budget.isLate ? "the limit of \(limitSeconds) s" : "the limit of \(configurationLimit) configurations"
            return (.unknown("\(limit) was reached at a key with \(operations.count) operations"), false)
        case .impossible(let blocked): return (impossible([candidates[blocked]], ""), false)
        }
    }

    /// A search's violation with a witness that is as small as can soon be found.
    private func explained(
        _ verdict: HistoryVerdict, _ operations: [HistoryOperation], _ history: History, _ texts: AppendedTexts
    ) -> HistoryVerdict {
        guard case .notLinearizable(var violation) = verdict, violation.reason.isEmpty else { return verdict }
        var finder = WitnessFinder(
            semantics: semantics, texts: texts,
            budget: SearchBudget(seconds: limitSeconds, configurations: min(configurationLimit, 1_000_000)))
        let blocked = violation.witness[0]
        (violation.witness, violation.knowsInitialState) = finder.witness(operations, blocked: blocked)
        let count = violation.witness.count
        violation.reason =
            "no order of \(count == 1 ? "this operation" : "these \(count) operations") explains the answer to "
            + "'\(history.text(of: blocked))' of client \(blocked.client)"
        return .notLinearizable(violation)
    }

    private func validate(_ history: History) throws(AssayError) {
        for (index, operation) in history.operations.enumerated() {
            if operation.returnTime < operation.callTime {
                throw AssayError(
                    .badInput,
                    "Operation \(index + 1), '\(history.text(of: operation))', returns at \(operation.returnTime) before it "
                        + "is called at \(operation.callTime). Take both times from one monotonic clock.")
            }
            if operation.argument < 0 || operation.expected < 0 || operation.result < HistoryOperation.unknown {
                throw AssayError(
                    .badInput, "Operation \(index + 1) has a negative value. Number values from 1; 0 is absence.")
            }
            if operation.kind == .append, semantics != .exact {
                throw AssayError(
                    .usage,
                    "The history appends, which has no meaning where values may be dropped. Check it with exact semantics."
                )
            }
        }
    }
}

extension HistoryChecker {
    /// The operations of each key as the checks take them: the key with the fewest first, then by the key's number.
    static func byKey(_ operations: [HistoryOperation]) -> [[HistoryOperation]] {
        var slotOfKey: [Int32: Int] = [:]
        var groups: [[HistoryOperation]] = []
        for operation in operations {
            guard let operation = normalised(operation) else { continue }
            if let slot = slotOfKey[operation.key] {
                groups[slot].append(operation)
            } else {
                slotOfKey[operation.key] = groups.count
                groups.append([operation])
            }
        }
        return groups.sorted { ($0.count, $0[0].key) < ($1.count, $1[0].key) }
    }

    /// An operation as it constrains orders; nil if it does not.
    private static func normalised(_ operation: HistoryOperation) -> HistoryOperation? {
        var operation = operation
        if operation.isPending { operation.result = HistoryOperation.unknown }
        guard operation.result == HistoryOperation.unknown else { return operation }
        switch operation.kind {
        case .get, .contains: return nil
        // Nobody knows whether it did anything, so it may as well never have happened, or later.
        case .putIfAbsent, .replace, .compareAndSet: operation.returnTime = HistoryOperation.never
        case .put, .append, .remove, .getAndPut, .getAndRemove: break
        }
        return operation
    }

    /// Leaves out pending writes of values that nobody saw, where nothing asks for the presence of a value alone: they
    /// cannot help any order.
    private static func withoutUnreadWrites(_ operations: [HistoryOperation]) -> [HistoryOperation] {
        guard operations.contains(where: \.isPending) else { return operations }
        var seen: Set<Int32> = []
        for operation in operations {
            switch operation.kind {
            case .get, .getAndPut, .getAndRemove: seen.insert(operation.result)
            case .put: break
            default: return operations
            }
        }
        return operations.filter { !$0.isPending || $0.kind == .getAndRemove || seen.contains($0.argument) }
    }
}

extension ZoneCheck.ZoneFault {
    /// The fault in a sentence.
    fileprivate var reason: String {
        switch self {
        case .unwritten: "a value was read that nobody wrote"
        case .early: "a value was read before its write was called"
        case .overlap: "two values were each the newest at the same time"
        case .inside: "a value that was replaced, removed or missing was seen again"
        }
    }
}
