import CacheCore
import CacheEngine
import CachePolicies

/// The engine as the model's opposite.
struct EngineSubject: CacheSubject {
    let cache: Cache<Int, Int>

    func get(_ key: Int) -> Int? { cache.value(for: key) }
    func peek(_ key: Int) -> Int? { cache.peek(key) }
    func contains(_ key: Int) -> Bool { cache.contains(key) }
    func put(_ key: Int, _ value: Int, expiry: EntryExpiry?, tags: [String]) -> PutOutcome {
        cache.put(value, for: key, expiring: expiry, tags: tags)
    }
    func remove(_ key: Int) -> Int? { cache.removeValue(for: key) }
    func putIfAbsent(_ key: Int, _ value: Int) -> Int? { cache.putIfAbsent(value, for: key) }
    func replace(_ key: Int, _ value: Int) -> Int? { cache.replace(key, with: value) }
    func replace(_ key: Int, expected: Int, _ value: Int) -> Bool {
        cache.replace(key, expected: expected, with: value)
    }
    func remove(_ key: Int, expected: Int) -> Bool { cache.remove(key, expected: expected) }
    func exchange(_ key: Int, _ value: Int) -> Int? { cache.exchange(value, for: key) }
    func compute(_ key: Int, _ transform: (Int?) -> Int?) -> Int? { cache.compute(key, transform) }
    func setExpiry(_ key: Int, _ expiry: EntryExpiry) -> Bool { cache.setExpiry(expiry, of: key) }
    func remaining(_ key: Int) -> Duration? { cache.remainingTime(of: key) }
    func removeAll(tag: String) -> Int { cache.removeAll(taggedWith: tag) }
    func clear() { cache.removeAll() }
    func resize(_ amount: Int) throws { try cache.resize(to: amount) }
    var count: Int { cache.count }
    var weight: Int { cache.weight }
    var entries: [Int: Int] { Dictionary(uniqueKeysWithValues: cache.entries.map { ($0.key, $0.value) }) }
    var statistics: CacheStatistics { cache.statistics }
}

/// One way in which a cache can be wrong.
enum Defect: CaseIterable {
    case keepsFirst, ignoresExpiry, peekIsAUse, putIfAbsentOverwrites, replaceCreates, removeForgetsNothing
    case tagRemovesTooLittle, clearSkips, countsTwice, losesExpiryOnOverwrite, exchangeReturnsNew, weighsNothing
    case reportsReplacedAsRemoved, comparesNothing, shrinksNothing
}

/// The engine with a defect.
struct BrokenSubject: CacheSubject {
    let engine: EngineSubject
    let defect: Defect

    func get(_ key: Int) -> Int? { engine.get(key) }
    func peek(_ key: Int) -> Int? { defect == .peekIsAUse ? engine.get(key) : engine.peek(key) }
    func contains(_ key: Int) -> Bool { engine.contains(key) }
    func put(_ key: Int, _ value: Int, expiry: EntryExpiry?, tags: [String]) -> PutOutcome {
        switch defect {
        case .keepsFirst where engine.contains(key): return .replaced
        case .ignoresExpiry: return engine.put(key, value, expiry: .never, tags: tags)
        case .losesExpiryOnOverwrite where engine.contains(key):
            return engine.put(key, value, expiry: .never, tags: tags)
        case .reportsReplacedAsRemoved where engine.contains(key):
            _ = engine.remove(key)
            _ = engine.put(key, value, expiry: expiry, tags: tags)
            return .replaced
        default: return engine.put(key, value, expiry: expiry, tags: tags)
        }
    }
    func remove(_ key: Int) -> Int? { defect == .removeForgetsNothing ? engine.peek(key) : engine.remove(key) }
    func putIfAbsent(_ key: Int, _ value: Int) -> Int? {
        defect == .putIfAbsentOverwrites ? engine.exchange(key, value) : engine.putIfAbsent(key, value)
    }
    func replace(_ key: Int, _ value: Int) -> Int? {
        defect == .replaceCreates ? engine.exchange(key, value) : engine.replace(key, value)
    }
    func replace(_ key: Int, expected: Int, _ value: Int) -> Bool {
        defect == .comparesNothing
            ? engine.replace(key, value) != nil : engine.replace(key, expected: expected, value)
    }
    func remove(_ key: Int, expected: Int) -> Bool { engine.remove(key, expected: expected) }
    func exchange(_ key: Int, _ value: Int) -> Int? {
        let old = engine.exchange(key, value)
        return defect == .exchangeReturnsNew ? engine.peek(key) : old
    }
    func compute(_ key: Int, _ transform: (Int?) -> Int?) -> Int? { engine.compute(key, transform) }
    func setExpiry(_ key: Int, _ expiry: EntryExpiry) -> Bool { engine.setExpiry(key, expiry) }
    func remaining(_ key: Int) -> Duration? { engine.remaining(key) }
    func removeAll(tag: String) -> Int {
        guard defect == .tagRemovesTooLittle, let key = engine.cache.keys(taggedWith: tag).first else {
            return engine.removeAll(tag: tag)
        }
        return engine.remove(key) == nil ? 0 : 1
    }
    func clear() {
        guard defect == .clearSkips, let kept = engine.entries.first else { return engine.clear() }
        engine.clear()
        _ = engine.put(kept.key, kept.value, expiry: nil, tags: [])
    }
    func resize(_ amount: Int) throws { if defect != .shrinksNothing { try engine.resize(amount) } }
    var count: Int { engine.count }
    var weight: Int { defect == .weighsNothing ? engine.count : engine.weight }
    var entries: [Int: Int] { engine.entries }
    var statistics: CacheStatistics {
        var statistics = engine.statistics
        if defect == .countsTwice { statistics.misses *= 2 }
        return statistics
    }
}
