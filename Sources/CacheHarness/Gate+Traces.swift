internal import CacheCore

/// Which trace of a candidate is which of the baseline: by what they hold, since names depend on where files lie.
struct TracePairing {
    /// Traces of one name that are not the same.
    private(set) var mismatches: [TraceMismatch] = []
    /// What a reader should know of how traces were paired, a sentence each.
    private(set) var notes: [String] = []
    /// The name in the baseline, or one that the baseline does not use, by the name in the candidate.
    private var names: [String: String] = [:]

    init(_ baseline: [TraceDescription], _ candidate: [TraceDescription]) {
        var open = candidate.sorted { $0.name < $1.name }
        var unpaired: [TraceDescription] = []
        for trace in baseline.sorted(by: { $0.name < $1.name }) {
            let same = open.indices.filter { Self.isSame(trace, open[$0]) }
            guard let index = same.first(where: { open[$0].name == trace.name }) ?? same.first else {
                unpaired.append(trace)
                continue
            }
            pair(trace, open.remove(at: index))
        }
        var taken = Set(baseline.map(\.name))
        for trace in open {
            if let other = unpaired.first(where: { $0.name == trace.name }) {
                mismatches.append(TraceMismatch(other, trace))
                names[trace.name] = trace.name
                continue
            }
            var name = trace.name
            while !taken.insert(name).inserted { name += " (candidate)" }
            names[trace.name] = name
        }
        let isOld = baseline.contains { $0.contentDigest == nil }
        if isOld || candidate.contains(where: { $0.contentDigest == nil }) {
            notes.append(
                "the \(isOld ? "baseline" : "candidate") does not record what its traces hold: traces are paired by the "
                    + "digests of their files")
        }
    }

    /// Cells of the candidate under the baseline's names.
    func renamed(_ cells: [CellResult]) -> [CellResult] {
        cells.map { cell in
            var cell = cell
            cell.trace = names[cell.trace] ?? cell.trace
            return cell
        }
    }

    private mutating func pair(_ old: TraceDescription, _ new: TraceDescription) {
        names[new.name] = old.name
        if old.name != new.name { notes.append("the trace '\(old.name)' is '\(new.name)' in the candidate") }
        if old.digest == new.digest, old.format != new.format, old.contentDigest != new.contentDigest {
            notes.append("the trace '\(old.name)' was read as \(old.format) and now as \(new.format)")
        }
    }

    /// Whether two traces hold the same requests. Results that do not record that have the digests of the files.
    private static func isSame(_ a: TraceDescription, _ b: TraceDescription) -> Bool {
        guard let first = a.contentDigest, let second = b.contentDigest else { return a.digest == b.digest }
        // Another Assay may keep what it read of the same file in another way.
        return first == second || a.digest == b.digest && a.format == b.format
    }
}

extension TraceMismatch {
    /// The digests of the files, or those of the requests where one file was read in two ways.
    fileprivate init(_ baseline: TraceDescription, _ candidate: TraceDescription) {
        let isOneFile = baseline.digest == candidate.digest
        func digest(_ trace: TraceDescription) -> String {
            isOneFile ? trace.contentDigest ?? trace.digest : trace.digest
        }
        self.init(
            trace: baseline.name, baselineDigest: digest(baseline), candidateDigest: digest(candidate),
            formats: isOneFile ? [baseline.format, candidate.format] : nil)
    }
}
