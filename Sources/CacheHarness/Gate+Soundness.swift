internal import CacheCore

extension Gate {
    /// Refuses results that no run can have written: an edited file must not pass as an improvement.
    ///
    /// - Throws: `AssayError` with code `badInput` for a cell whose trace is not described, so that its digest could not be
    ///   compared, for counts that contradict each other, and for a combination that occurs twice.
    static func requireSound(_ results: RunResults, from source: String) throws(AssayError) {
        let described = Set(results.traces.map(\.name))
        var seen: Set<String> = []
        for cell in results.cells {
            // Two shares may resolve to one capacity and are two cells all the same.
            let isRepeated = !seen.insert("\(cell.identity) | \(cell.capacityRequested)").inserted
            if let reason = contradiction(in: cell, described, isRepeated: isRepeated) {
                throw AssayError(
                    .badInput, "\(cell.identity): \(reason). Record the results again with 'assay run'.",
                    at: .init(source))
            }
        }
    }

    private static func contradiction(in cell: CellResult, _ described: Set<String>, isRepeated: Bool) -> String? {
        if isRepeated { return "the cell is there twice" }
        if !described.contains(cell.trace) { return "the trace '\(cell.trace)' is not described" }
        guard let counts = cell.counts else { return nil }
        if !(0...max(0, counts.requests)).contains(counts.hits) {
            return "\(counts.hits) hits of \(counts.requests) requests"
        }
        if !(0...max(0, counts.bytesRequested)).contains(counts.bytesHit) {
            return "\(counts.bytesHit) bytes hit of \(counts.bytesRequested)"
        }
        return nil
    }
}
