/// What a replay makes of the operations that a trace states, of what its ratios are, and of sizes that change.
public struct ReplayRules: Codable, Sendable, Hashable {
    /// What a read does that finds nothing.
    public enum MissedRead: String, Codable, Sendable, Hashable, CaseIterable {
        /// It stores the object, with the size that the read states.
        case fill
        /// It stores nothing: a write of the trace does, or nobody.
        case nothing = "none"
    }

    /// The requests that hit ratios are of.
    public enum Counted: String, Codable, Sendable, Hashable, CaseIterable {
        /// Reads alone.
        case reads
        /// Reads and writes; a write whose object is resident is a hit. Deletes are never counted.
        case all
    }

    /// What becomes of a resident whose size changes, where capacities count bytes.
    public enum Resize: String, Codable, Sendable, Hashable, CaseIterable {
        /// It enters anew with its new size: others leave until it fits, or it leaves itself.
        case reweigh
        /// It keeps the weight with which it entered, as libCacheSim does, so that a cache may hold more bytes than its capacity.
        case keep
    }

    /// What a read does that finds nothing; nil for nothing on traces that state writes, and a fill on all others.
    public var onMiss: MissedRead?
    /// The requests that hit ratios are of.
    public var counted: Counted
    /// What becomes of a resident whose size changes; nil for the rule of the policy's dialect, which is to reweigh for papers.
    public var resize: Resize?

    /// Rules; by default reads are counted, and what is left out follows from the trace and the policy.
    public init(onMiss: MissedRead? = nil, counted: Counted = .reads, resize: Resize? = nil) {
        self.onMiss = onMiss
        self.counted = counted
        self.resize = resize
    }

    /// What a read that finds nothing does on a trace that states writes or does not.
    public func missedRead(statesWrites: Bool) -> MissedRead { onMiss ?? (statesWrites ? .nothing : .fill) }

    /// Whether a request that does this is among those that ratios are of.
    public func counts(_ operation: TraceOperation) -> Bool {
        operation == .read || (operation == .write && counted == .all)
    }

    /// What becomes of a resident whose size changes in a replay of a policy with these parameters, as `name=value;name=value`:
    /// dialects keep to what they were copied from.
    public func resizing(_ parameters: String) -> Resize {
        if let resize { return resize }
        let dialect = parameters.split(separator: ";").first { $0.hasPrefix("dialect=") }
        return dialect == nil || dialect == "dialect=paper" ? .reweigh : .keep
    }

    /// The rules that change something in a replay of that trace, so that two that do the same are equal: a rule that says what holds
    /// anyway, or that is about operations or sizes that the trace does not state, is left out.
    public func effective(on columns: RequestColumns, parameters: String, unit: Capacity.Unit) -> ReplayRules {
        guard self != ReplayRules() else { return self }
        var rules = self
        if onMiss == ReplayRules().missedRead(statesWrites: columns.statesWrites) { rules.onMiss = nil }
        if !columns.statesWrites { rules.counted = .reads }
        let isReweighed = columns.sizeChanges > 0 && unit == .bytes
        if !isReweighed || resize == ReplayRules().resizing(parameters) { rules.resize = nil }
        return rules
    }

    /// The rules that differ from the default, as `on-miss=fill,count=all`; empty for the default.
    public var text: String {
        [
            onMiss.map { "on-miss=\($0.rawValue)" }, counted == .reads ? nil : "count=\(counted.rawValue)",
            resize.map { "resize=\($0.rawValue)" },
        ].compactMap(\.self).joined(separator: ",")
    }
}
