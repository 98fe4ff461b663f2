import CacheCore

// What may be the last thing that is done before a store is let go of, and what shows of it afterwards.
extension Ways {
    /// What gives the entry another key or another end, and leaves the rest of it as it is.
    var moves: [[CacheOperation]] {
        guard group == nil, !isCounter else { return [] }
        return claimed([[.rename(key, to: Self.other)], [.touch(key, timeToLiveNanoseconds: 2 * Self.life)]])
    }

    /// Whatever takes the entry away in one step and at once.
    var plainRemovals: [[CacheOperation]] {
        guard !isCounter else { return [] }
        let all: [[CacheOperation]] = [[here(.remove(key))], [.removeAll], [.removeTagged(Self.tag)]]
        guard group == nil else { return claimed(all + [[here(.removeAll)]]) }
        return claimed(
            all + [[.take(key)], [.removeMany([Self.other, key])], [.update(key, .remove)], [.removeIfMarked(key)]])
    }

    /// What brings a tag or an end, each as the last operation.
    var lastWithTerms: [[CacheOperation]] {
        guard !isCounter else { return [] }
        let put = full(1, without: [.versions])
        return [put, put + put] + moves.map { put + $0 }
    }

    /// Reads the entry, whatever key it has now.
    var gets: [CacheOperation] { [get] + (moves.isEmpty ? [] : [.get(Self.other)]) }

    /// Reads it now, and when the life that it first had is over.
    var getsInTime: [CacheOperation] { gets + waits }

    private var waits: [CacheOperation] {
        claims.claims(.timeToLive) ? [.advance(nanoseconds: Self.life)] + gets : []
    }

    /// Looks at what belongs to the entry: the tag, and when it ends.
    var looksAtTerms: [[CacheOperation]] {
        claimed([[.removeTagged(Self.tag)] + gets]) + (waits.isEmpty ? [] : [waits + waits])
    }
}
