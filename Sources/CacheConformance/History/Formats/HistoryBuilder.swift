internal import CacheCore

/// Puts calls and returns of a log together to operations. Times are the places in the log.
struct HistoryBuilder {
    /// One line of a log.
    struct Entry {
        /// What a line says happened.
        enum Stage {
            case invoke, ok, fail, info
        }

        var process: Int
        var stage: Stage
        var kind: HistoryOperation.Kind
        var key: Int32 = 0
        var argument: Int32 = HistoryOperation.absent
        var expected: Int32 = HistoryOperation.absent
        var result: Int32 = HistoryOperation.unknown
        /// Whether a failed compare-and-set says that it was compared, and not that something went wrong before.
        var isAnswered = true
    }

    private let source: String
    private var operations: [HistoryOperation?] = []
    /// The open operation of each process, with the line of its call.
    private var open: [Int: (index: Int, line: Int)] = [:]
    private var time: Int64 = 0
    var keys = NameTable()
    var values = NameTable.ofValues

    init(source: String) { self.source = source }

    /// Takes the next line.
    mutating func add(_ entry: Entry, line: Int) throws(AssayError) {
        time += 1
        guard entry.stage != .invoke else { return try call(entry, line) }
        guard let (index, _) = open.removeValue(forKey: entry.process), var operation = operations[index] else {
            throw error(
                "Process \(entry.process) returns from what it did not call. Write the invoke line first.", line)
        }
        guard operation.kind == entry.kind else {
            throw error(
                "Process \(entry.process) called \(operation.kind.name) and returns from \(entry.kind.name). "
                    + "Give each process one operation at a time.", line)
        }
        switch entry.stage {
        case .info, .invoke: return
        case .fail:
            // A comparison that found another value is an answer; any other failure means that nothing happened.
            if operation.kind == .compareAndSet, entry.isAnswered {
                operation.result = HistoryOperation.no
                operation.returnTime = time
                operations[index] = operation
            } else {
                operations[index] = nil
            }
        case .ok:
            operation.returnTime = time
            operation.result = entry.result
            if operation.kind == .compareAndSet { operation.result = HistoryOperation.yes }
            operations[index] = operation
        }
    }

    private mutating func call(_ entry: Entry, _ line: Int) throws(AssayError) {
        if let open = open[entry.process] {
            throw error(
                "Process \(entry.process) calls while its call of line \(open.line) is open. "
                    + "Give each process one operation at a time, or end that one with info.", line)
        }
        guard let client = Int32(exactly: entry.process) else {
            throw error("Process \(entry.process) is beyond what can be read. Number processes up to 2^31.", line)
        }
        open[entry.process] = (operations.count, line)
        operations.append(
            HistoryOperation(
                entry.kind, client: client, key: entry.key, argument: entry.argument, expected: entry.expected,
                callTime: time, returnTime: HistoryOperation.never))
    }

    /// The history; operations that are still open stay pending.
    func history() -> History {
        History(operations.compactMap(\.self), keyNames: keys, valueNames: values, timeUnit: .events)
    }

    private func error(_ message: String, _ line: Int) -> AssayError {
        AssayError(.badInput, message, at: .init(source, line: line))
    }
}
