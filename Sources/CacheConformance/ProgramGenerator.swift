import CacheCore

/// Writes random programs: weighted operations on a small pool of keys, every value unique.
struct ProgramGenerator {
    private let claims: Claims
    private let keys: [[UInt8]]
    private var random: SeededGenerator
    private var sequence = 0
    /// What was put last under a key by an operation of its own.
    private var last: [[UInt8]: Payload] = [:]

    /// A generator over a pool of keys for a subject with these claims.
    init(claims: Claims, keys: [[UInt8]], random: SeededGenerator) {
        self.claims = claims
        self.keys = keys.filter { $0.count <= claims.keyBytesMax && (!$0.isEmpty || claims.allowsEmptyKey) }
        self.random = random
    }

    /// The next program, of so many operations; with `features`, a third of them of the features that are claimed.
    mutating func program(operations: Int, features: Bool = false) -> Program {
        Program((0..<operations).map { _ in features && random.next(below: 3) == 0 ? feature() : operation() })
    }

    /// A program of which half are operations of everything that is claimed, but for what is counted and told.
    ///
    /// Pins and the knowledge that there is nothing are left to checks of their own: what a pin or a bound on entries does to
    /// knowledge, and an update to both, is not the same in any two caches that are right.
    mutating func programOfEverything(operations: Int) -> Program {
        guard !claims.features.subtracting([.storedExpiry]).isEmpty else { return program(operations: operations) }
        return Program((0..<operations).map { _ in random.next(below: 2) == 0 ? anything() : operation() })
    }

    private mutating func anything() -> CacheOperation {
        let key = keys[random.next(below: keys.count)]
        let other = keys[random.next(below: keys.count)]
        let counter = Array("counter-\(random.next(below: 2))".utf8)
        let lives = Int64(random.next(below: 40))
        let group = ["x", "y", ""][random.next(below: 3)]
        let terms = self.terms(lives)
        let tagged = PutTerms(cost: terms.cost, tags: [group + "-tag", "all"])
        let due: [(Claims.Feature?, [CacheOperation])] = [
            (.timeToLive, [.put(key, payload(), terms: terms), .advance(nanoseconds: lives / 2), .maintain]),
            (.touch, [.touch(key, timeToLiveNanoseconds: lives)]), (.remainingTime, [.remainingTime(key)]),
            (
                nil,
                conditional([
                    .putIfAbsent(key, payload(), terms: random.next(below: 2) == 0 ? .plain : terms),
                    .replace(key, payload(), terms: random.next(below: 2) == 0 ? .plain : terms),
                    .exchange(key, payload()), .take(key),
                    .compareAndSet(key, expected: last[key] ?? payload(), payload()),
                ])
            ),
            (.bulk, [.getMany([key, other, key]), .removeMany([key, other])]),
            (.bulkPut, [.putMany([KeyedPayload(key, payload()), KeyedPayload(other, payload())])]),
            (.versions, [.mark(key), .setIfMarked(key, payload()), .removeIfMarked(key)]),
            (.update, [.update(key, .set(payload())), .update(key, .remove), .update(counter, .countUp)]),
            (.counter, [.increment(counter, by: random.next(below: 2_000) - 900)]),
            (.loader, loads(of: key, or: other, terms)), (.bulkLoad, [bulkLoad(of: [key, other, key])]),
            (.tags, [.put(key, payload(), terms: tagged), .removeTagged(group + "-tag")]),
            (.cost, [.put(key, payload(), terms: PutTerms(cost: terms.cost)), .cost]),
            (.rename, [.rename(key, to: other)]), (.groups, grouped(group, key, terms)), (.tiers, [.dropMemory]),
        ]
        let claimed = due.filter { $0.0.map(claims.claims) ?? !$0.1.isEmpty }
        guard !claimed.isEmpty else { return .get(key) }
        let choice = claimed[random.next(below: claimed.count)].1
        return choice[random.next(below: choice.count)]
    }

    /// Those of several features that are claimed; together they are as frequent as one feature.
    private func conditional(_ operations: [CacheOperation]) -> [CacheOperation] {
        operations.filter { $0.isCovered(by: claims) }
    }

    /// A time to live and a cost, as far as they are claimed.
    private mutating func terms(_ lives: Int64) -> PutTerms {
        var terms = PutTerms.plain
        if claims.claims(.timeToLive) { terms.timeToLiveNanoseconds = lives }
        if claims.claims(.cost) { terms.cost = random.next(below: 13) }
        return terms
    }

    /// What is done in a group under a key that is also used outside.
    private mutating func grouped(_ group: String, _ key: [UInt8], _ terms: PutTerms) -> [CacheOperation] {
        let put = CacheOperation.put(key, payload(), terms: random.next(below: 2) == 0 ? .plain : terms)
        let inner: [CacheOperation] = [
            put, put, .get(key), .get(key), .contains(key), .remove(key), .count, .keys, .removeAll,
        ]
        return inner.map { .within(group: group, $0) }
    }

    private mutating func loads(of key: [UInt8], or other: [UInt8], _ terms: PutTerms) -> [CacheOperation] {
        [
            .load(key, Origin(.value(payload()))), .load(key, Origin(.value(payload(), terms))),
            .load(key, Origin(.failure)), .load(key, Origin(.value(payload()), meanwhile: [.put(other, payload())])),
            .load(key, Origin(.value(payload()), meanwhile: [.remove(key)])),
        ]
    }

    private mutating func bulkLoad(of keys: [[UInt8]]) -> CacheOperation {
        sequence += keys.count
        return .loadMany(keys, lacking: [], sequence: sequence + 1 - keys.count)
    }

    private mutating func feature() -> CacheOperation {
        let key = keys[random.next(below: keys.count)]
        let lives = Int64(1 + random.next(below: 40))
        let due: [(Claims.Feature, CacheOperation)] = [
            (.timeToLive, .put(key, payload(), terms: PutTerms(timeToLiveNanoseconds: lives))),
            (.timeToLive, .advance(nanoseconds: lives / 2)), (.touch, .touch(key, timeToLiveNanoseconds: lives)),
            (.putIfAbsent, .putIfAbsent(key, payload())), (.replace, .replace(key, payload())),
            (.replace, .exchange(key, payload())), (.take, .take(key)),
            (.bulk, .getMany([key, keys[0]])), (.events, .events), (.statistics, .statistics),
            (.loader, .load(key, Origin(.value(payload())))),
        ]
        let claimed = due.filter { claims.claims($0.0) }
        return claimed.isEmpty ? .get(key) : claimed[random.next(below: claimed.count)].1
    }

    /// The next unique value, of a size that is small as a rule and sometimes not.
    mutating func payload() -> Payload {
        sequence += 1
        let size =
            switch random.next(below: 100) {
            case 0...2: 0
            case 3: 4_096 + random.next(below: 3) - 1
            case 4: 20_000 + random.next(below: 50_000)
            case 5...24: 1 + random.next(below: 24)
            default: 24 + random.next(below: 300)
            }
        return .described(sequence: sequence, byteCount: min(size, claims.valueBytesMax))
    }

    private mutating func operation() -> CacheOperation {
        let key = keys[random.next(below: keys.count)]
        switch random.next(below: 100) {
        case 0..<34:
            let payload = payload()
            last[key] = payload
            return .put(key, payload, expiresAtNanoseconds: expiry())
        case 34..<66: return .get(key)
        case 66..<76: return .contains(key)
        case 76..<90: return .remove(key)
        case 90..<93: return .count
        case 93..<96: return .keys
        case 96: return .removeAll
        case 97: return .flush
        default: return claims.durability >= .exit ? .reopen : .get(key)
        }
    }

    private mutating func expiry() -> Int64? {
        switch random.next(below: 8) {
        case 0: Int64(truncatingIfNeeded: random.next())
        case 1: 1_700_000_000_000_000_000 + Int64(random.next(below: 1_000_000_000))
        default: nil
        }
    }
}
