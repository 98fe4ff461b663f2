import CacheCore

// Reads that load, and what happens meanwhile.
extension CacheModel {
    /// Judges a reading that loads.
    mutating func judgeLoad(_ place: Place, _ origin: Origin, _ result: OperationResult) -> String? {
        // One that loads values alone says so of all else, and does nothing.
        if origin.terms != .plain, result.isUnsupported { return nil }
        if case .failure(let error) = result { return "no error but the origin's, not \(error)" }
        guard case .loaded(let outcome, let calls) = result else { return "a load" }
        // A refresh may have asked the origin before the old value was answered, or what its loader has put.
        let answers = [entries[place]?.entry] + origin.meanwhile.map(\.entry)
        let isRefreshing =
            calls == 1 && isDueForRefresh(place) && refreshes[place]?.entry == nil
            && answers.contains { $0.map { outcome == .value($0) } ?? false }
        if isRefreshing { beginRefresh(of: place, origin, hasAsked: true) }
        if calls == 0 || isRefreshing {
            if negatives.mayHave(place) {
                // Whether it is a hit is the cache's own affair.
                counters.readsAreKnown = false
                return outcome == .nothing ? nil : "the remembered absence"
            }
            let permitted = entries[place] == nil ? "one call of the loader" : self.permitted(place)
            guard case .value(let entry) = outcome, sawEntry(place, entry) else { return permitted }
            counters.read(isHit: true)
            beginRefresh(of: place, origin)
            return nil
        }
        if negatives.mustHave(place), claims.retains {
            return "no call of the loader, as it is known that there is none"
        }
        guard sawNothing(place) else { return "no call of the loader: " + permitted(place) }
        negatives.remove(place)
        guard calls == 1 else { return "one call of the loader, not \(calls)" }
        counters.load(origin.answer)
        return judgeLoaded(place, origin, outcome)
    }

    private mutating func judgeFailed(_ place: Place, _ outcome: LoadOutcome) -> String? {
        guard let (old, until) = stale[place], now < until else {
            return outcome == .failed ? nil : "the origin's error"
        }
        if outcome == .failed, !old.isCertain { return nil }
        // Whether what is served stale is a hit is the cache's own affair; the load has failed either way.
        counters.readsAreKnown = false
        return outcome == .value(old.entry)
            ? nil : "\(ValueText.describe(old.entry, under: place.key)), which may still be answered for a while"
    }

    private mutating func judgeLoaded(_ place: Place, _ origin: Origin, _ outcome: LoadOutcome) -> String? {
        let isOvertaken = assumeMeanwhile(origin.meanwhile, place)
        // Who finds what came meanwhile may answer that.
        if isOvertaken, let newer = entries[place]?.entry, outcome == .value(newer) {
            counters.readsAreKnown = false
            return nil
        }
        switch origin.answer {
        case .failure: return judgeFailed(place, outcome)
        case .nothing:
            if claims.claims(.negative), !isOvertaken {
                negatives.insert(place)
                if room.isFull { negatives.doubt(place) }
            }
            if outcome == .failed, claims.deviates(.emptyLoadsAreFailures) { return nil }
            return outcome == .nothing ? nil : "nil, as the origin has none"
        case .value(let payload, let terms):
            let entry = StoredEntry(payload.bytes(for: place.key))
            let newer = entries[place]?.entry
            guard outcome == .value(entry) || newer.map({ outcome == .value($0) }) == true else {
                return ValueText.describe(entry, under: place.key)
            }
            if !isOvertaken, !room.isTooHeavy(terms.cost) {
                store(place, entry, terms, isLoaded: true)
                // A tag that is removed may take with it what is about to have it.
                let removed = origin.meanwhile.contains { operation in
                    terms.tags.contains { operation == .removeTagged($0) }
                }
                if removed { entries[place]?.isCertain = false }
            }
            return nil
        }
    }

    /// Takes in what a loader does; whether it takes away what its load of a place would store.
    mutating func assumeMeanwhile(_ meanwhile: [CacheOperation], _ place: Place) -> Bool {
        var isOvertaken = false
        for operation in meanwhile {
            isOvertaken = isOvertaken || changes(operation, place)
            assume(operation)
        }
        return isOvertaken
    }

    /// Whether an operation takes away what a load of a place would store.
    private func changes(_ operation: CacheOperation, _ place: Place) -> Bool {
        switch operation {
        case .put(let key, _, _, _), .remove(let key), .exchange(let key, _), .take(let key): place == Place(key: key)
        case .putIfAbsent(let key, _, _): place == Place(key: key) && entries[place] == nil
        case .update(let key, _), .increment(let key, _): place == Place(key: key)
        case .putMany(let items): items.contains { place == Place(key: $0.key) }
        case .removeMany(let keys): keys.contains { place == Place(key: $0) }
        case .rename(let key, let other): place == Place(key: other) && entries[Place(key: key)] != nil
        case .removeAll: true
        case .within(let group, .removeAll): place.group == group
        case .within(let group, .put(let key, _, _, _)), .within(let group, .remove(let key)):
            place == Place(group: group, key: key)
        default: false
        }
    }

    /// Takes in an update whose answer is not seen.
    private mutating func assume(_ change: Change, of place: Place) {
        guard let new = change.result(for: place.key, old: entries[place]?.entry.value) else {
            return leave(place, .removed)
        }
        store(place, StoredEntry(new), .plain)
    }

    /// Takes in a read whose answer is not seen: a hit or a miss like any other, and a use of what is there.
    private mutating func assumeRead(of place: Place) {
        guard let state = entries[place] else { return counters.read(isHit: false) }
        guard state.isCertain else {
            // What was found is not known, and so neither what was counted nor what leaves next.
            counters.readsAreKnown = false
            room.loseTrack()
            return mayRestartIdleTime(place)
        }
        counters.read(isHit: true)
        _ = sawEntry(place, state.entry)
    }

    /// Takes in a reading that loads, and whose answer is not seen.
    private mutating func assumeLoad(of place: Place, _ origin: Origin) {
        guard entries[place] == nil else {
            assumeRead(of: place)
            return beginRefresh(of: place, origin)
        }
        if negatives.mayHave(place) || stale[place] != nil {
            // Whether it is a hit, and whether anything is loaded, is the cache's own affair.
            (counters.readsAreKnown, counters.loadsAreKnown, counters.failuresAreKnown) = (false, false, false)
            if negatives.mustHave(place), claims.retains { return }
        }
        counters.load(origin.answer)
        for step in origin.meanwhile { assume(step) }
        switch origin.answer {
        case .value(let payload, let terms):
            store(place, StoredEntry(payload.bytes(for: place.key)), terms, isLoaded: true)
        case .nothing where claims.claims(.negative):
            negatives.insert(place)
            negatives.doubt(place)
        case .nothing, .failure: break
        }
    }

    /// Takes in an operation whose answer is not seen.
    private mutating func assume(_ operation: CacheOperation) {
        mayCountRead(by: operation)
        switch operation {
        case .get(let key): assumeRead(of: Place(key: key))
        case .getMany(let keys): for key in keys { assumeRead(of: Place(key: key)) }
        case .within(let group, .get(let key)): assumeRead(of: Place(group: group, key: key))
        case .put(let key, _, _, let terms): store(Place(key: key), entry(of: operation), terms)
        case .putIfAbsent(let key, _, let terms):
            if entries[Place(key: key)] == nil { store(Place(key: key), entry(of: operation), terms) }
        case .exchange(let key, _): store(Place(key: key), entry(of: operation), .plain)
        case .update(let key, let change): assume(change, of: Place(key: key))
        case .increment(let key, let step):
            let old = entries[Place(key: key)].flatMap { DecimalText.number($0.entry.value) } ?? 0
            let sum = old &+ step
            let isFloored = claims.claims(.counterFloor)
            _ = judgeIncrement(Place(key: key), step, .number(isFloored ? max(0, sum) : sum))
        case .putMany(let items):
            for item in items { store(Place(key: item.key), StoredEntry(item.value), .plain) }
        case .rename(let key, let other):
            _ = judgeRename(Place(key: key), Place(key: other), .flag(entries[Place(key: key)] != nil))
        case .advance, .within, .removeAll: _ = judge(operation, .done)
        case .remove(let key), .take(let key): leave(Place(key: key), .removed)
        case .removeMany(let keys):
            for key in keys { leave(Place(key: key), .removed) }
        case .load(let key, let origin): assumeLoad(of: Place(key: key), origin)
        default: break
        }
    }
}
