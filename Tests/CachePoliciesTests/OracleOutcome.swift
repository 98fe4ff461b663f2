import Synchronization

/// What came of comparing the cells of one group.
struct OracleOutcome: Sendable {
    /// The cells that were replayed: all, or those of the smaller traces.
    var compared = 0
    /// Those in which every count was equal.
    var equal = 0
    /// What was not.
    var differences: [String] = []

    /// The outcome of a group. Compared once in a process, whoever asks.
    static func of(_ group: OracleGroup) async throws -> OracleOutcome {
        let task = started.withLock { tasks in
            let task = tasks[group.testDescription] ?? Task { try compare(group) }
            tasks[group.testDescription] = task
            return task
        }
        return try await task.value
    }

    private static let started = Mutex<[String: Task<OracleOutcome, any Error>]>([:])

    private static func compare(_ group: OracleGroup) throws -> OracleOutcome {
        let call = try PolicyCall(group.ours)
        var outcome = OracleOutcome()
        for cell in group.cells where OracleTests.isDue(cell) {
            let columns = try OracleTraces.loadTrace(cell.trace)
            let differences = OracleTests.differences(cell, try call.simulate(columns, cell.capacity))
            outcome.compared += 1
            if differences.isEmpty { outcome.equal += 1 } else { outcome.differences.append("\(cell): \(differences)") }
        }
        return outcome
    }
}
