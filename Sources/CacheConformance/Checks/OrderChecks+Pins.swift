import CacheCore

// What is pinned stays.
extension OrderChecks {
    static let ofPins = Check(
        "POL-12", due: [.feature(.pin), .capacity(.objects), .retains],
        "What is pinned is never the one that leaves.",
        explanation: """
            Pins three of 4, lets go of one, overwrites the second and renames the third if that is claimed, puts ten \
            times the capacity and looks; pins one and overwrites it in each of the ways that are claimed, and by a \
            refresh; removes the same key from a group, pins 290 of 300, and one where the room is in bytes. What is pinned is counted and listed, and \
            can still be removed in each of the ways that are claimed, be cleared and expire. Finds pins that the \
            order does not know, ones that a write takes away, ones that hold or hide more than that, and ones beyond \
            which no more are kept.
            """
    ) { (context) throws(CheckStop) in
        let (setup, room) = try context.room(.objects, 4)
        let many = (0..<10 * room).map { CacheOperation.put(key("other-\($0)"), value(100 + $0)) }
        try pinned(context, setup, room, many)
        try pinnedAndWritten(context, setup, many)
        try CrowdScenario(context).pins()
        try WaysScenarios.pinnedAndRefreshed(context)
        try pinnedAndEnded(context, setup)
        try pinnedInBytes(context)
    }

    private static func pinnedInBytes(_ context: CheckContext) throws(CheckStop) {
        guard context.claims.claims(.cost), context.claims.room?.units.contains(.bytes) == true else { return }
        let (setup, room) = try context.room(.bytes, 10)
        let puts = keys[..<5].enumerated().map {
            CacheOperation.put($1, value($0), terms: PutTerms(cost: max(1, room * 2 / 5)))
        }
        try context.verify(Program([puts[0], .pin(keys[0])] + puts[1...] + [.get(keys[0])], setup: setup))
    }

    private static func pinned(
        _ context: CheckContext, _ setup: CacheSetup, _ room: Int, _ many: [CacheOperation]
    ) throws(CheckStop) {
        let pins =
            [.pin(keys[0]), .pin(keys[1]), .pin(keys[2]), .unpin(keys[2]), .put(keys[0], value(50))]
            + context.claimed([.rename(keys[1], to: keys[60])])
        let looks: [CacheOperation] = [.get(keys[0]), .get(keys[1]), .get(keys[60])]
        try context.verify(Program(fill(0..<min(4, room)) + pins + many + looks, setup: setup))
        let shrunk = context.claimed([
            .put(keys[0], value(1)), .pin(keys[0]), .put(keys[1], value(2)), .put(keys[2], value(3)), .resize(1),
            .get(keys[0]),
        ])
        try context.verify(Program(shrunk, setup: setup))
        let namesake = context.claimed([
            .put(keys[0], value(1)), .pin(keys[0]), .within(group: "g", .put(keys[0], value(2))),
            .within(group: "g", .remove(keys[0])),
        ])
        try context.verify(Program(namesake + many + [.get(keys[0])], setup: setup))
    }

    private static func pinnedAndWritten(
        _ context: CheckContext, _ setup: CacheSetup, _ many: [CacheOperation]
    ) throws(CheckStop) {
        for ways in Ways.withCounters(context.claims) where ways.group == nil {
            let touches = context.claimed([.touch(ways.key, timeToLiveNanoseconds: 50)]).map { [$0] }
            for way in ways.overwrites + touches {
                let pinned = ways.full(1, without: [.timeToLive, .cost, .tags]) + [.pin(ways.key)] + way
                try context.verify(Program(pinned + many + [ways.get], setup: setup))
            }
        }
    }

    /// A pin keeps out of the way of evictions alone.
    private static func pinnedAndEnded(_ context: CheckContext, _ setup: CacheSetup) throws(CheckStop) {
        let removals: [CacheOperation] = [
            .put(keys[1], value(2)), .pin(keys[1]), .get(keys[1]), .count, .keys, .removeAll, .get(keys[1]),
            .put(keys[2], value(3)), .pin(keys[2]), .remove(keys[2]), .get(keys[2]),
        ]
        let expiry: [CacheOperation] = [
            .put(keys[0], value(1), terms: PutTerms(timeToLiveNanoseconds: 10)), .pin(keys[0]), .get(keys[0]),
            .advance(nanoseconds: 10), .get(keys[0]),
        ]
        let others = context.claimed([
            .put(keys[0], value(4), terms: PutTerms(tags: ["t"])), .pin(keys[0]), .removeTagged("t"), .get(keys[0]),
            .take(keys[1]), .removeMany([keys[1]]), .get(keys[1]),
        ])
        let ends = removals + (context.claims.claims(.timeToLive) ? expiry : []) + others
        try context.verify(Program(ends, setup: setup))
    }
}
