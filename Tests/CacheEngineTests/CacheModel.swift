import CacheCore
import CacheEngine

/// What the tests drive: the engine, or one of the broken subjects that the tests must catch.
protocol CacheSubject {
    func get(_ key: Int) -> Int?
    func peek(_ key: Int) -> Int?
    func contains(_ key: Int) -> Bool
    func put(_ key: Int, _ value: Int, expiry: EntryExpiry?, tags: [String]) -> PutOutcome
    func remove(_ key: Int) -> Int?
    func putIfAbsent(_ key: Int, _ value: Int) -> Int?
    func replace(_ key: Int, _ value: Int) -> Int?
    func replace(_ key: Int, expected: Int, _ value: Int) -> Bool
    func remove(_ key: Int, expected: Int) -> Bool
    func exchange(_ key: Int, _ value: Int) -> Int?
    func compute(_ key: Int, _ transform: (Int?) -> Int?) -> Int?
    func setExpiry(_ key: Int, _ expiry: EntryExpiry) -> Bool
    func remaining(_ key: Int) -> Duration?
    func removeAll(tag: String) -> Int
    func clear()
    func resize(_ amount: Int) throws
    var count: Int { get }
    var weight: Int { get }
    var entries: [Int: Int] { get }
    var statistics: CacheStatistics { get }
}

/// What an obvious cache does: a dictionary, a list in the order of use, and a look at the clock.
///
/// Strict LRU. `entries` holds the keys from the one that was used longest ago to the newest.
struct CacheModel {
    struct Entry {
        var key: Int
        var value: Int
        var weight: Int
        var deadline: Int64?
        var slides: Bool
        var tags: Set<String>
    }

    var capacity: Int
    var defaultLife: Int64?
    var slidingLife: Int64?
    var weigh: (Int, Int) -> Int
    var now: Int64 = 0
    var entries: [Entry] = []
    var events: [(key: Int, value: Int, cause: RemovalCause)] = []
    var statistics = CacheStatistics()

    var weight: Int { entries.reduce(0) { $0 + $1.weight } }

    mutating func leave(_ index: Int, _ cause: RemovalCause) {
        let entry = entries.remove(at: index)
        record(entry, cause)
    }

    private mutating func record(_ entry: Entry, _ cause: RemovalCause) {
        events.append((entry.key, entry.value, cause))
        statistics.removals[cause, default: 0] += 1
    }

    /// The clock goes forward: what is due is gone for every observer.
    mutating func advance(_ step: Int64) {
        now += step
        while let index = entries.firstIndex(where: { $0.deadline.map { $0 <= now } ?? false }) {
            leave(index, .expired)
        }
    }

    func find(_ key: Int) -> Int? { entries.firstIndex { $0.key == key } }

    mutating func get(_ key: Int) -> Int? {
        guard let index = find(key) else {
            statistics.misses += 1
            return nil
        }
        statistics.hits += 1
        var entry = entries.remove(at: index)
        if entry.slides { entry.deadline = now + slidingLife! }
        entries.append(entry)
        return entry.value
    }

    func peek(_ key: Int) -> Int? { find(key).map { entries[$0].value } }

    mutating func put(_ key: Int, _ value: Int, expiry: EntryExpiry? = nil, tags: [String] = []) -> PutOutcome {
        var deadline: Int64?
        var slides = false
        switch expiry {
        case nil:
            deadline = (slidingLife ?? defaultLife).map { now + $0 }
            slides = slidingLife != nil
        case .never?: break
        case .after(let life)?: deadline = now + Int64(life / .nanoseconds(1))
        case .at(let date)?: deadline = date
        }
        let weight = weigh(key, value)
        let index = find(key)
        if weight > capacity || deadline.map({ $0 <= now }) ?? false {
            if let index { leave(index, .rejected) }
            statistics.refusals += 1
            return .refused(weight > capacity ? .tooHeavy : .expired)
        }
        let old = index.map { entries.remove(at: $0) }
        while self.weight + weight > capacity { leave(0, .evicted) }
        if let old { record(old, .replaced) }
        entries.append(
            Entry(key: key, value: value, weight: weight, deadline: deadline, slides: slides, tags: Set(tags)))
        statistics.writes += 1
        return old == nil ? .stored : .replaced
    }

    mutating func remove(_ key: Int) -> Int? {
        guard let index = find(key) else { return nil }
        let value = entries[index].value
        leave(index, .removed)
        return value
    }

    mutating func setExpiry(_ key: Int, _ life: Int64?) -> Bool {
        guard let index = find(key) else { return false }
        entries[index].deadline = life.map { now + $0 }
        entries[index].slides = false
        if let life, life <= 0 { leave(index, .expired) }
        return true
    }

    mutating func removeAll(tag: String) -> Int {
        var removed = 0
        while let index = entries.firstIndex(where: { $0.tags.contains(tag) }) {
            leave(index, .removed)
            removed += 1
        }
        return removed
    }

    mutating func resize(_ amount: Int) {
        capacity = amount
        while let index = entries.firstIndex(where: { $0.weight > amount }) { leave(index, .evicted) }
        while weight > capacity { leave(0, .evicted) }
    }
}
