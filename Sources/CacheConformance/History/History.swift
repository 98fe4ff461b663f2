/// What several clients did to a cache at the same time, operation by operation.
public struct History: Sendable {
    /// What times are counted in.
    public enum TimeUnit: String, Sendable, Hashable, Codable {
        /// Nanoseconds of a monotonic clock that all clients share.
        case nanoseconds
        /// Places in a log that was written in order.
        case events
    }

    /// The operations, in any order.
    public var operations: [HistoryOperation]
    /// What the numbers of keys stand for; numbers without a name are written as `#7`.
    public var keyNames: NameTable
    /// What the numbers of values stand for; 0 is the absence of a value.
    public var valueNames: NameTable
    /// What times are counted in.
    public var timeUnit: TimeUnit

    /// A history whose keys and values need no names.
    public init(_ operations: [HistoryOperation], timeUnit: TimeUnit = .nanoseconds) {
        self.init(operations, keyNames: NameTable(), valueNames: NameTable(), timeUnit: timeUnit)
    }

    init(_ operations: [HistoryOperation], keyNames: NameTable, valueNames: NameTable, timeUnit: TimeUnit) {
        self.operations = operations
        self.keyNames = keyNames
        self.valueNames = valueNames
        self.timeUnit = timeUnit
    }

    /// An operation in words: `put a 1: done`, `get a: absent`, `compare-and-set a 1 → 2: no`.
    public func text(of operation: HistoryOperation) -> String {
        text(of: operation, isKeyed: true)
    }

    /// An operation in words, with its key or without.
    func text(of operation: HistoryOperation, isKeyed: Bool) -> String {
        var words = [operation.kind.name, isKeyed ? keyNames.text(of: operation.key) : ""].filter { !$0.isEmpty }
        if operation.kind == .compareAndSet { words += [value(operation.expected), "→"] }
        if operation.kind.hasArgument { words.append(value(operation.argument)) }
        return words.joined(separator: " ") + ": " + answer(of: operation)
    }

    /// An operation's answer in words.
    func answer(of operation: HistoryOperation) -> String {
        if operation.result == HistoryOperation.unknown || operation.kind.answer == .none {
            return operation.isPending ? "no answer" : "done"
        }
        if operation.kind.answer == .value { return value(operation.result) }
        return operation.result == HistoryOperation.no ? "no" : "yes"
    }

    /// A value in words.
    func value(_ number: Int32) -> String {
        if number == HistoryOperation.absent { return "absent" }
        let text = valueNames.text(of: number)
        return text.isEmpty ? "''" : text
    }
}
