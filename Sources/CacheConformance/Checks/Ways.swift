import CacheCore

/// The ways in which the same can be done to a key, as far as they are claimed: what holds of one holds of each.
///
/// Each way is a few operations. The key has its first value, number 1, with ``full`` terms, and its version is marked.
struct Ways {
    let claims: Claims
    let key: [UInt8]
    /// The group that the key lies in; nil for none.
    var group: String?
    /// Whether what lies under the key is a number, and the ways are those of counting.
    var isCounter = false

    static let tag = "way"
    static let other = Array("other-way".utf8)
    /// How long what has ``full`` terms lives.
    static let life: Int64 = 100

    init(
        _ claims: Claims, _ key: [UInt8] = Array("way".utf8), in group: String? = nil, isCounter: Bool = false
    ) {
        self.claims = claims
        self.key = key
        self.group = group
        self.isCounter = isCounter
    }

    /// The ways outside of groups, and those in one where groups are claimed.
    static func everywhere(_ claims: Claims) -> [Ways] {
        [Ways(claims)] + (claims.claims(.groups) ? [Ways(claims, in: "ways")] : [])
    }

    /// The ways everywhere, and those of counting where that is claimed.
    static func withCounters(_ claims: Claims) -> [Ways] {
        let counts = claims.claims(.counter) || claims.claims(.update)
        return everywhere(claims) + (counts ? [Ways(claims, Array("way-counter".utf8), isCounter: true)] : [])
    }

    /// The value of that number: what is counted is its digits.
    private func value(_ number: Int, _ byteCount: Int = 32) -> Payload {
        isCounter ? .bytes(DecimalText.bytes(number)) : .described(sequence: number, byteCount: byteCount)
    }

    /// What counts, from the number that is there or from 0.
    private var counts: [[CacheOperation]] { claimed([[.increment(key, by: 2)], [.update(key, .countUp)]]) }

    /// Everything that can be said of an entry and is claimed, but for what the caller does without.
    func full(_ number: Int, without: Set<Claims.Feature> = []) -> [CacheOperation] {
        var terms = PutTerms.plain
        func isDue(_ feature: Claims.Feature) -> Bool { claims.claims(feature) && !without.contains(feature) }
        if isDue(.timeToLive) { terms.timeToLiveNanoseconds = Self.life }
        if isDue(.cost) { terms.cost = 5 }
        if isDue(.tags) { terms.tags = [Self.tag] }
        let mark: [CacheOperation] = isDue(.versions) && group == nil ? [.mark(key)] : []
        return [here(.put(key, value(number), terms: terms))] + mark
    }

    /// An operation where the key lies.
    func here(_ operation: CacheOperation) -> CacheOperation {
        group.map { .within(group: $0, operation) } ?? operation
    }

    /// The same key where it is another: in another group, and outside of groups.
    var twins: [Ways] {
        guard claims.claims(.groups), !isCounter else { return [] }
        return [Ways(claims, key, in: "another")] + (group == nil ? [] : [Ways(claims, key)])
    }

    var put: CacheOperation { here(.put(key, value(2))) }
    var get: CacheOperation { here(.get(key)) }

    func claimed(_ ways: [[CacheOperation]]) -> [[CacheOperation]] {
        ways.filter { $0.allSatisfy { $0.isCovered(by: claims) } }
    }

    /// Value 2 over value 1.
    var overwrites: [[CacheOperation]] {
        guard !isCounter else { return counts }
        guard group == nil else { return [[put]] }
        return claimed([
            [put], [.exchange(key, value(2))], [.replace(key, value(2))],
            [.compareAndSet(key, expected: value(1), value(2))], [.putMany([KeyedPayload(key, value(2))])],
            [.update(key, .set(value(2)))], [.setIfMarked(key, value(2))],
        ])
    }

    /// Value 2 where nothing is.
    var creations: [[CacheOperation]] {
        guard !isCounter else { return counts }
        let load = CacheOperation.load(key, Origin(.value(value(2))))
        guard group == nil else { return claimed([[put], [here(load)]]) }
        return claimed([
            [put], [load], [.putIfAbsent(key, value(2))], [.exchange(key, value(2))],
            [.putMany([KeyedPayload(key, value(2))])], [.update(key, .set(value(2)))],
            [.loadMany([key], lacking: [], sequence: 2)], [.increment(key, by: 2)],
        ])
    }

    /// Value 2 with terms, over value 1 or where nothing is; or a number with terms, which is counted on.
    func writes(_ terms: PutTerms) -> [[CacheOperation]] {
        guard !isCounter else { return claimed([[.put(key, value(1), terms: terms), .increment(key, by: 2)]]) }
        let over = here(.put(key, value(1)))
        let put = here(.put(key, value(2), terms: terms))
        let load = here(.load(key, Origin(.value(value(2), terms))))
        guard group == nil else { return claimed([[put], [over, put], [load]]) }
        return claimed([
            [put], [over, put], [load], [.putIfAbsent(key, value(2), terms: terms)],
            [over, .replace(key, value(2), terms: terms)],
        ])
    }

    /// Whatever takes the entry away.
    var removals: [[CacheOperation]] {
        guard !isCounter else { return [] }
        var ways: [[CacheOperation]] = [[here(.remove(key))], [.removeAll], [.removeTagged(Self.tag)]]
        if claims.claims(.timeToLive) {
            ways.append([here(.put(key, value(9), terms: PutTerms(timeToLiveNanoseconds: 0)))])
            ways += [[.maintain], [get], [here(.contains(key))]].map { [.advance(nanoseconds: Self.life)] + $0 }
        }
        if claims.valueBytesMax <= 1 << 21 { ways.append([here(.put(key, value(9, claims.valueBytesMax + 1)))]) }
        guard group == nil else { return claimed(ways + [[here(.removeAll)]]) }
        return claimed(
            ways + [
                [.take(key)], [.removeMany([Self.other, key])], [.update(key, .remove)], [.removeIfMarked(key)],
                [.rename(key, to: Self.other)], [.touch(key, timeToLiveNanoseconds: 0)],
            ])
    }

    /// Writes of which the writer behind the cache must hear before they are done.
    var failable: [[CacheOperation]] {
        guard !isCounter else { return counts }
        let removals = claimed([[here(.remove(key))]])
        guard group == nil else { return overwrites + removals }
        return overwrites + removals
            + claimed([[.take(key)], [.removeMany([key])], [.removeIfMarked(key)], [.update(key, .remove)]])
    }

    /// Value 2, whatever is there.
    var unconditional: [[CacheOperation]] {
        guard !isCounter else { return counts }
        guard group == nil else { return [[put]] }
        return claimed([
            [put], [.exchange(key, value(2))], [.putMany([KeyedPayload(key, value(2))])],
            [.update(key, .set(value(2)))],
        ])
    }

    /// Value 2 where nothing is, and nothing elsewhere.
    var ifAbsent: [[CacheOperation]] { claimed([[.putIfAbsent(key, value(2))]]) }

    /// Looks at what is there, which read no value.
    var looks: [CacheOperation] {
        guard !isCounter else { return [] }
        let here = [CacheOperation.contains(key), .count, .keys].map(self.here)
        let all: [CacheOperation] = [
            .count, .keys, .firstKeys(1), .firstKeys(5), .cost, .remainingTime(key), .maintain,
        ]
        let extra: [CacheOperation] =
            (claims.claims(.statistics) ? [.statistics] : []) + (claims.claims(.events) ? [.events] : [])
        return claimed((here + (group == nil ? all.dropFirst(2) : all[...]) + extra).map { [$0] }).flatMap(\.self)
    }

    /// Looks at versions, conditions that do not hold and counts that are refused, where value 1 has no mark.
    var attempts: [CacheOperation] {
        guard !isCounter, group == nil else { return [] }
        let all: [CacheOperation] = [
            .mark(key), .compareAndSet(key, expected: value(8), value(9)), .setIfMarked(key, value(9)),
            .removeIfMarked(key), .increment(key, by: 1),
        ]
        return all.filter { $0.isCovered(by: claims) }
    }

    /// What holds the entry, and lets it go.
    var pins: [CacheOperation] { group == nil ? [.pin(key), .unpin(key)].filter { $0.isCovered(by: claims) } : [] }

    /// Value 1 with two tags and at no cost, as far as these are claimed.
    var laden: [CacheOperation] {
        var terms = PutTerms.plain
        if claims.claims(.cost) { terms.cost = 0 }
        if claims.claims(.tags) { terms.tags = [Self.tag, "way-2"] }
        let mark: [CacheOperation] = claims.claims(.versions) && group == nil ? [.mark(key)] : []
        return [here(.put(key, value(1), terms: terms))] + mark
    }

    /// Whatever may find out that the entry has expired. A value that is refused need not look.
    var finds: [[CacheOperation]] {
        guard !isCounter else { return counts }
        let inside: [[CacheOperation]] =
            [
                [get], [here(.contains(key))], [here(.remove(key))], [here(.count)], [here(.keys)], [put],
                [here(.load(key, Origin(.value(value(2)))))], [here(.load(key, Origin(.failure)))], [here(.removeAll)],
                [.removeAll], [.removeTagged(Self.tag)], [.maintain], [.get(Self.other)], [.flush],
            ] + besides.map { [$0] }
        guard group == nil else { return claimed(inside) }
        return claimed(
            inside + overwrites
                + removals.filter { $0.count == 1 && $0[0].entry?.value.count ?? 0 <= claims.valueBytesMax } + [
                    [.getMany([Self.other, key])], [.putIfAbsent(key, value(2))], [.remainingTime(key)], [.mark(key)],
                    [.touch(key, timeToLiveNanoseconds: 10)], [.cost], [.loadMany([key], lacking: [], sequence: 2)],
                    [.pin(key)], [.unpin(key)], [.firstKeys(1)], [.rename(key, to: Self.other)],
                ])
    }

    /// What asks about no key and is claimed.
    private var besides: [CacheOperation] {
        (claims.claims(.events) ? [.events] : []) + (claims.claims(.statistics) ? [.statistics] : [])
            + (claims.hasWriter ? [.writes] : [])
            + (claims.claims(.groupLimits) && claims.claims(.groups) ? [.limitGroup("ways", 100)] : [])
    }

    /// A load of the key; what it brings is kept unless it is overtaken meanwhile.
    func load(_ number: Int, _ terms: PutTerms = .plain, while meanwhile: [CacheOperation] = []) -> CacheOperation {
        here(.load(key, Origin(.value(value(number), terms), meanwhile: meanwhile)))
    }

    /// What takes away or overtakes what is being loaded where nothing is.
    var duringLoads: [[CacheOperation]] {
        guard !isCounter else { return counts }
        var ways = [[put], [here(.remove(key))], [.removeAll]]
        if claims.claims(.timeToLive) {
            ways.append([here(.put(key, value(9), terms: PutTerms(timeToLiveNanoseconds: 0)))])
        }
        guard group == nil else { return claimed(ways + [[here(.removeAll)]]) }
        return claimed(ways + [[.putIfAbsent(key, value(2))]])
    }

    /// What changes nothing of the key.
    var besidesLoads: [[CacheOperation]] {
        guard !isCounter else { return [] }
        let outside: [[CacheOperation]] = [
            [.get(Self.other)], [.put(Self.other, value(5))], [.remove(Self.other)], [.contains(Self.other)],
            [.removeMany([Self.other])], [.putMany([KeyedPayload(Self.other, value(5))])],
            [.exchange(Self.other, value(5))], [.update(Self.other, .set(value(5)))], [.getMany([Self.other])],
            [.within(group: "another", .put(key, value(5)))], [.within(group: "another", .remove(key))],
            [.within(group: "another", .removeAll)],
        ]
        // Whoever cannot list may fail a load in whose middle that is asked.
        let lists = claims.iterates ? [[here(.keys)]] : []
        let inside = [[get], [here(.contains(key))], [here(.count)], [.maintain]] + lists
        guard group == nil else { return claimed(outside + inside + [[.put(key, value(5))], [.remove(key)]]) }
        return claimed(
            outside + inside + [
                [.replace(key, value(5))], [.compareAndSet(key, expected: value(1), value(5))], [.getMany([key])],
                [.touch(key, timeToLiveNanoseconds: 10)], [.remainingTime(key)], [.mark(key)],
            ])
    }

    /// What lets go of the knowledge that there is no value.
    var forgettings: [[CacheOperation]] {
        guard !isCounter else { return [] }
        let all = [[here(.remove(key))], [.removeAll]]
        guard group == nil else { return claimed(all + [[here(.removeAll)]]) }
        return claimed(all + [[.take(key)], [.removeMany([Self.other, key])]])
    }

    /// What is put there next is found, and alone: nothing that was said of the last entry is true of it.
    var nothingIsLeft: [CacheOperation] {
        var asked: [CacheOperation] = [.cost, .removeTagged(Self.tag)]
        if group == nil { asked.insert(.setIfMarked(key, value(8)), at: 0) }
        let waits: [CacheOperation] = claims.claims(.timeToLive) ? [.advance(nanoseconds: Self.life), .maintain] : []
        return claimed(asked.map { [$0] }).flatMap(\.self) + waits + [get]
    }
}
