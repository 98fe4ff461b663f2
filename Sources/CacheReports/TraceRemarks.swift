internal import CacheCore

/// What a report says of what a trace states beside objects and sizes, and of what was made of it: a sentence each.
struct TraceRemarks {
    /// The rules by which the trace was replayed.
    var rules: ReplayRules?
    /// Whether objects expired in some of the replays; nil where that cannot be asked for.
    var honoursExpiry: Bool?
    /// Whether what misses cost was added up.
    var countsCosts = false
    /// Whether the trace drove live caches, in all cells.
    var isLive = false
    /// Whether the trace drove live caches in some cells.
    var hasLive = false
    /// How many requests come before the counted ones, by trace; several numbers where cells differ.
    var warmUps: [String: Set<Int>] = [:]

    /// The sentences on one trace; none for a trace of reads whose objects keep their sizes.
    func sentences(_ trace: TraceDescription) -> [String] {
        [warmUp(trace), operations(trace), sizes(trace), timesToLive(trace), costs(trace)].compactMap(\.self)
    }

    private func warmUp(_ trace: TraceDescription) -> String? {
        let requests = (warmUps[trace.name] ?? []).sorted()
        guard let most = requests.last, most > 0 else { return nil }
        guard requests.count == 1 else {
            return "Warm-ups differ, of up to \(HumanFormat.count(most)) requests, which are not counted."
        }
        return
            "\(most == 1 ? "The first request warms" : "The first \(HumanFormat.count(most)) requests warm") the caches and "
            + "\(most == 1 ? "is" : "are") not counted (--warm-up)."
    }

    private func operations(_ trace: TraceDescription) -> String? {
        guard trace.statesOperations else { return nil }
        let rules = rules ?? ReplayRules()
        let (writes, deletes) = (trace.writes ?? 0, trace.deletes ?? 0)
        let stated = [
            writes > 0 ? HumanFormat.counted(writes, "write", "writes") : nil,
            deletes > 0 ? HumanFormat.counted(deletes, "delete", "deletes") : nil,
        ].compactMap(\.self).joined(separator: " and ")
        let miss =
            switch rules.missedRead(statesWrites: writes > 0) {
            case .fill: "a read that misses stores its object (--on-miss fill)"
            case .nothing: "a read that misses stores nothing (--on-miss none)"
            }
        let reads = trace.requests - writes - deletes
        let counted =
            rules.counted == .all
            ? "the \(HumanFormat.counted(reads + writes, "read and write", "reads and writes")) (--count all)"
            : "the \(HumanFormat.counted(reads, "read", "reads")) (--count reads)"
        return "The trace states \(stated), which are obeyed; \(miss). Hit ratios are of \(counted)."
    }

    private func sizes(_ trace: TraceDescription) -> String? {
        guard let changes = trace.sizeChanges else { return nil }
        let storesReads = (rules ?? ReplayRules()).missedRead(statesWrites: trace.writes != nil) == .fill
        let rule =
            switch rules?.resize {
            case nil where trace.statesOperations && !storesReads:
                "Writes alone change what a resident weighs."
            case nil where isLive:
                "In bytes a resident takes its new size."
            case nil:
                "In bytes a resident takes its new size, but for dialects, whose references keep the old one (--resize)."
            case .reweigh: "In bytes a resident takes its new size (--resize reweigh)."
            case .keep:
                "In bytes a resident keeps its first size (--resize keep), so that a cache may hold more than its capacity."
            }
        return
            "\(HumanFormat.counted(changes, "request states", "requests state")) another size than the one before for "
            + "the same object. \(rule)"
    }

    private func timesToLive(_ trace: TraceDescription) -> String? {
        guard trace.statesTimesToLive == true, honoursExpiry != true else { return nil }
        return "The trace states times to live, which are ignored here"
            + (honoursExpiry == nil ? ": 'assay run --expiry honour' lets objects expire." : " (--expiry ignore).")
    }

    private func costs(_ trace: TraceDescription) -> String? {
        guard trace.statesCosts == true else { return nil }
        let use =
            countsCosts
            ? "The trace states costs: 'cost saved' is the share of them that hits saved."
            : "The trace states costs, which only policies that weigh them use; 'assay run' says what misses cost."
        return use + (isLive || hasLive ? " A live cache is not told them: to its policy each miss costs 1." : "")
    }
}

extension RunResults {
    /// What was made of the traces' columns.
    var remarks: TraceRemarks {
        TraceRemarks(
            rules: cells.lazy.compactMap(\.rules).first, honoursExpiry: cells.contains { $0.honoursExpiry == true },
            countsCosts: cells.contains { $0.counts?.costRequested != nil },
            hasLive: cells.contains { $0.backend != CellResult.simulationBackend },
            warmUps: TraceRemarks.warmUps(cells.map { ($0.trace, $0.warmUp) }))
    }
}

extension CurveResults {
    /// What was made of the traces' columns.
    var remarks: TraceRemarks {
        TraceRemarks(rules: rules, warmUps: TraceRemarks.warmUps(curves.map { ($0.trace, $0.warmUp) }))
    }
}

extension TraceRemarks {
    fileprivate static func warmUps(_ all: [(trace: String, warmUp: CellWarmUp?)]) -> [String: Set<Int>] {
        all.reduce(into: [:]) { $0[$1.trace, default: []].insert($1.warmUp?.requests ?? 0) }
    }
}

extension BenchResults {
    /// What was made of the traces' columns.
    var remarks: TraceRemarks { TraceRemarks(rules: ReplayRules(onMiss: load.onMiss), isLive: true) }
}
