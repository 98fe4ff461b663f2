import CacheCore

/// The operations that do the same to a key, as far as they are claimed: a rule that holds of one holds of each.
///
/// Each variant is a few operations. The key has its first value, number 1, with ``full(_:)`` terms, and its version is marked.
struct OperationVariants {
    let claims: Claims
    /// The group that the key lies in; nil for none.
    var group: String?
    let key = Array("variant".utf8)

    static let tag = "variant"
    static let other = Array("other-variant".utf8)
    /// How long what has ``full(_:)`` terms lives.
    static let life: Int64 = 100

    /// The variants outside of groups, and those in one where groups are claimed.
    static func everywhere(_ claims: Claims) -> [OperationVariants] {
        [OperationVariants(claims: claims)]
            + (claims.claims(.groups) ? [OperationVariants(claims: claims, group: "variants")] : [])
    }

    private func claimed(_ variants: [[CacheOperation]]) -> [[CacheOperation]] {
        variants.filter { $0.allSatisfy { $0.isCovered(by: claims) } }
    }

    /// An operation where the key lies.
    func here(_ operation: CacheOperation) -> CacheOperation {
        group.map { .within(group: $0, operation) } ?? operation
    }

    var put: CacheOperation { here(.put(key, value(2))) }
    var get: CacheOperation { here(.get(key)) }

    /// A load of the key.
    func load(_ number: Int, _ terms: PutTerms = .plain) -> CacheOperation {
        here(.load(key, Origin(.value(value(number), terms))))
    }

    /// A put with everything that can be said of an entry and is claimed, and a mark of its version.
    func full(_ number: Int) -> [CacheOperation] {
        var terms = PutTerms.plain
        if claims.claims(.timeToLive) { terms.timeToLiveNanoseconds = Self.life }
        if claims.claims(.cost) { terms.cost = 5 }
        if claims.claims(.tags) { terms.tags = [Self.tag] }
        return [here(.put(key, value(number), terms: terms))] + mark
    }

    /// A mark of the entry's version, where that can be set.
    var mark: [CacheOperation] { claims.claims(.versions) && group == nil ? [.mark(key)] : [] }

    /// Value 2 over value 1.
    var overwrites: [[CacheOperation]] {
        guard group == nil else { return [[put]] }
        return claimed([
            [put], [.exchange(key, value(2))], [.replace(key, value(2))],
            [.compareAndSet(key, expected: value(1), value(2))], [.putMany([KeyedPayload(key, value(2))])],
            [.update(key, .set(value(2)))], [.setIfMarked(key, value(2))],
        ])
    }

    /// Value 2 where nothing is.
    var creations: [[CacheOperation]] {
        guard group == nil else { return claimed([[put], [load(2)]]) }
        return claimed([
            [put], [load(2)], [.putIfAbsent(key, value(2))], [.exchange(key, value(2))],
            [.putMany([KeyedPayload(key, value(2))])], [.update(key, .set(value(2)))],
            [.loadMany([key], lacking: [], sequence: 2)],
        ])
    }

    /// Value 2 with terms, where nothing is or over value 1.
    func writes(_ terms: PutTerms) -> [[CacheOperation]] {
        let over = here(.put(key, value(1)))
        let put = here(.put(key, value(2), terms: terms))
        let both = [[put], [over, put], [load(2, terms)]]
        guard group == nil else { return claimed(both) }
        return claimed(
            both + [[.putIfAbsent(key, value(2), terms: terms)], [over, .replace(key, value(2), terms: terms)]])
    }

    /// Whatever takes the entry away.
    var removals: [[CacheOperation]] {
        var variants: [[CacheOperation]] = [[here(.remove(key))], [.removeAll], [.removeTagged(Self.tag)]]
        if claims.claims(.timeToLive) {
            variants.append([here(.put(key, value(9), terms: PutTerms(timeToLiveNanoseconds: 0)))])
            variants += [[.maintain], [get], [here(.contains(key))]].map { [.advance(nanoseconds: Self.life)] + $0 }
        }
        guard group == nil else { return claimed(variants + [[here(.removeAll)]]) }
        return claimed(
            variants + [
                [.take(key)], [.removeMany([Self.other, key])], [.update(key, .remove)], [.removeIfMarked(key)],
                [.rename(key, to: Self.other)], [.touch(key, timeToLiveNanoseconds: 0)],
            ])
    }

    /// Looks at what is there, which read no value and change nothing.
    var looks: [[CacheOperation]] {
        let inside = [CacheOperation.contains(key), .count, .keys].map(here)
        let outside: [CacheOperation] = [
            .firstKeys(1), .cost, .remainingTime(key), .mark(key), .maintain,
            .compareAndSet(key, expected: value(8), value(9)),
        ]
        return claimed((inside + (group == nil ? outside : [])).map { [$0] })
    }

    /// Whatever may find out that the entry has expired.
    var finds: [[CacheOperation]] {
        let inside: [[CacheOperation]] = [
            [get], [here(.contains(key))], [here(.remove(key))], [here(.count)], [here(.keys)], [put], [load(2)],
            [here(.load(key, Origin(.failure)))], [here(.removeAll)],
        ]
        guard group == nil else { return claimed(inside) }
        return claimed(
            inside + overwrites + removals.filter { $0.count == 1 } + [
                [.maintain], [.getMany([Self.other, key])], [.putIfAbsent(key, value(2))], [.remainingTime(key)],
                [.mark(key)], [.touch(key, timeToLiveNanoseconds: 10)], [.cost],
                [.loadMany([key], lacking: [], sequence: 2)], [.firstKeys(1)],
            ])
    }
}

extension CheckContext {
    /// Puts one rule to each of some variants, in no group and in one. A failure names the variant after the check's id.
    func each(
        _ variants: (OperationVariants) -> [[CacheOperation]], _ setup: CacheSetup = CacheSetup(),
        _ program: (OperationVariants, [CacheOperation]) -> [CacheOperation]
    ) throws(CheckStop) {
        for place in OperationVariants.everywhere(claims) {
            for variant in variants(place) {
                do throws(CheckStop) {
                    // Most of what is put is removed again: only what cannot be is looked for at the end.
                    try verify(Program(program(place, variant), setup: setup), witness: .none)
                } catch {
                    throw error.naming(variant.last!)
                }
            }
        }
    }
}

extension CheckStop {
    /// The same, with a failure that names the operation whose rule was broken.
    fileprivate func naming(_ operation: CacheOperation) -> CheckStop {
        guard case .failed(var failure) = self else { return self }
        failure.operation =
            if case .within(_, let inner) = operation { "\(inner.name) in a group" } else { operation.name }
        return .failed(failure)
    }
}
