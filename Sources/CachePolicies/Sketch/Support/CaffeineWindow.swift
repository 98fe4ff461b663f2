internal import CacheCore

// Caffeine's way to make room.
extension WTinyLFUPolicy where Sizes: ~Copyable {
    /// Puts the object into the window, and what overflows and then the window itself before the main cache.
    mutating func insertAsCaffeine<Sink: EvictionSink & ~Copyable>(
        _ id: ObjectID, weight: Int, into sink: inout Sink
    ) {
        table.add(id, weight: weight, toHeadOf: Self.window)
        if !Sizes.isUnit, table.residentWeight >= capacity / 2 { filter.grow(to: table.residentCount) }
        var candidate = Self.none
        while table.weight(of: Self.window) > windowLimit {
            let slot = table.tail(of: Self.window)
            table.move(slot, toHeadOf: Self.probation)
            if candidate == Self.none { candidate = slot }
        }
        makeRoom(candidate, into: &sink)
    }

    /// Evicts while the cache is too full: each candidate, then each object of the window, against one victim each, and
    /// then victims alone, from probation, protected and the window.
    private mutating func makeRoom<Sink: EvictionSink & ~Copyable>(_ first: UInt32, into sink: inout Sink) {
        var candidate = first
        var hasSearchedWindow = false
        var victims = Self.probation
        var victim = table.tail(of: victims)
        while table.residentWeight > capacity {
            if candidate == Self.none, !hasSearchedWindow {
                candidate = table.tail(of: Self.window)
                hasSearchedWindow = true
            }
            if candidate == Self.none, victim == Self.none {
                guard victims != Self.window else { return }
                victims = victims == Self.probation ? Self.protected : Self.window
                victim = table.tail(of: victims)
            } else if candidate == victim {
                victim = table.previous(of: victim)
                table.evict(candidate, into: &sink)
                candidate = Self.none
            } else if candidate == Self.none || victim != Self.none && candidateWins(candidate, over: victim) {
                let loser = victim
                victim = table.previous(of: victim)
                table.evict(loser, into: &sink)
                if candidate != Self.none { candidate = table.previous(of: candidate) }
            } else {
                let loser = candidate
                candidate = table.previous(of: candidate)
                table.evict(loser, into: &sink)
            }
        }
    }

    private mutating func candidateWins(_ candidate: UInt32, over victim: UInt32) -> Bool {
        table.weight(at: candidate) <= capacity
            && filter.admits(table.id(at: candidate), over: table.id(at: victim))
    }
}
