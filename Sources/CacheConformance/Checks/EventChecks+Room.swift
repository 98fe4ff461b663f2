import CacheCore

// What leaves because there is no room for it.
extension EventChecks {
    /// EVT-1: what needs more room than before, and what leaves for it.
    static func growing(_ context: CheckContext) throws(CheckStop) {
        // Where the room is only a total, a part of it that is smaller may refuse what fits into the whole.
        guard context.claims.claims(.cost), let claimed = context.claims.room, claimed.isStrict,
            claimed.units.contains(.bytes)
        else { return }
        let (setup, room) = try context.room(.bytes, 10)
        func put(_ key: [UInt8], _ number: Int, _ cost: Int) -> CacheOperation {
            .put(key, value(number), terms: PutTerms(cost: cost))
        }
        let half = room / 2
        try context.verify(
            Program(
                [put(a, 1, half), put(b, 2, half), .get(b), put(b, 3, half + 1), .maintain, .events]
                    + [.get(a), .get(b), .events], setup: setup), witness: .none)
        let several = keys[..<5].enumerated().map { put($1, $0, room / 5) }
        try context.verify(
            Program(
                several + [put(a, 9, room), .maintain, .events] + keys[..<5].map { .get($0) } + [.events], setup: setup),
            witness: .none)
    }

    /// EVT-2: what a group has no room for is told as soon as it was seen to be gone.
    static func limited(_ context: CheckContext) throws(CheckStop) {
        guard context.claims.claims(.groupLimits), context.claims.claims(.groups) else { return }
        let inside = [CacheOperation.put(a, value(1)), .put(b, value(2)), .get(a), .get(b)]
        try context.verify(
            Program(
                [.limitGroup("g", 1)] + inside.map { .within(group: "g", $0) } + [.maintain, .events]),
            witness: .none)
    }

    /// EVT-2: what a write of several values has no room for, of what was there before and of its own.
    static func overflowed(_ context: CheckContext) throws(CheckStop) {
        for (setup, steps) in try bulkOverflows(context) {
            try context.verify(Program(steps + [.maintain, .events, .events], setup: setup), witness: .none)
        }
    }

    /// Writes of several values that need more room than there is, and looks for each.
    static func bulkOverflows(_ context: CheckContext) throws(CheckStop) -> [(
        setup: CacheSetup, steps: [CacheOperation]
    )] {
        guard context.claims.claims(.bulkPut) else { return [] }
        let (setup, room) = try context.room(.objects, 4)
        let (full, all) = (min(60, room), min(64, room + 3))
        let items = keys[..<all].enumerated().map { KeyedPayload($1, value($0)) }
        let fill = items[..<full].map { CacheOperation.put($0.key, $0.payload) }
        let looks = keys[..<all].map { CacheOperation.get($0) }
        return [fill + [.putMany(Array(items[full...]))], [.putMany(items)]].map { (setup, $0 + looks) }
    }
}
