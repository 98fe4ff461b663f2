internal import CacheCore

/// What a cache of a policy takes at each capacity: the capacity itself, or bytes with what is counted beside it.
///
/// Strictly rising with the capacity, so that both ways are unique.
struct AdvicePrice: Sendable, Hashable {
    /// The price of one object or byte of capacity, at least 1.
    private let rate: Double
    /// What is taken whatever the capacity.
    private let fixed: Int

    /// A capacity is its own price.
    static let plain = AdvicePrice(rate: 1, fixed: 0)

    private init(rate: Double, fixed: Int) {
        self.rate = rate
        self.fixed = fixed
    }

    /// The price of a policy's caches on a trace; nil if the policy does not say what it takes though that is to count.
    ///
    /// Bookkeeping is what ``MemoryCost`` states, with as many ids as there are residents and ghosts, as in a live cache,
    /// where ids are used again. In bytes a resident is taken to have the mean size of the trace's objects.
    init?(_ player: AdviceCandidateReplay, _ order: AdviceOrder, _ trace: TraceDescription) {
        var rate = Double(order.objectBytes ?? 1)
        var fixed = 0
        if order.countsPolicyMemory {
            guard player.admission == nil,
                let memory = player.policy.entry.descriptor.memory(with: player.policy.parameters)
            else { return nil }
            let unit = order.capacityUnit
            let resident = memory.rates(in: unit).perObject * (1 + memory.ghosts) + memory.perCapacity(in: unit)
            let mean = max(1, Double(trace.footprintBytes) / Double(max(1, trace.objects)))
            rate += unit == .objects ? resident : resident / mean
            fixed = memory.fixed
        }
        self.init(rate: rate, fixed: fixed)
    }

    /// What a capacity takes.
    func amount(_ capacity: Int) -> Int {
        let whole = (Double(capacity) * rate).rounded(.up) + Double(fixed)
        return whole >= Double(Capacity.largestAmount) ? max(Capacity.largestAmount, capacity) : Int(whole)
    }

    /// The largest capacity that takes no more than a price; 0 if none does.
    func capacity(within price: Int) -> Int {
        guard price > fixed else { return 0 }
        var capacity = Int((Double(price - fixed) / rate).rounded(.down))
        while capacity > 0, amount(capacity) > price { capacity -= 1 }
        while amount(capacity + 1) <= price { capacity += 1 }
        return capacity
    }
}
