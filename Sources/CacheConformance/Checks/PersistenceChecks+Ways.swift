import CacheCore

// What reaches the disk, however it was stored or has left.
extension PersistenceChecks {
    static let ofWays: [Check] = [
        Check(
            .init("PER-17", dependsOn: ["PER-1"]), due: [.durability(.exit), .retains],
            "What was stored in any way is found after reopening.",
            explanation: """
                Stores where nothing was, and over another value, in each of the ways that are claimed, in a group too, closes, \
                opens and reads; the tag and the end that the other value had are those of the new one only where they \
                were before. Finds ways in that only memory knows, and records that hold the value alone.
                """
        ) { (context) throws(CheckStop) in
            for ways in Ways.withCounters(context.claims) {
                for way in ways.creations + ways.overwrites.map({ ways.full(1) + $0 }) {
                    try context.verify(Program(way + [.reopen, ways.get]), witness: .none)
                }
                for way in ways.overwrites {
                    for look in ways.looksAtTerms {
                        try context.verify(Program(ways.full(1) + way + [.reopen] + look), witness: .none)
                    }
                }
            }
        },
        Check(
            .init("PER-18", dependsOn: ["PER-1", "CAP-1"]), due: [.durability(.exit), .strict, .capacity(.objects)],
            "What has made room does not come back with the store.",
            explanation: """
                Puts 8 entries into a cache for 4, reads them all, removes half of them, reopens and reads: where there is room \
                again, only what was there is found; the same after it was made smaller. Then opens a cache for 3 with room for one, and for 3 again: no more \
                are there than with room for one. Witness: a hit. Finds evictions that only memory knows.
                """
        ) { (context) throws(CheckStop) in
            let (setup, room) = try context.room(.objects, 4)
            let keys = (0..<2 * room).map { Array("kept-\($0)".utf8) }
            let reads = keys.map { CacheOperation.get($0) }
            let removals = stride(from: 0, to: keys.count, by: 2).map { CacheOperation.remove(keys[$0]) }
            let puts = keys.enumerated().map { CacheOperation.put($1, value($0)) }
            try context.verify(Program(puts + reads + removals + [.reopen] + reads, setup: setup))
            if context.claims.room?.isAdjustable == true {
                for shrink in context.claimed([.resize(2)]) {
                    try context.verify(Program(puts + [shrink] + reads + [.reopen] + reads, setup: setup))
                }
            }
            try SetupScenarios.rooms(context, [3, 1, 3])
        },
    ]

    /// PER-4: the names of tags and groups come back letter by letter, and all of them.
    static func namesSurvive(_ context: CheckContext) throws(CheckStop) {
        let (a, b) = (Array("a".utf8), Array("b".utf8))
        let (name, similar) = (OddContents.name, OddContents.similarName)
        if context.claims.claims(.tags) {
            func put(_ key: [UInt8], _ number: Int, _ tags: [String]) -> CacheOperation {
                .put(key, value(number), terms: PutTerms(tags: tags))
            }
            try context.verify(
                Program([
                    put(a, 1, ["s", "t"]), put(b, 2, [name]), .reopen, .get(a), .get(b), .removeTagged("t"), .get(a),
                    .removeTagged(similar), .get(b), .removeTagged(name), .get(b),
                ]))
        }
        guard context.claims.claims(.groups) else { return }
        let groups = [name, similar, "a group of long name", "a group of long nature", "A group of long name"]
        let stored = groups.enumerated().map { CacheOperation.within(group: $1, .put(a, value($0))) }
        let found = groups.map { CacheOperation.within(group: $0, .get(a)) }
        try context.verify(Program(stored + [.reopen] + found))
        for between in [[], churn(context, of: b)] {
            try context.verify(Program([stored[2]] + between + [.reopen, .reopen, found[2]]))
        }
    }

    /// PER-4: what moves to another key, or gets another end, keeps the rest.
    static func movesKeepTerms(_ context: CheckContext) throws(CheckStop) {
        let (ways, claims) = (Ways(context.claims), context.claims)
        let moment = CacheOperation.put(ways.key, value(1), expiresAtNanoseconds: claims.claims(.moment) ? 7 : nil)
        for move in ways.moves {
            try context.verify(Program([moment] + move + [.reopen] + ways.gets), witness: .none)
            for look in ways.looksAtTerms {
                try context.verify(Program(ways.full(1) + move + [.reopen] + look), witness: .none)
            }
            guard claims.claims(.cost), claims.room?.units.contains(.bytes) == true else { continue }
            let (setup, _) = try context.room(.bytes, 100)
            try context.verify(Program(ways.full(1) + move + [.reopen, .cost], setup: setup), witness: .none)
        }
    }

    /// PER-4: a tag without a name, a cost of more than 32 bits, and an end that only reads put off.
    static func extremesSurvive(_ context: CheckContext) throws(CheckStop) {
        let (a, claims) = (Array("a".utf8), context.claims)
        if claims.claims(.tags) {
            let tagged = CacheOperation.put(a, value(1), terms: PutTerms(tags: ["", "t"]))
            try context.verify(Program([tagged, .reopen, .get(a), .removeTagged(""), .get(a)]), witness: .none)
        }
        if claims.claims(.timeToIdle), claims.claims(.timeToLive) {
            let waits = [60, 100].map { CacheOperation.advance(nanoseconds: $0) }
            try context.verify(
                Program(
                    [.put(a, value(2)), waits[0], .reopen, waits[1], .get(a)],
                    setup: CacheSetup(timeToIdleNanoseconds: 100)), witness: .none)
        }
        guard claims.claims(.cost), let room = claims.room, room.isAdjustable, room.units.contains(.bytes) else {
            return
        }
        let great = CacheOperation.put(a, value(3), terms: PutTerms(cost: 1 << 32 + 5))
        try context.verify(
            Program([great, .reopen, .get(a), .cost], setup: CacheSetup(capacity: .bytes(1 << 40))), witness: .none)
    }

    /// PER-7: the order outlives an overwriting, and a file that is written anew because most of it was overwritten.
    static func orderOutlivesChurn(
        _ context: CheckContext, _ keys: [[UInt8]], _ setup: CacheSetup
    ) throws(CheckStop) {
        let fill = keys[..<4].enumerated().map { CacheOperation.put($1, value($0)) }
        let (next, looks) = (CacheOperation.put(keys[4], value(4)), keys[..<5].map { CacheOperation.contains($0) })
        try context.verify(Program(fill + [.put(keys[0], value(5)), .reopen, next] + looks, setup: setup))
        let end: [CacheOperation] = [.get(keys[0]), .reopen, .reopen, next]
        let churn = churn(context, of: keys[3])
        try context.verify(Program(fill + churn + end + looks, setup: setup))
    }

    /// PER-7: each way of reading is one use, also for the order on the disk.
    static func readsMoveOrder(
        _ context: CheckContext, _ keys: [[UInt8]], _ setup: CacheSetup
    ) throws(CheckStop) {
        let outside: [CacheOperation] = [.getMany([keys[0]]), .load(keys[0], Origin(.value(value(9))))]
        let inside = [CacheOperation.get(keys[0]), outside[1]].map { CacheOperation.within(group: "g", $0) }
        for read in context.claimed(outside + inside) {
            var isInGroup = false
            if case .within = read { isInGroup = true }
            func here(_ operation: CacheOperation) -> CacheOperation {
                isInGroup ? .within(group: "g", operation) : operation
            }
            let puts = keys[..<5].enumerated().map { here(.put($1, value($0))) }
            let looks = keys[..<5].map { here(.contains($0)) }
            try context.verify(Program(puts[..<4] + [read, .reopen, puts[4]] + looks, setup: setup))
        }
    }

    /// PER-1: what is put after a clear or the chores is found like all else.
    static func laterPutsSurvive(_ context: CheckContext) throws(CheckStop) {
        let (a, b) = (Array("a".utf8), Array("b".utf8))
        let puts: [CacheOperation] = [.put(a, value(1)), .put(b, value(2, 5_000))]
        let end: [CacheOperation] = [.put(a, value(3)), .reopen, .get(a), .get(b)]
        for chore in [CacheOperation.removeAll, .maintain] { try context.verify(Program(puts + [chore] + end)) }
    }

    /// PER-4: what is loaded afresh from an age on is as old after reopening as before, also where the journal was written anew.
    static func ageSurvives(_ context: CheckContext) throws(CheckStop) {
        let claims = context.claims
        guard claims.claims(.loader), claims.claims(.refresh), claims.claims(.timeToLive), claims.retains else {
            return
        }
        let (a, setup) = (Array("a".utf8), CacheSetup(refreshNanoseconds: 50))
        func load(_ number: Int) -> CacheOperation { .load(a, Origin(.value(value(number)))) }
        let end: [CacheOperation] = [.reopen, .reopen, .advance(nanoseconds: 20), load(2), .maintain, .get(a)]
        for churn in [[], churn(context, of: Array("b".utf8))] {
            for age in [20, 30] as [Int64] {
                let begun: [CacheOperation] = [load(1), .advance(nanoseconds: age)]
                try context.verify(Program(begun + churn + end, setup: setup))
            }
        }
    }

    /// Overwrites of one key with 2 MiB in all, for which a journal is written anew.
    static func churn(_ context: CheckContext, of key: [UInt8]) -> [CacheOperation] {
        let byteCount = min(512 << 10, context.claims.valueBytesMax)
        return (0..<min(400, (2 << 20) / byteCount)).map { .put(key, value(10 + $0, byteCount)) }
    }
}
