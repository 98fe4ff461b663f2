internal import CacheCore

/// The most that any cache can hit on a trace, which one pass tells exactly: nobody hits an object's first request or the first
/// after a delete, nor an object that was never as small as the cache.
struct HitCeiling: Sendable {
    /// The capacity that holds every object at its largest.
    let footprint: Int
    private let tally: LadderTally
    private let hits: [CurveHits]

    /// One pass over the columns; 16 bytes an object. The first `warmUp` requests are made and not counted.
    init(
        _ columns: RequestColumns, capacities: [Int], unit: Capacity.Unit, rules: ReplayRules = ReplayRules(),
        warmUp: Int = 0
    ) {
        let fills = columns.fills(rules)
        var tally = LadderTally(CapacityLadder(capacities))
        var smallest = [Int](repeating: .max, count: columns.objects.count)
        var largest = [Int](repeating: 0, count: columns.objects.count)
        var footprint = 0
        let sizes = RequestSizes(columns)
        for position in columns.ids.indices {
            let (id, size) = (Int(columns.ids[position]), sizes.size(at: position))
            let weight = unit == .objects ? 1 : size
            let operation = columns.operation(at: position)
            if position >= warmUp, rules.counts(operation) {
                tally.record(smallest[id] == .max ? -1 : smallest[id], size: size)
            }
            if operation == .remove { smallest[id] = .max }
            guard operation == .write || (operation == .read && fills) else { continue }
            smallest[id] = min(smallest[id], weight)
            footprint &+= max(0, weight - largest[id])
            largest[id] = max(largest[id], weight)
        }
        self.footprint = footprint
        self.tally = tally
        hits = tally.cumulated
    }

    /// The most at the capacity of that place among those asked for, ascending and each once.
    func ratios(at place: Int) -> CurveRatios { CurveRatios(hits[place], tally.requests, tally.bytesRequested) }
}

extension CurveRatios {
    /// Neither above a ceiling nor below nothing.
    func limited(by ceiling: CurveRatios) -> CurveRatios {
        CurveRatios(
            hitRatio: min(ceiling.hitRatio, max(0, hitRatio)),
            byteHitRatio: min(ceiling.byteHitRatio, max(0, byteHitRatio)))
    }
}
