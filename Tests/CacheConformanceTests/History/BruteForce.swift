import CacheConformance
import CacheCore

/// Decides small histories by trying every order, all keys together, on a cache that may be in several states at once.
///
/// Shares nothing with the checker: no partition by key, no zones, no memory, and eviction is a step of its own.
struct BruteForce {
    let semantics: HistorySemantics
    let operations: [HistoryOperation]

    /// A value, nil for none, and texts for what is appended: numbers in order.
    typealias State = [Int32]

    init(_ history: History, _ semantics: HistorySemantics) {
        self.semantics = semantics
        operations = history.operations
    }

    /// Whether some order explains every answer.
    var isLinearizable: Bool {
        let keys = Set(operations.map(\.key))
        var start: [Int32: Set<State>] = [:]
        for key in keys { start[key] = [[]] }
        return search(Array(operations.indices), start)
    }

    private func search(_ left: [Int], _ states: [Int32: Set<State>]) -> Bool {
        if left.allSatisfy({ operations[$0].returnTime == HistoryOperation.never }) { return true }
        for (place, index) in left.enumerated() {
            let operation = operations[index]
            guard !left.contains(where: { operations[$0].returnTime < operation.callTime }) else { continue }
            let next = Set(states[operation.key]!.flatMap { outcomes(of: operation, in: $0) })
            guard !next.isEmpty else { continue }
            var rest = left
            rest.remove(at: place)
            var after = states
            after[operation.key] = next
            if search(rest, after) { return true }
        }
        return false
    }

    /// The states in which an operation that gives its answer may leave a key.
    private func outcomes(of operation: HistoryOperation, in state: State) -> [State] {
        var befores: [(state: State, seen: State)] = [(state, state)]
        if semantics != .exact { befores.append(([], [])) }
        if semantics == .lossy { befores.append((state, [])) }
        return befores.compactMap { before in
            let (answer, after) = apply(operation, before.state, before.seen)
            let isUnknown = operation.result == HistoryOperation.unknown
            return isUnknown || answer == nil || answer == operation.result ? after : nil
        }
    }

    /// The answer, and the state afterwards, of a cache that finds `seen` where it holds `state`.
    private func apply(_ operation: HistoryOperation, _ state: State, _ seen: State) -> (answer: Int32?, State) {
        let new = [operation.argument]
        let value = seen.first ?? 0
        switch operation.kind {
        case .get: return (value, state)
        case .contains: return (seen.isEmpty ? 0 : 1, state)
        case .put: return (nil, new)
        case .append: return (nil, state + new)
        case .putIfAbsent: return seen.isEmpty ? (1, new) : (0, state)
        case .replace: return seen.isEmpty ? (0, state) : (1, new)
        case .compareAndSet: return value == operation.expected ? (1, new) : (0, state)
        case .remove: return (seen.isEmpty ? 0 : 1, [])
        case .getAndPut: return (value, new)
        case .getAndRemove: return (value, [])
        }
    }
}

/// Makes up small histories, about half of which no cache could show.
struct SmallHistories {
    var random: SeededGenerator
    let kinds: [HistoryOperation.Kind]
    let semantics: HistorySemantics
    let hasUniqueValues: Bool

    mutating func next() -> History {
        let count = 1 + random.next(below: 7)
        let keys = 1 + random.next(below: 2)
        var drafts: [(point: Int64, operation: HistoryOperation)] = []
        for index in 0..<count {
            let call = Int64(random.next(below: 14))
            let length = Int64(random.next(below: 7))
            var operation = HistoryOperation(
                kinds[random.next(below: kinds.count)], client: Int32(index), key: Int32(random.next(below: keys)),
                callTime: call, returnTime: call + length)
            if [.put, .putIfAbsent, .replace, .compareAndSet, .getAndPut].contains(operation.kind) {
                operation.argument = hasUniqueValues ? Int32(index + 1) : Int32(1 + random.next(below: 3))
            }
            if operation.kind == .compareAndSet { operation.expected = Int32(random.next(below: 4)) }
            drafts.append((call + Int64(random.next(below: Int(length) + 1)), operation))
        }
        drafts.sort { ($0.point, $0.operation.client) < ($1.point, $1.operation.client) }
        var state: [Int32: Int32] = [:]
        for index in drafts.indices {
            if semantics != .exact, random.next(below: 5) == 0 { state[drafts[index].operation.key] = nil }
            answer(&drafts[index].operation, &state)
        }
        var operations = drafts.map(\.operation)
        for _ in 0..<random.next(below: 3) { spoil(&operations[random.next(below: count)]) }
        operations.sort { $0.client < $1.client }
        return History(operations)
    }

    /// Gives the answer of a plain register, or none.
    private mutating func answer(_ operation: inout HistoryOperation, _ state: inout [Int32: Int32]) {
        let before = state[operation.key] ?? 0
        let isPending = random.next(below: 10) == 0
        if isPending {
            operation.returnTime = HistoryOperation.never
            if random.next(below: 2) == 0 { return }
        }
        var result = HistoryOperation.unknown
        var after = before
        switch operation.kind {
        case .get: result = before
        case .contains: result = before == 0 ? 0 : 1
        case .put, .append: after = operation.argument
        case .putIfAbsent: (result, after) = before == 0 ? (1, operation.argument) : (0, before)
        case .replace: (result, after) = before != 0 ? (1, operation.argument) : (0, before)
        case .compareAndSet: (result, after) = before == operation.expected ? (1, operation.argument) : (0, before)
        case .remove: (result, after) = (random.next(below: 3) == 0 ? -1 : before == 0 ? 0 : 1, 0)
        case .getAndPut: (result, after) = (before, operation.argument)
        case .getAndRemove: (result, after) = (before, 0)
        }
        state[operation.key] = after
        if !isPending { operation.result = result }
    }

    /// Another answer or another time.
    private mutating func spoil(_ operation: inout HistoryOperation) {
        guard operation.returnTime != HistoryOperation.never else { return }
        switch operation.kind {
        case .get, .getAndPut, .getAndRemove: operation.result = Int32(random.next(below: 5))
        case .contains, .putIfAbsent, .replace, .compareAndSet, .remove: operation.result = Int32(random.next(below: 2))
        case .put, .append:
            operation.callTime = Int64(random.next(below: 20))
            operation.returnTime = operation.callTime + Int64(random.next(below: 3))
        }
    }
}
