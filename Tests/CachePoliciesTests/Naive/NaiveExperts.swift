import CacheCore
import Foundation

@testable import PolicySupport

/// What two experts evict, and how far each is trusted.
struct NaiveTrust {
    var first: Double
    let least: Double

    /// Multiplies the weight of the expert that was right, as the papers write it.
    mutating func reward(first isFirst: Bool, _ regret: Double) {
        let (one, other) = (first * (isFirst ? exp(regret) : 1), (1 - first) * (isFirst ? 1 : exp(regret)))
        first = min(max(one / (one + other), least), 1 - least)
    }
}

/// LeCaR over one dictionary of what is known of each object and one array for each history.
final class NaiveLeCaR: NaiveModel {
    private struct Entry {
        var weight: Int
        var count: Int
        /// When it was asked for, and when it came to its count.
        var used: Int
    }
    private let capacity: Int
    private let parameters: ParameterValues
    private var generator = SeededGenerator(seed: 1)
    private var trust: NaiveTrust
    private var cache: [ObjectID: Entry] = [:]
    private var histories: [[(id: ObjectID, entry: Entry, left: Int)]] = [[], []]
    private var now = 0
    /// Whether each resident object counts the same.
    private var isUnit = true

    required init(capacity: Int, parameters: ParameterValues) {
        self.capacity = capacity
        self.parameters = parameters
        trust = NaiveTrust(first: parameters.number("weight"), least: parameters.number("least"))
    }

    var residents: [ObjectID] { Array(cache.keys) }
    var ghosts: [ObjectID] { histories.flatMap { $0.map(\.id) } }
    private var weight: Int { cache.values.reduce(0) { $0 + $1.weight } }

    func setUnit(_ unit: Capacity.Unit) { isUnit = unit == .objects }

    func remove(_ id: ObjectID) {
        cache[id] = nil
        for history in 0...1 { histories[history].removeAll { $0.id == id } }
    }

    func access(_ request: NaiveRequest) -> NaiveStep {
        now += 1
        if cache[request.id] != nil {
            cache[request.id]!.count += 1
            cache[request.id]!.used = now
            return NaiveStep(hit: true)
        }
        var step = NaiveStep(hit: false)
        guard request.weight <= capacity else {
            remove(request.id)
            return step
        }
        var count = 1
        for history in 0...1 {
            for ghost in histories[history] where ghost.id == request.id {
                count = ghost.entry.count + 1
                let size = Double(isUnit ? capacity : max(1, cache.count))
                let d = pow(parameters.number("discount"), 1 / size)
                trust.reward(
                    first: history == 1, parameters.number("learning-rate") * pow(d, Double(now - ghost.left)))
            }
        }
        remove(request.id)
        while weight + request.weight > capacity { step.evicted.append(evict()) }
        cache[request.id] = Entry(weight: request.weight, count: count, used: now)
        return step
    }

    private func evict() -> ObjectID {
        let oldest = cache.min { $0.value.used < $1.value.used }!
        let rarest = cache.min { ($0.value.count, $0.value.used) < ($1.value.count, $1.value.used) }!
        let history = generator.nextUnit() < trust.first ? 0 : 1
        let victim = history == 0 ? oldest : rarest
        cache[victim.key] = nil
        let limit = Int(Double(capacity) * parameters.number("history"))
        guard oldest.key != rarest.key, victim.value.weight <= limit else { return victim.key }
        histories[history].append((victim.key, victim.value, now))
        while histories[history].reduce(0, { $0 + $1.entry.weight }) > limit { histories[history].removeFirst() }
        return victim.key
    }
}

/// CACHEUS over arrays, oldest first, with sums counted anew whenever they are needed.
final class NaiveCacheus: NaiveModel {
    private struct Entry {
        var id: ObjectID
        var count = 1
        var used: Int
        var isNew = false
        var isDemoted = false
    }
    private let n: Int
    private let isCaffeine: Bool
    private var trust: NaiveTrust
    private var generator = SeededGenerator(seed: 1)
    private var java = JavaRandom(seed: 1_033_096_058)
    private var rate: NaiveRate
    private var r: [Entry] = []
    private var sr: [Entry] = []
    private var histories: [[Entry]] = [[], []]
    private var rTarget: Int
    private var now = 0
    private var hits = 0

    required init(capacity: Int, parameters: ParameterValues) {
        n = capacity
        isCaffeine = parameters.text("dialect") == "caffeine"
        trust = NaiveTrust(first: 0.5, least: parameters.number("least"))
        let share = max(1, Int((Double(n) * parameters.number("sr")).rounded(.toNearestOrAwayFromZero)))
        rTarget = n == 1 ? 0 : max(1, n - share)
        let first = isCaffeine ? sqrt(2 * log(2) / Double(n)) : 0.001 + 0.999 * generator.nextUnit()
        rate = NaiveRate(value: first, start: min(max(first, 0.001), 1))
    }

    var residents: [ObjectID] { (r + sr).map(\.id) }
    var ghosts: [ObjectID] { (histories[0] + histories[1]).map(\.id) }
    private var demoted: Int { sr.count { $0.isDemoted } }
    private var newGhosts: Int { histories[0].count { $0.isNew } }

    func remove(_ id: ObjectID) {
        r.removeAll { $0.id == id }
        sr.removeAll { $0.id == id }
        for history in 0...1 { histories[history].removeAll { $0.id == id } }
    }

    func access(_ request: NaiveRequest) -> NaiveStep {
        now += 1
        if now.isMultiple(of: n) {
            rate.endWindow(Double(hits) / Double(n), isCaffeine, &generator, &java)
            hits = 0
        }
        let id = request.id
        if var entry = (r + sr).first(where: { $0.id == id }) {
            hits += 1
            entry.count += 1
            entry.used = now
            if !isCaffeine { entry.isNew = false }
            hit(&entry)
            return NaiveStep(hit: true)
        }
        var step = NaiveStep(hit: false)
        let hadRoom = r.count + sr.count < n
        if let history = (0...1).first(where: { histories[$0].contains { $0.id == id } }) {
            var entry = histories[history].first { $0.id == id }!
            histories[history].removeAll { $0.id == id }
            if history == 0, entry.isNew { rTarget = max(1, rTarget - ratio(demoted, newGhosts)) }
            trust.reward(first: history == 1, rate.value)
            if !hadRoom { step.evicted.append(evict()) }
            entry = Entry(id: id, count: isCaffeine ? entry.count : entry.count + 1, used: now)
            r.append(entry)
            limit()
        } else if isCaffeine, sr.isEmpty, r.count < rTarget {
            r.append(Entry(id: id, used: now))
        } else if isCaffeine, hadRoom, sr.count < n - rTarget {
            sr.append(Entry(id: id, used: now))
        } else {
            if !hadRoom { step.evicted.append(evict()) }
            sr.append(Entry(id: id, used: now, isNew: true))
            limit()
        }
        return step
    }

    private func hit(_ entry: inout Entry) {
        if let index = r.firstIndex(where: { [id = entry.id] in $0.id == id }) {
            r.remove(at: index)
            r.append(entry)
            return
        }
        if entry.isDemoted {
            rTarget = min(n - 1, rTarget + ratio(newGhosts, demoted))
            entry.isDemoted = false
        }
        sr.removeAll { [id = entry.id] in $0.id == id }
        guard n > 1 else { return sr.append(entry) }
        if r.count >= rTarget { demote() }
        r.append(entry)
    }

    private func demote() {
        var entry = r.removeFirst()
        entry.isDemoted = true
        sr.append(entry)
    }

    private func limit() {
        while !r.isEmpty, isCaffeine ? r.count >= rTarget : r.count > rTarget { demote() }
    }

    private func ratio(_ above: Int, _ below: Int) -> Int {
        max(1, Int((Double(above) / Double(max(1, below))).rounded(.toNearestOrAwayFromZero)))
    }

    private func evict() -> ObjectID {
        let oldest = sr[0]
        let rarest = (r + sr).min { ($0.count, -$0.used) < ($1.count, -$1.used) }!
        let draw = isCaffeine ? java.nextDouble() : generator.nextUnit()
        let history = draw < trust.first ? 0 : 1
        var victim = history == 0 ? oldest : rarest
        victim.isDemoted = false
        remove(victim.id)
        guard oldest.id != rarest.id, n > 1 else { return victim.id }
        histories[history].append(victim)
        if histories[history].count > n / 2 { histories[history].removeFirst() }
        return victim.id
    }
}

/// CACHEUS's learning rate.
private struct NaiveRate {
    var value: Double
    let start: Double
    private var before = 0.0
    private var ratioBefore = 0.0
    private var bad = 0
    private var falling = 0

    init(value: Double, start: Double) {
        self.value = value
        self.start = start
    }

    mutating func endWindow(
        _ exact: Double, _ isCaffeine: Bool, _ generator: inout SeededGenerator, _ java: inout JavaRandom
    ) {
        func round(_ x: Double) -> Double { isCaffeine ? floor(x * 1000 + 0.5) / 1000 : x }
        let ratio = round(exact)
        let gain = round(ratio - ratioBefore)
        let step = round(value) - round(before)
        (before, ratioBefore) = (value, ratio)
        if step != 0, gain != 0 || !isCaffeine {
            let change = value * abs(step)
            value = gain != 0 && (gain > 0) == (step > 0) ? min(1, value + change) : max(0.001, value - change)
            (bad, falling) = (0, 0)
        } else if isCaffeine, gain <= 0 {
            falling += gain < 0 ? 1 : 0
            bad += gain < 0 || ratio == 0 ? 1 : 0
            if bad >= 10 {
                (value, bad) = (start, 0)
            } else if gain < 0, falling >= 10 {
                (value, falling) = (start, 0)
            } else if gain < 0 {
                value =
                    value >= 1
                    ? 0.9
                    : value <= 0.001
                        ? 0.005
                        : java.next(bits: 1) == 1
                            ? min(value * 1.25, 1) : max(value * 0.75, 0.001)
            }
        } else if !isCaffeine, ratio == 0 || gain <= 0 {
            bad += 1
            if bad >= 10 { (value, bad) = (0.001 + 0.999 * generator.nextUnit(), 0) }
        }
    }
}
