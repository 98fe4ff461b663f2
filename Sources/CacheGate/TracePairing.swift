/// Which trace of a candidate is which of the baseline: by what they hold, since names depend on where files lie.
struct TracePairing {
    /// Traces of one name that are not the same: the baseline's and the candidate's.
    private(set) var mismatches: [(baseline: FigureTrace, candidate: FigureTrace)] = []
    /// What a reader should know of how traces were paired, a sentence each.
    private(set) var notes: [String] = []
    /// The baseline's trace by the words of the candidate's in a place.
    private var paired: [[String?]: FigureTrace] = [:]

    init(_ baseline: [FigureTrace], _ candidate: [FigureTrace]) {
        var open = candidate.sorted { $0.name < $1.name }
        var unpaired: [FigureTrace] = []
        for trace in baseline.sorted(by: { $0.name < $1.name }) {
            let same = open.indices.filter { Self.isSame(trace, open[$0]) }
            guard let index = same.first(where: { open[$0].name == trace.name }) ?? same.first else {
                unpaired.append(trace)
                continue
            }
            pair(trace, open.remove(at: index))
        }
        for trace in open {
            guard let other = unpaired.first(where: { $0.name == trace.name }) else { continue }
            mismatches.append((other, trace))
            paired[[trace.name, trace.placeDigest]] = other
        }
        let isOld = baseline.contains { $0.contentDigest == nil }
        if isOld || candidate.contains(where: { $0.contentDigest == nil }) {
            notes.append(
                "the \(isOld ? "baseline" : "candidate") does not record what its traces hold: traces are paired by the "
                    + "digests of their files")
        }
    }

    /// A place of the candidate in the baseline's words.
    func place(_ place: [String: String]) -> [String: String] {
        guard let trace = paired[[place["trace"], place["trace-digest"]]] else { return place }
        return place.merging(["trace": trace.name, "trace-digest": trace.placeDigest]) { $1 }
    }

    /// Why the figures of a place cannot be compared; nil if they can.
    func mismatch(_ place: [String: String]) -> String? {
        guard
            let (old, new) = mismatches.first(where: { old, _ in
                old.name == place["trace"] && old.placeDigest == place["trace-digest"]
            })
        else { return nil }
        // One file that was read in two ways has one digest.
        if old.digest == new.digest, old.format != new.format {
            return "the trace was read as \(old.format) and now as \(new.format)"
        }
        let digests = old.digest == new.digest ? (old.placeDigest, new.placeDigest) : (old.digest, new.digest)
        return
            "the trace is not the input of the baseline (digest \(digests.0.prefix(16)), now \(digests.1.prefix(16)))"
    }

    private mutating func pair(_ old: FigureTrace, _ new: FigureTrace) {
        paired[[new.name, new.placeDigest]] = old
        if old.name != new.name { notes.append("the trace '\(old.name)' is '\(new.name)' in the candidate") }
        if old.digest == new.digest, old.format != new.format, old.contentDigest != new.contentDigest {
            notes.append("the trace '\(old.name)' was read as \(old.format) and now as \(new.format)")
        }
    }

    /// Whether two traces hold the same requests. Results that do not record that have the digests of the files.
    private static func isSame(_ a: FigureTrace, _ b: FigureTrace) -> Bool {
        guard let first = a.contentDigest, let second = b.contentDigest else { return a.digest == b.digest }
        // Another Assay may keep what it read of the same file in another way.
        return first == second || a.digest == b.digest && a.format == b.format
    }
}
