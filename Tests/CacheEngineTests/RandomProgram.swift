import CacheCore
import CacheEngine

/// Draws operations, does each on a subject and on the model, and compares.
struct RandomProgram {
    private var generator: SeededGenerator
    private var nextValue = 0

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    /// One operation; what differed, nil for nothing.
    mutating func step(
        _ subject: any CacheSubject, _ model: inout CacheModel, _ clock: VirtualClock, isRoomy: Bool
    ) throws -> String? {
        let key = generator.next(below: 9)
        nextValue += 1
        let value = nextValue
        func equal<T: Equatable>(_ got: T, _ expected: T, _ what: String) -> String? {
            got == expected ? nil : "\(what)(\(key)) was \(got), not \(expected)"
        }
        let difference: String?
        switch generator.next(below: 24) {
        case 0..<5: difference = equal(subject.get(key), model.get(key), "get")
        case 5..<9:
            let expiry = drawExpiry(model.now)
            let tags = drawTags()
            difference = equal(
                subject.put(key, value, expiry: expiry.subject, tags: tags),
                model.put(key, value, expiry: expiry.model, tags: tags), "put")
        case 9: difference = equal(subject.remove(key), model.remove(key), "remove")
        case 10: difference = equal(subject.peek(key), model.peek(key), "peek")
        case 11: difference = equal(subject.contains(key), model.peek(key) != nil, "contains")
        case 12:
            let old = model.peek(key)
            if old == nil { _ = model.put(key, value) }
            difference = equal(subject.putIfAbsent(key, value), old, "putIfAbsent")
        case 13:
            let old = model.peek(key)
            if old != nil { _ = model.put(key, value) }
            difference = equal(subject.replace(key, value), old, "replace")
        case 14: difference = compareAndReplace(subject, &model, key, value)
        case 15:
            let old = model.peek(key)
            _ = model.put(key, value)
            difference = equal(subject.exchange(key, value), old, "exchange")
        case 16: difference = compute(subject, &model, key, value)
        case 17:
            let life = Int64(generator.next(below: 60)) - 2
            difference = equal(
                subject.setExpiry(key, .after(.nanoseconds(life))), model.setExpiry(key, life), "setExpiry")
        case 18:
            let left = model.find(key).flatMap { model.entries[$0].deadline }.map {
                Duration.nanoseconds($0 - model.now)
            }
            difference = equal(subject.remaining(key), left, "remaining")
        case 19:
            let tag = drawTags().first ?? "a"
            difference = equal(subject.removeAll(tag: tag), model.removeAll(tag: tag), "removeAll")
        case 20 where generator.next(below: 6) == 0:
            subject.clear()
            while !model.entries.isEmpty { model.leave(0, .cleared) }
            difference = nil
        case 21 where !isRoomy && generator.next(below: 4) == 0:
            let amount = 1 + generator.next(below: 60)
            try subject.resize(amount)
            model.resize(amount)
            difference = nil
        default:
            let step = Int64(generator.next(below: 20))
            clock.advance(nanoseconds: step)
            model.advance(step)
            difference = nil
        }
        return difference ?? compareWhole(subject, model)
    }

    private mutating func drawExpiry(_ now: Int64) -> (subject: EntryExpiry?, model: EntryExpiry?) {
        switch generator.next(below: 8) {
        case 0: return (.never, .never)
        case 1:
            let life = EntryExpiry.after(.nanoseconds(generator.next(below: 100) - 3))
            return (life, life)
        case 2:
            // The subject's wall clock shows 1000 when the model's only clock shows 0.
            let date = now + Int64(generator.next(below: 100)) - 3
            return (.at(nanosecondsSince1970: date + 1000), .at(nanosecondsSince1970: date))
        case 3: return (.after(.seconds(Int64.max / 2)), .never)
        default: return (nil, nil)
        }
    }

    private mutating func drawTags() -> [String] {
        ["a", "b", "ab"].filter { _ in generator.next(below: 3) == 0 }
    }

    private mutating func compareAndReplace(
        _ subject: any CacheSubject, _ model: inout CacheModel, _ key: Int, _ value: Int
    ) -> String? {
        let old = model.peek(key)
        let expected = generator.next(below: 2) == 0 ? old ?? -1 : -1
        if generator.next(below: 2) == 0 {
            if old == expected { _ = model.put(key, value) }
            return subject.replace(key, expected: expected, value) == (old == expected) ? nil : "replace expected"
        }
        if old == expected { _ = model.remove(key) }
        return subject.remove(key, expected: expected) == (old == expected) ? nil : "remove expected"
    }

    private mutating func compute(
        _ subject: any CacheSubject, _ model: inout CacheModel, _ key: Int, _ value: Int
    ) -> String? {
        let removes = generator.next(below: 3) == 0
        let old = model.peek(key)
        var seen: Int?
        let result = subject.compute(key) {
            seen = $0
            return removes ? nil : value
        }
        var expected: Int?
        if removes { _ = model.remove(key) } else { expected = model.put(key, value).isStored ? value : nil }
        return seen == old && result == expected ? nil : "compute saw \(seen ?? -1) and returned \(result ?? -1)"
    }

    private func compareWhole(_ subject: any CacheSubject, _ model: CacheModel) -> String? {
        if subject.count != model.entries.count { return "count is \(subject.count), not \(model.entries.count)" }
        if subject.weight != model.weight { return "weight is \(subject.weight), not \(model.weight)" }
        let entries = Dictionary(uniqueKeysWithValues: model.entries.map { ($0.key, $0.value) })
        if subject.entries != entries { return "entries are \(subject.entries), not \(entries)" }
        let statistics = subject.statistics
        if statistics != model.statistics { return "statistics are \(statistics), not \(model.statistics)" }
        return nil
    }
}
