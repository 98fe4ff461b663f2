import CacheCore

/// The events that a cache owes for what has left.
struct EventLedger {
    private struct Owed {
        var place: CacheModel.Place
        var value: [UInt8]
        var causes: Set<CacheEvent.Cause>
        /// Whether it must be told by now; what has expired may be found out later.
        var isDue: Bool
        /// Whether it expired before the cache was opened again: it may be found out, or never.
        var isLate = false
    }

    private var owed: [Owed] = []
    /// Values whose time was over, so far.
    private(set) var expirations = 0
    /// Whether something had expired, and was not found out, when the cache was opened again, or may have left before its end:
    /// then the number of expirations is not known.
    private var hasLate = false
    /// Whether every expiration has been found out.
    private(set) var isSettled = true
    /// Causes of which nothing needs to be told, and whether it is told why a value left, and which.
    var untold: Set<CacheEvent.Cause> = []
    var tellsCauses = true
    var tellsValues = true
    /// Whether anybody listens.
    var isHeard = true

    /// Nothing is owed any more, as the cache is opened again; what had expired and was not found out may still be told.
    mutating func forget() {
        owed.removeAll(where: \.isDue)
        for index in owed.indices { owed[index].isLate = true }
        hasLate = hasLate || !owed.isEmpty
        expirations = 0
    }

    /// Expirations are counted from 0 again.
    mutating func clearCount() { expirations = 0 }

    /// How many have expired cannot be known any more.
    mutating func loseCount() { hasLate = true }

    mutating func leave(
        _ place: CacheModel.Place, _ state: CacheModel.State, _ cause: CacheEvent.Cause,
        or others: Set<CacheEvent.Cause> = [], isTold: Bool = true
    ) {
        guard isHeard else { return }
        // What is not certain may have left before, to make room.
        let causes = others.union(state.isCertain ? [cause] : [cause, .evicted])
        let isDue = isTold && !state.mayHaveLeftEarlier && !untold.contains(cause)
        owed.append(Owed(place: place, value: state.entry.value, causes: causes, isDue: isDue, isLate: !isDue))
    }

    /// What is still there, as under another key, or never was, may be told as if it had left.
    mutating func mayLeave(
        _ place: CacheModel.Place, _ entry: StoredEntry, _ causes: Set<CacheEvent.Cause> = [.removed, .replaced]
    ) {
        guard isHeard else { return }
        owed.append(Owed(place: place, value: entry.value, causes: causes, isDue: false, isLate: true))
    }

    mutating func expire(
        _ place: CacheModel.Place, _ state: CacheModel.State, orBy others: Set<CacheEvent.Cause>
    ) {
        let causes = others.union(state.isCertain ? [.expired] : [.expired, .evicted])
        if isHeard {
            owed.append(
                Owed(
                    place: place, value: state.entry.value, causes: causes, isDue: false,
                    isLate: state.mayHaveLeftEarlier || untold.contains(.expired)))
        }
        // What may have left before has perhaps not expired.
        hasLate = hasLate || !state.isCertain
        expirations += 1
        isSettled = false
    }

    /// What has expired must be told from now on.
    mutating func expireDue() {
        for index in owed.indices where !owed[index].isLate { owed[index].isDue = true }
        isSettled = !hasLate
    }

    /// Whether an event can only, or as well, be of what was at its place before: then it is, because that left first.
    func mayOwe(_ event: CacheEvent, _ place: CacheModel.Place) -> Bool {
        owed.contains {
            $0.place == place
                && ($0.isDue || isOf($0, event) && ($0.causes.contains(event.cause) || !tellsCauses))
        }
    }

    private func isOf(_ owed: Owed, _ event: CacheEvent) -> Bool { owed.value == event.value || !tellsValues }

    /// Takes an event in; returns a complaint if it is not owed.
    mutating func judge(_ event: CacheEvent, _ place: CacheModel.Place) -> String? {
        let own = owed.indices.filter { owed[$0].place == place }
        let equal = own.filter { isOf(owed[$0], event) }
        // Of equal values that have left, one may not be told at all.
        // Where no causes or no values are told, it is the one that has to be.
        let fitting = equal.filter { owed[$0].causes.contains(event.cause) || !tellsCauses }
        guard
            let index = (tellsCauses && tellsValues ? nil : fitting.first { owed[$0].isDue }) ?? fitting.first
                ?? equal.first
        else {
            return "no event for \(name(place, event.value)), which has not left, or has been told before"
        }
        guard owed[index].causes.contains(event.cause) || !tellsCauses else {
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

/// What a cache must have counted since it was opened or, where it keeps counters with its entries, since it was made.
struct CounterModel {
    private struct Counts: Hashable {
        var hits = 0
        var misses = 0
        var loads = 0
        var loadFailures = 0
    }

    private var counts = Counts()
    /// What was counted before it was opened again.
    private var before = Counts()
    /// Evictions that were told.
    var evicted = 0
    /// Whether it is known how many loads and how many reads there were.
    var loadsAreKnown = true
    var failuresAreKnown = true
    var readsAreKnown = true

    /// Whether a load that finds no value is counted as one that succeeded.
    var countsEmptyLoads = true
    /// Whether what has expired may be counted as evicted.
    var mayCountExpirations = false

    /// Everything is counted from 0 again.
    mutating func clear() { (counts, before, evicted) = (Counts(), Counts(), 0) }

    mutating func read(isHit: Bool) {
        if isHit { counts.hits += 1 } else { counts.misses += 1 }
    }

    mutating func load(_ answer: Origin.Answer) {
        counts.misses += 1
        if answer == .failure || answer == .nothing && !countsEmptyLoads {
            counts.loadFailures += 1
        } else {
            counts.loads += 1
        }
    }

    mutating func reopen() {
        before = total
        counts = Counts()
        evicted = 0
    }

    private var total: Counts {
        Counts(
            hits: before.hits + counts.hits, misses: before.misses + counts.misses, loads: before.loads + counts.loads,
            loadFailures: before.loadFailures + counts.loadFailures)
    }

    func judge(_ result: OperationResult, _ ledger: EventLedger, _ room: RoomModel) -> String? {
        guard case .statistics(var counters) = result else { return "the counters" }
        if !loadsAreKnown { counters.loads = nil }
        if !failuresAreKnown { counters.loadFailures = nil }
        if !readsAreKnown { (counters.hits, counters.misses, counters.hitRatio) = (nil, nil, nil) }
        let areMixed = mayCountExpirations && ledger.expirations > 0
        let complaint = Self.complaint(
            counters, counts, evictions: areMixed ? nil : room.evictions,
            expirations: ledger.isSettled ? ledger.expirations : nil)
        let isKept = before != Counts() && Self.complaint(counters, total, evictions: nil, expirations: nil) == nil
        return isKept ? nil : complaint
    }

    private static func complaint(
        _ counters: CacheCounters, _ exact: Counts, evictions: Int?, expirations: Int?
    ) -> String? {
        func wrong(_ counted: Int?, _ exact: Int?, _ name: String) -> String? {
            guard let counted, let exact, counted != exact else { return nil }
            return "\(exact) \(name)"
        }
        return wrong(counters.hits, exact.hits, "hits") ?? wrong(counters.misses, exact.misses, "misses")
            ?? wrong(counters.loads, exact.loads, "loads")
            ?? wrong(counters.loadFailures, exact.loadFailures, "failed loads")
            ?? wrong(counters.evictions, evictions, "evictions")
            ?? wrong(counters.expirations, expirations, "expirations")
            ?? wrongRatio(counters, exact)
    }

    private static func wrongRatio(_ counters: CacheCounters, _ counts: Counts) -> String? {
        guard let ratio = counters.hitRatio else { return nil }
        let reads = counts.hits + counts.misses
        // What a cache says before any read is its own affair, as long as it is a ratio.
        if reads == 0 { return (0...1).contains(ratio) ? nil : "a hit ratio of 0 to 1" }
        let exact = Double(counts.hits) / Double(reads)
        return abs(ratio - exact) < 1e-6 ? nil : "a hit ratio of \(exact)"
    }
}
