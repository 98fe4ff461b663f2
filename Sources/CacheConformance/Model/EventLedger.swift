import CacheCore

/// The events that a cache owes for what has left.
struct EventLedger {
    private struct Owed {
        var place: CacheModel.Place
        var value: [UInt8]
        var causes: Set<CacheEvent.Cause>
        /// Whether it must be told by now; what has expired may be found out later.
        var isDue: Bool
    }

    private var owed: [Owed] = []
    /// Values whose time was over, so far.
    private(set) var expirations = 0
    /// Whether every expiration has been found out.
    private(set) var isSettled = true
    /// Whether anybody listens.
    var isHeard = true

    /// Nothing is owed any more.
    mutating func forget() { (owed, expirations) = ([], 0) }

    mutating func leave(_ place: CacheModel.Place, _ state: CacheModel.State, _ cause: CacheEvent.Cause) {
        guard isHeard else { return }
        // What is not certain may have left before, to make room.
        let causes: Set<CacheEvent.Cause> = state.isCertain ? [cause] : [cause, .evicted]
        owed.append(Owed(place: place, value: state.entry.value, causes: causes, isDue: true))
    }

    mutating func expire(_ place: CacheModel.Place, _ state: CacheModel.State) {
        let causes: Set<CacheEvent.Cause> = state.isCertain ? [.expired] : [.expired, .evicted]
        if isHeard { owed.append(Owed(place: place, value: state.entry.value, causes: causes, isDue: false)) }
        expirations += 1
        isSettled = false
    }

    /// What has expired must be told from now on.
    mutating func expireDue() {
        for index in owed.indices { owed[index].isDue = true }
        isSettled = true
    }

    func isDue(_ place: CacheModel.Place) -> Bool { owed.contains { $0.place == place && $0.isDue } }

    /// Takes an event in; returns a complaint if it is not owed.
    mutating func judge(_ event: CacheEvent, _ place: CacheModel.Place) -> String? {
        let own = owed.indices.filter { owed[$0].place == place }
        guard let index = own.first(where: { owed[$0].value == event.value }) else {
            return "no event for \(name(place, event.value)), which has not left, or has been told before"
        }
        guard owed[index].causes.contains(event.cause) else {
            let causes = owed[index].causes.map(\.rawValue).sorted().joined(separator: " or ")
            return "the cause \(causes) for \(name(place, event.value))"
        }
        if let before = own.first(where: { $0 < index && owed[$0].isDue }) {
            return "the event of \(name(place, owed[before].value)) first, as that left first"
        }
        owed.remove(at: index)
        return nil
    }

    /// A complaint about what should have been told.
    var firstDue: String? {
        owed.first { $0.isDue }.map { due in
            "an event \(due.causes.map(\.rawValue).sorted().joined(separator: " or ")) "
                + "for \(name(due.place, due.value)) too"
        }
    }

    private func name(_ place: CacheModel.Place, _ value: [UInt8]) -> String {
        ValueText.describe(StoredEntry(value), under: place.key) + " of \(KeyText.describe(place.key))"
    }
}

/// What a cache must have counted.
struct CounterModel {
    private var hits = 0
    private var misses = 0
    private var loads = 0
    private var loadFailures = 0
    /// Evictions that were told.
    var evicted = 0

    mutating func read(isHit: Bool) {
        if isHit { hits += 1 } else { misses += 1 }
    }

    mutating func load(fails: Bool) {
        misses += 1
        if fails { loadFailures += 1 } else { loads += 1 }
    }

    func judge(_ result: OperationResult, _ ledger: EventLedger, _ room: RoomModel) -> String? {
        guard case .statistics(let counters) = result else { return "the counters" }
        func wrong(_ counted: Int?, _ exact: Int?, _ name: String) -> String? {
            guard let counted, let exact, counted != exact else { return nil }
            return "\(exact) \(name)"
        }
        return wrong(counters.hits, hits, "hits") ?? wrong(counters.misses, misses, "misses")
            ?? wrong(counters.loads, loads, "loads") ?? wrong(counters.loadFailures, loadFailures, "failed loads")
            ?? wrong(counters.evictions, room.evictions, "evictions")
            ?? wrong(counters.expirations, ledger.isSettled ? ledger.expirations : nil, "expirations")
            ?? wrongRatio(counters)
    }

    private func wrongRatio(_ counters: CacheCounters) -> String? {
        guard let ratio = counters.hitRatio else { return nil }
        let reads = hits + misses
        // What a cache says before any read is its own affair, as long as it is a ratio.
        if reads == 0 { return (0...1).contains(ratio) ? nil : "a hit ratio of 0 to 1" }
        let exact = Double(hits) / Double(reads)
        return abs(ratio - exact) < 1e-6 ? nil : "a hit ratio of \(exact)"
    }
}
