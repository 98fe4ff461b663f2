import CacheCore

/// Every program of few operations over two keys: where there are few states, all ways between them can be gone.
///
/// Each program has keys of its own, so that many of them are done to one instance, one after the other.
struct SmallPrograms {
    /// One operation on the two keys; every value that it stores has the given number.
    typealias Letter = @Sendable (_ a: [UInt8], _ b: [UInt8], _ sequence: Int) -> CacheOperation

    /// How many programs are done to one instance: so few that listing its keys takes no time.
    private static let perInstance = 32

    /// BAS-13.
    static func verify(_ context: CheckContext) throws(CheckStop) {
        let claims = context.claims
        let most = claims.durability == .power ? 60 : context.subject.needsDirectory ? 200 : 1_500
        let plain = SmallPrograms(letters: core)
        try plain.verify(context, longest: 4, most: most, CacheSetup())
        let everything = SmallPrograms(letters: core + features(claims))
        try everything.verify(context, longest: 3, most: most, CacheSetup())
        guard let room = claims.room, room.isAdjustable, room.units.contains(.objects) else { return }
        // Caches of several parts hold no less than one entry in each.
        let amount = room.isStrict ? 1 : 16
        try plain.verify(context, longest: 4, most: most, CacheSetup(capacity: .objects(amount)))
        guard room.isStrict else { return }
        // Both keys fit, if nothing else is there.
        let cleared = SmallPrograms(letters: ofKeys, clearsFirst: true)
        try cleared.verify(context, longest: 4, most: most, CacheSetup(capacity: .objects(2)))
    }

    let letters: [Letter]
    /// Whether a clear stands before each program.
    var clearsFirst = false

    /// Does all programs of up to `longest` letters, in the order of their lengths; of a length that does not fit into what
    /// is left of `most`, some, evenly.
    private func verify(
        _ context: CheckContext, longest: Int, most: Int, _ setup: CacheSetup
    ) throws(CheckStop) {
        let words = words(longest: longest, most: most)
        for start in stride(from: 0, to: words.count, by: Self.perInstance) {
            let group = words[start..<min(start + Self.perInstance, words.count)]
            let operations = group.enumerated().flatMap { self.steps(of: $1, number: start + $0) }
            // Most of what is put is removed again, or finds no room: one group may show nothing.
            try context.verify(operations, setup: setup, witness: start == 0 ? .hits(1) : .none)
        }
    }

    /// The programs as numbers of letters.
    func words(longest: Int, most: Int) -> [[Int]] {
        var words: [[Int]] = []
        var total = 1
        for length in 1...longest {
            total *= letters.count
            // About half of all differ from another in the names of the keys alone.
            let left = 2 * (most - words.count)
            guard left > 0 else { break }
            var step = max(1, (total + left - 1) / left)
            while step > 1, Self.haveCommonDivisor(step, letters.count) { step += 1 }
            for index in stride(from: 0, to: total, by: step) {
                var (word, rest) = ([Int](), index)
                for _ in 0..<length {
                    word.append(rest % letters.count)
                    rest /= letters.count
                }
                if isFirstOfTwins(word) { words.append(word) }
            }
        }
        return words
    }

    /// Whether the first operation that names a key names `a`, so that the program with the keys changed is left out.
    private func isFirstOfTwins(_ word: [Int]) -> Bool {
        word.lazy.compactMap { letters[$0]([0], [1], 0).key }.first ?? [0] == [0]
    }

    private static func haveCommonDivisor(_ a: Int, _ b: Int) -> Bool {
        var (a, b) = (a, b)
        while b > 0 { (a, b) = (b, a % b) }
        return a > 1
    }

    /// A program, and then everything that can be seen of its keys.
    private func steps(of word: [Int], number: Int) -> [CacheOperation] {
        let (a, b) = (Array("a\(number)".utf8), Array("b\(number)".utf8))
        let first = number * 8 + 1
        let steps = word.enumerated().map { letters[$1](a, b, first + $0) }
        return (clearsFirst ? [.removeAll] : []) + steps + [
            .get(a), .contains(b), .get(b), .contains(a), .count, .keys,
        ]
    }

    // MARK: Letters

    /// What every cache does.
    static let core = ofKeys + [{ _, _, _ in .removeAll }]

    /// But for what is done to all keys at once.
    private static let ofKeys: [Letter] = [
        { a, _, number in .put(a, value(number)) }, { _, b, number in .put(b, value(number)) },
        { a, _, _ in .get(a) }, { _, b, _ in .get(b) }, { a, _, _ in .remove(a) }, { _, b, _ in .remove(b) },
    ]

    /// What the claims say besides, but for what is counted and told, and for what is not the same in any two caches that are
    /// right, such as pins.
    static func features(_ claims: Claims) -> [Letter] {
        let oneKey: [(Claims.Feature, Letter)] = [
            (.putIfAbsent, { a, _, number in .putIfAbsent(a, value(number)) }),
            (.replace, { a, _, number in .replace(a, value(number)) }),
            (.replace, { a, _, number in .exchange(a, value(number)) }),
            (.take, { a, _, _ in .take(a) }),
            // What the step before may have put.
            (.compareAndSet, { a, _, number in .compareAndSet(a, expected: value(number - 1), value(number)) }),
            (.timeToLive, { a, _, number in .put(a, value(number), terms: PutTerms(timeToLiveNanoseconds: 10)) }),
            (.timeToLive, { a, _, number in .put(a, value(number), terms: PutTerms(timeToLiveNanoseconds: 0)) }),
            (.touch, { a, _, _ in .touch(a, timeToLiveNanoseconds: 10) }),
            (.remainingTime, { a, _, _ in .remainingTime(a) }),
            (.loader, { a, _, number in .load(a, Origin(.value(value(number)))) }),
            (.loader, { a, _, _ in .load(a, Origin(.failure)) }),
            (.loader, { a, _, number in .load(a, Origin(.value(value(number)), meanwhile: [.remove(a)])) }),
            (.versions, { a, _, _ in .mark(a) }), (.versions, { a, _, number in .setIfMarked(a, value(number)) }),
            (.update, { a, _, number in .update(a, .set(value(number))) }),
            (.update, { a, _, _ in .update(a, .remove) }),
            (.tags, { a, _, number in .put(a, value(number), terms: PutTerms(tags: ["t"])) }),
        ]
        let both: [(Claims.Feature, Letter)] = [
            (.timeToLive, { _, _, _ in .advance(nanoseconds: 5) }),
            (.timeToLive, { _, _, _ in .advance(nanoseconds: 10) }),
            (.bulk, { a, b, _ in .getMany([b, a, b]) }), (.bulk, { a, b, _ in .removeMany([a, b]) }),
            (.bulkPut, { a, b, number in .putMany([KeyedPayload(b, value(number)), KeyedPayload(a, value(number))]) }),
            (.rename, { a, b, _ in .rename(a, to: b) }), (.tags, { _, _, _ in .removeTagged("t") }),
            (.tiers, { _, _, _ in .dropMemory }), (.walks, { _, _, _ in .firstKeys(1) }),
        ]
        let single = oneKey.filter { claims.claims($0.0) }.map(\.1)
        let swapped = single.map { letter -> Letter in { a, b, number in letter(b, a, number) } }
        var letters = single + swapped + both.filter { claims.claims($0.0) }.map(\.1)
        if claims.claims(.timeToLive) { letters.append { _, _, _ in .maintain } }
        if claims.durability >= .exit { letters.append { _, _, _ in .reopen } }
        return letters
    }
}
