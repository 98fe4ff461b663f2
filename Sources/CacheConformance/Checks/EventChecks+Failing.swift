import CacheCore

// A listener that fails while one operation has several events to tell.
extension EventChecks {
    /// EVT-6: everything is done, told and counted all the same, and told to the listener that comes next.
    static func failingOften(_ context: CheckContext) throws(CheckStop) {
        let ends: [CacheOperation] = (context.claims.claims(.statistics) ? [.statistics] : []) + [.maintain, .events]
        for changes in several(context.claims) {
            let asked = changes + [.count] + ends
            try context.verify(Program([.listen(.fails)] + asked + [.listen(.plain)] + asked), witness: .none)
        }
        try failingInLittleRoom(context, ends)
        try failingInARow(context)
    }

    /// What lets several values leave at once, and looks for each of them.
    private static func several(_ claims: Claims) -> [[CacheOperation]] {
        let (names, kept) = (Array(keys[..<4]), keys[4])
        let puts = names.enumerated().map { CacheOperation.put($1, value($0)) }
        let tagged = names.enumerated().map { CacheOperation.put($1, value($0), terms: PutTerms(tags: ["t"])) }
        let items = names.enumerated().map { KeyedPayload($1, value(10 + $0)) }
        let mortal = names.enumerated().map {
            CacheOperation.put($1, value($0), terms: PutTerms(timeToLiveNanoseconds: 10))
        }
        let ended = claims.claims(.timeToLive) ? [mortal + [.advance(nanoseconds: 10), .maintain]] : []
        let ways: [[CacheOperation]] =
            ended + [
                puts + [.removeAll], tagged + [.removeTagged("t")], puts + [.removeMany(names)],
                puts + [.putMany(items)],
                (puts + [.removeAll]).map { .within(group: "g", $0) },
            ]
        let looks = (names + [kept]).map { CacheOperation.get($0) }
        return ways.filter { $0.allSatisfy { $0.isCovered(by: claims) } }.map { way in
            [.put(kept, value(9))] + way + looks + (way.last == .putMany(items) ? [.removeAll] : [])
        }
    }

    /// The same where it is the room that several leave for.
    private static func failingInLittleRoom(_ context: CheckContext, _ ends: [CacheOperation]) throws(CheckStop) {
        guard context.claims.room?.units.contains(.objects) == true, context.claims.retains else { return }
        let (setup, room) = try context.room(.objects, 4)
        let (full, names) = (min(32, room), keys[..<min(64, 2 * room)])
        let fill = names[..<full].enumerated().map { CacheOperation.put($1, value($0)) }
        let items = names[full...].enumerated().map { KeyedPayload($1, value(100 + $0)) }
        let looks = names.map { CacheOperation.get($0) } + [.count, .events]
        let evicting = context.claimed([.putMany(items), .resize(1)])
        for way in evicting.map({ [$0] }) + [items.map { .put($0.key, $0.payload) }] {
            let asked = fill + way + ends + looks + [.removeAll] + context.claimed([.resize(room)])
            try context.verify(
                Program([.listen(.fails)] + asked + [.listen(.plain)] + asked, setup: setup), witness: .none)
        }
    }

    /// A listener that has failed often is told still.
    private static func failingInARow(_ context: CheckContext) throws(CheckStop) {
        let (names, last) = (keys[..<40], keys[41])
        let items = names.enumerated().map { KeyedPayload($1, value($0)) }
        let bulk = context.claimed([.putMany(items), .removeMany(Array(names))])
        let single = items.map { CacheOperation.put($0.key, $0.payload) } + names.map { .remove($0) }
        let then: [CacheOperation] = [.put(last, value(1)), .put(last, value(2)), .get(last), .remove(last), .events]
        let ways = (bulk.count == 2 ? [bulk] : []) + [Array(single[..<40]) + [.removeAll], single]
        for way in ways {
            try context.verify(Program([.listen(.fails)] + way + [.events] + then + [.listen(.plain)] + way + then))
        }
    }
}
