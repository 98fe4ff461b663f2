import CacheCore

// Counting, listing, room and events.
extension CacheModel {
    /// Whether the store says that it cannot do what it does not claim.
    private func refusesToIterate(_ result: OperationResult) -> Bool {
        !claims.iterates && result.isUnsupported
    }

    func judgeCount(_ group: String?, _ result: OperationResult) -> String? {
        let places = group.map { group in entries.filter { $0.key.group == group } } ?? entries
        let certain = places.values.count { $0.isCertain }
        // Outside of all groups a cache may count what lies in groups, or leave it out.
        let hasGroups = group == nil && entries.keys.contains { $0.group != nil }
        let own = hasGroups ? entries.count { $0.key.group == nil && $0.value.isCertain } : certain
        // What has expired is counted until it is swept.
        let swept = claims.deviates(.countsExpired) ? unswept.keys.count { group == nil || $0.group == group } : 0
        var range = min(own, certain)...places.count + swept
        if let group, let limit = groupLimits[group] { range = min(certain, limit)...min(places.count + swept, limit) }
        if group == nil, let bound = room.countBound {
            let high = min(range.upperBound, bound)
            range = min(high, hasGroups ? range.lowerBound : max(range.lowerBound, room.residentsLeast))...high
        }
        if refusesToIterate(result) { return nil }
        guard case .number(let count) = result else { return range.words }
        return !claims.iterates || range.contains(count) ? nil : range.words
    }

    func judgeKeys(_ group: String?, _ result: OperationResult) -> String? {
        if refusesToIterate(result) { return nil }
        guard case .keys(let keys) = result else { return "no error" }
        guard claims.iterates else { return nil }
        if let complaint = strangers(among: keys, of: group) { return complaint }
        if group == nil, let bound = room.countBound, keys.count > bound { return "\(bound) keys at most" }
        let listed = Set(keys)
        let lost = entries.filter { $0.key.group == group && $0.value.isCertain && !listed.contains($0.key.key) }
        // The least, as the order of a dictionary differs from run to run and reports must not.
        return lost.keys.map(\.key).min { $0.lexicographicallyPrecedes($1) }
            .map { "the key \(KeyText.describe($0)) too" }
    }

    /// A complaint about a key that lies nowhere, or not so often. What is listed outside of all groups while some have entries
    /// may have their keys or leave them out, and a key that lies in several groups as often as it lies there.
    private func strangers(among keys: [[UInt8]], of group: String?) -> String? {
        let there = Array(entries.keys) + (claims.deviates(.countsExpired) ? Array(unswept.keys) : [])
        if group == nil, entries.keys.contains(where: { $0.group != nil }) {
            var held = Dictionary(there.map { ($0.key, 1) }, uniquingKeysWith: +)
            for key in keys {
                guard let left = held[key], left > 0 else { return "no key \(KeyText.describe(key)), or not so often" }
                held[key] = left - 1
            }
            return nil
        }
        if Set(keys).count < keys.count { return "each key once" }
        return Set(keys).subtracting(there.filter { $0.group == group }.map(\.key))
            .min { $0.lexicographicallyPrecedes($1) }.map { "no key \(KeyText.describe($0))" }
    }

    /// Judges the first keys of a walk that was left: some of those that are there, each once, and as many as were asked for.
    func judgeFirstKeys(_ most: Int, _ group: String?, _ result: OperationResult) -> String? {
        if refusesToIterate(result) { return nil }
        guard case .keys(let keys) = result else { return "no error" }
        if let complaint = strangers(among: keys, of: group) { return complaint }
        let certain = entries.count { $0.key.group == group && $0.value.isCertain }
        let least = claims.iterates ? min(most, certain) : 0
        return (least...max(least, most)).contains(keys.count) ? nil : "\(least) to \(max(least, most)) keys"
    }

    func judgeCost(_ result: OperationResult) -> String? {
        if room.isOfMemory {
            let most = room.isStrict ? room.amount ?? .max : .max
            if case .number(0...most) = result { return nil }
            return "0 to \(most)"
        }
        func total(_ weight: (Int) -> Int, atMost bound: Int) -> ClosedRange<Int> {
            let low = entries.values.reduce(0) { $0 + ($1.isCertain ? weight($1.terms.cost) : 0) }
            let dead = claims.deviates(.countsExpired) ? unswept.values.reduce(0) { $0 + weight($1.terms.cost) } : 0
            let high = entries.values.reduce(dead) { $0 + weight($1.terms.cost) }
            return low...max(low, min(high, bound))
        }
        let weight = total(room.weight, atMost: room.isStrict ? room.amount ?? .max : .max)
        // Where entries are counted, their costs may be added up nevertheless.
        let costs = total({ $0 }, atMost: .max)
        guard case .number(let cost) = result, weight.contains(cost) || room.countsEntries && costs.contains(cost)
        else {
            return weight.words + (room.countsEntries && costs != weight ? ", or \(costs.words)" : "")
        }
        return nil
    }

    /// Takes in that an entry was stored: what must leave leaves, or where that is not known, all may have left.
    mutating func makeRoom(for place: Place, _ old: State?) {
        let cost = entries[place]!.terms.cost
        take(room.store(place, cost, replacing: old.map(\.terms.cost), old?.isCertain ?? true))
    }

    mutating func take(_ effect: RoomModel.Effect) {
        switch effect {
        case .fits: break
        case .evicts(let victims):
            for victim in victims {
                guard let state = entries.removeValue(forKey: victim) else { continue }
                ledger.leave(victim, state, .evicted)
            }
        case .overflows: doubt { !$0.isPinned }
        }
    }

    mutating func shrink(to amount: Int) {
        let used = entries.values.reduce(0) { $0 + room.weight($1.terms.cost) }
        take(room.resize(to: amount, used: used))
        negatives.doubtAll()
    }

    mutating func judgeEvents(_ result: OperationResult) -> String? {
        guard case .events(let events) = result else { return "the events" }
        for event in events {
            let place = Place(group: event.group, key: event.key)
            if let state = entries[place], !state.isCertain, event.cause == .evicted || !ledger.tellsCauses,
                state.entry.value == event.value,
                !ledger.mayOwe(event, place)
            {
                entries[place] = nil
                room.forget(place)
                counters.evicted += 1
                continue
            }
            if let complaint = ledger.judge(event, place) { return complaint }
            if event.cause == .evicted { counters.evicted += 1 }
        }
        return ledger.firstDue
    }
}

extension ClosedRange<Int> {
    /// The one number, or the first and the last.
    var words: String { count == 1 ? "\(lowerBound)" : "\(lowerBound) to \(upperBound)" }
}
