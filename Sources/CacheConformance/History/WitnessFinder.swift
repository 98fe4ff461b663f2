/// Makes a violation small: the shortest piece of one key's history that no order explains, without the reads that are
/// not needed.
///
/// Every piece is a weaker demand than the whole, so it can only be impossible if the whole is.
struct WitnessFinder {
    let semantics: HistorySemantics
    var texts: AppendedTexts
    var budget: SearchBudget
    /// No more pieces than this are tried.
    private var triesLeft = 600

    init(semantics: HistorySemantics, texts: AppendedTexts, budget: SearchBudget) {
        self.semantics = semantics
        self.texts = texts
        self.budget = budget
    }

    /// The witness for a search that no order got past the return of `blocked`, and whether it counts from the empty cache.
    mutating func witness(
        _ operations: [HistoryOperation], blocked: HistoryOperation
    ) -> (operations: [HistoryOperation], knowsInitialState: Bool) {
        let end = blocked.returnTime
        let prefix = operations.filter { $0.callTime <= end }.map { Self.optional($0, if: $0.returnTime > end) }
            .sorted { ($0.callTime, $0.returnTime) < ($1.callTime, $1.returnTime) }
        let (piece, states) = latestPiece(of: prefix)
        let needed = withoutUnneeded(piece, from: states ?? [HistoryOperation.absent], keeping: blocked)
        // What was made optional is shown as it was.
        let originals = Dictionary(operations.map { ($0.identity, $0) }, uniquingKeysWith: { a, _ in a })
        return (needed.map { originals[$0.identity] ?? $0 }, states == nil)
    }

    /// An operation that may be left out of the order, with the answer it gives if it is not.
    private static func optional(_ operation: HistoryOperation, if condition: Bool) -> HistoryOperation {
        guard condition else { return operation }
        var copy = operation
        copy.returnTime = HistoryOperation.never
        return copy
    }

    /// The piece that begins latest and is impossible from whatever state, with the states to try; the whole and nil if
    /// there is none.
    private mutating func latestPiece(
        of prefix: [HistoryOperation]
    ) -> (operations: [HistoryOperation], states: [Int32]?) {
        guard !prefix.contains(where: { $0.kind == .append }) else { return (prefix, nil) }
        // Short pieces are cheap: their lengths double until one is impossible, then the border is sought between.
        var length = 2
        while length < prefix.count, !isImpossible(tail(prefix, length)) { length *= 2 }
        guard length < prefix.count || isImpossible(tail(prefix, prefix.count)) else { return (prefix, nil) }
        var (low, high) = (length / 2, min(length, prefix.count))
        while low + 1 < high {
            let middle = (low + high) / 2
            if isImpossible(tail(prefix, middle)) { high = middle } else { low = middle }
        }
        return tail(prefix, high)
    }

    /// What is left of a history if it is looked at only since the call of the last but `length`.
    private func tail(
        _ prefix: [HistoryOperation], _ length: Int
    ) -> (operations: [HistoryOperation], states: [Int32]?) {
        let begin = prefix[max(0, prefix.count - length)].callTime
        let kept = prefix.filter { $0.returnTime >= begin }.map { Self.optional($0, if: $0.callTime < begin) }
        // Any other value does what one that nobody mentions does.
        var states: Set<Int32> = [HistoryOperation.absent, .max]
        for operation in kept {
            states.insert(operation.expected)
            if operation.kind.answer == .value, operation.result > 0 { states.insert(operation.result) }
        }
        return (kept, states.sorted())
    }

    private mutating func isImpossible(_ piece: (operations: [HistoryOperation], states: [Int32]?)) -> Bool {
        isImpossible(piece.operations, from: piece.states ?? [HistoryOperation.absent])
    }

    private mutating func isImpossible(_ operations: [HistoryOperation], from states: [Int32]) -> Bool {
        guard triesLeft > 0 else { return false }
        triesLeft -= 1
        var search = LinearizabilitySearch(operations, RegisterModel(semantics))
        for state in states {
            guard case .impossible = search.run(from: state, &texts, &budget) else { return false }
        }
        return true
    }

    /// Leaves out observations while the rest stays impossible, many at once first.
    private mutating func withoutUnneeded(
        _ operations: [HistoryOperation], from states: [Int32], keeping blocked: HistoryOperation
    ) -> [HistoryOperation] {
        var kept = operations
        var chunk = max(1, operations.count / 2)
        while true {
            var index = 0
            while index < kept.count {
                let end = min(kept.count, index + chunk)
                let fewer =
                    kept[..<index] + kept[index..<end].filter { !$0.isObservation || $0 == blocked } + kept[end...]
                if fewer.count < kept.count, isImpossible(Array(fewer), from: states) {
                    kept = Array(fewer)
                } else {
                    index += chunk
                }
            }
            if chunk == 1 { return kept }
            chunk = max(1, chunk / 2)
        }
    }
}
