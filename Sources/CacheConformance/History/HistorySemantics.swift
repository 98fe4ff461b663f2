/// What a cache may do beside what it is asked, and so which answers a history may show.
public enum HistorySemantics: String, Sendable, Hashable, Codable, CaseIterable {
    /// Nothing: it answers like a register that is absent at first.
    case exact
    /// It may drop a value at any moment. Absent is always a permitted answer, and an absent answer is final: the value is
    /// never seen again without a new write.
    case evicting
    /// It may also fail to find what it has, as a replica or a busy lock does: an absent answer to a read says nothing.
    case lossy
}

/// The register that every key is: which state an operation leads to, if its answer is possible at all.
///
/// A state is a value's number. With eviction a state stands for itself and for its loss at any later moment: whatever can
/// follow upon absence can follow upon the value too, so one state is enough and no set of states is needed.
struct RegisterModel: Sendable {
    /// No state: the answer is not possible, or a pending operation would change nothing.
    static let impossible: Int32 = -1

    let semantics: HistorySemantics
    private var mayDrop: Bool { semantics != .exact }

    init(_ semantics: HistorySemantics) { self.semantics = semantics }

    /// The state after an operation, or ``impossible``.
    func state(after operation: HistoryOperation, from state: Int32, _ texts: inout AppendedTexts) -> Int32 {
        let result = operation.result
        guard result != HistoryOperation.unknown else { return unanswered(operation, state, &texts) }
        switch operation.kind {
        case .get: return result == state ? state : result == 0 ? missing(state) : Self.impossible
        case .contains: return (result != 0) == (state != 0) ? state : result == 0 ? missing(state) : Self.impossible
        case .put: return operation.argument
        case .append: return texts.appending(operation.argument, to: state)
        case .putIfAbsent:
            if result == 0 { return state == 0 ? Self.impossible : state }
            return state == 0 || mayDrop ? operation.argument : Self.impossible
        case .replace:
            if result != 0 { return state == 0 ? Self.impossible : operation.argument }
            return state == 0 ? state : missing(state)
        case .compareAndSet: return compared(operation, state)
        case .remove:
            return (result != 0) == (state != 0) || result == 0 && mayDrop ? 0 : Self.impossible
        case .getAndPut:
            return result == state || result == 0 && mayDrop ? operation.argument : Self.impossible
        case .getAndRemove: return result == state || result == 0 && mayDrop ? 0 : Self.impossible
        }
    }

    /// The state after a read that found nothing although the state is a value.
    private func missing(_ state: Int32) -> Int32 {
        switch semantics {
        case .exact: Self.impossible
        case .evicting: 0
        case .lossy: state
        }
    }

    private func compared(_ operation: HistoryOperation, _ state: Int32) -> Int32 {
        let isMatch = state == operation.expected || operation.expected == 0 && mayDrop
        if operation.result != 0 { return isMatch ? operation.argument : Self.impossible }
        if state != operation.expected { return state }
        return state == 0 ? Self.impossible : missing(state)
    }

    /// The state after an operation whose answer nobody saw. Where it would change nothing it need not be tried.
    private func unanswered(_ operation: HistoryOperation, _ state: Int32, _ texts: inout AppendedTexts) -> Int32 {
        switch operation.kind {
        case .get, .contains: Self.impossible
        case .put, .getAndPut: operation.argument
        case .append: texts.appending(operation.argument, to: state)
        case .putIfAbsent: state == 0 || mayDrop ? operation.argument : Self.impossible
        case .replace: state != 0 ? operation.argument : Self.impossible
        case .compareAndSet:
            state == operation.expected || operation.expected == 0 && mayDrop ? operation.argument : Self.impossible
        case .remove, .getAndRemove: operation.isPending && state == 0 ? Self.impossible : 0
        }
    }
}

/// The texts that appending makes of others, each with a value's number.
struct AppendedTexts: Sendable {
    /// The most bytes that appended texts may take together: each append makes a text as long as all before it.
    static let bytesMax = 1 << 30

    private var names: NameTable
    private var bytes = 0
    private var known: [UInt64: Int32] = [:]

    /// Texts over the values that a history names.
    init(_ names: NameTable) { self.names = names }

    /// Whether the texts have come to their limit, beyond which nothing is decided.
    var isFull: Bool { bytes > Self.bytesMax }

    /// The number of the text of `state` with that of `argument` behind it.
    mutating func appending(_ argument: Int32, to state: Int32) -> Int32 {
        let pair = UInt64(UInt32(bitPattern: state)) << 32 | UInt64(UInt32(bitPattern: argument))
        if let number = known[pair] { return number }
        let text = (state == 0 ? [] : names.bytes(of: state)) + (argument == 0 ? [] : names.bytes(of: argument))
        let number = text.isEmpty ? 0 : names.number(of: text)
        known[pair] = number
        bytes += text.count
        return number
    }
}
