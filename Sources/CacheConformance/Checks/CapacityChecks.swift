import CacheCore

/// CAP: how much a cache holds.
enum CapacityChecks {
    private static let a = Array("a".utf8)
    private static let b = Array("b".utf8)
    private static let counted = Claim.capacity(.objects)
    private static let weighed = Claim.capacity(.bytes)
    private static let cost = Claim.feature(.cost)
    private static let keys = (0..<4_096).map { Array("k\($0)".utf8) }

    private static func put(_ key: [UInt8], _ number: Int, costs: Int) -> Operation {
        .put(key, value(number), terms: PutTerms(cost: costs))
    }

    /// A program on a cache with room for so many entries.
    private static func counted(
        _ context: CheckContext, _ amount: Int = 8, witness: CheckContext.Witness = .hits(1),
        _ body: (Int) -> [Operation]
    ) throws(CheckStop) {
        let (setup, room) = try context.room(.objects, amount)
        try context.verify(Program(body(room), setup: setup), witness: witness)
    }

    private static func weighed(
        _ context: CheckContext, _ operations: [Operation], room: Int = 100
    ) throws(CheckStop) {
        let (setup, amount) = try context.room(.bytes, room)
        guard amount == room else { throw .blocked("the capacity cannot be set to \(room)") }
        try context.verify(Program(operations, setup: setup))
    }

    /// Entries of one cost that divides the capacity: it is full after each of them.
    private static func staysFull(_ context: CheckContext) throws(CheckStop) {
        guard context.claims.claims(.cost), context.claims.room?.units.contains(.bytes) == true else { return }
        let (setup, room) = try context.room(.bytes, 100)
        let steps = [
            "open for \(room) bytes", "put 20 entries that cost \(room / 10) each",
            "cost, after each from the tenth on",
        ]
        guard room % 10 == 0 else { return }
        try context.withInstance(setup, steps: steps) { (instance) throws(CheckStop) in
            for (index, key) in keys[..<20].enumerated() {
                _ = instance.perform(put(key, index, costs: room / 10))
                guard index >= 9 else { continue }
                let total = instance.perform(.cost)
                try context.require(
                    total == .number(room), observed: ValueText.describe(total, of: .cost), permitted: "\(room)",
                    steps: steps)
            }
        }
    }

    static let all: [Check] = [
        Check(
            "CAP-1", due: [counted, .strict, .iterates], "There are never more entries than the capacity allows.",
            explanation:
                "Puts three times the capacity, loads twice as much, and counts each time. Witness: one of them is found."
        ) { (context) throws(CheckStop) in
            try counted(context) { room in
                let loads = keys.dropFirst(3 * room).prefix(2 * room).enumerated().flatMap {
                    index, key -> [Operation] in
                    [.load(key, Origin(.value(value(500 + index), .plain))), .count]
                }
                return keys[..<(3 * room)].enumerated().flatMap { [.put($1, value($0)), .get($1), .count] }
                    + context.claimed(loads.filter { $0 != .count || context.claims.claims(.loader) })
            }
        },
        Check(
            "CAP-2", due: [counted, .strict, .iterates], "A burst of a hundred times the capacity stays within it.",
            explanation: "Puts 100 times the capacity, then counts. Witness: a hit. Finds bounds that only hold slowly."
        ) { (context) throws(CheckStop) in
            try counted(context) { room in
                keys.prefix(100 * room).enumerated().map { .put($1, value($0)) } + [.count]
                    + keys.prefix(100 * room).suffix(2 * room).map { .get($0) }
            }
        },
        Check(
            "CAP-3", due: [weighed, .strict, cost], "The costs of all entries stay within the limit.",
            explanation: "Puts entries of costs 1 to 60 into 100 and asks for the total each time. Witness: a hit."
        ) { (context) throws(CheckStop) in
            try weighed(
                context,
                (0..<40).flatMap { index -> [Operation] in
                    [put(keys[index], index, costs: 1 + index * 7 % 60), .get(keys[index]), .cost]
                })
        },
        Check(
            "CAP-4", due: [weighed, cost, .retains], "An entry costs what the caller says and nothing more.",
            explanation: "Fills 100 exactly with 4 entries of 25. Finds hidden costs that make the last one evict."
        ) { (context) throws(CheckStop) in
            try weighed(
                context,
                (0..<4).map { put(keys[$0], $0, costs: 25) } + [.cost] + keys[..<4].map { .get($0) } + [.cost])
        },
        Check(
            "CAP-5", due: [counted],
            "A cache for nothing holds nothing or is refused, and one for a single entry holds one.",
            explanation: """
                Opens with a capacity of 0, of 1 and of as much as can be said. 0 is refused when opening or when putting, \
                or nothing is found; never is it no limit. The greatest capacity may be refused too, down to 2^31. \
                Witness: with the greatest that is taken the entries are found.
                """
        ) { (context) throws(CheckStop) in try extremes(context) },
        Check(
            "CAP-6", due: [weighed, cost, .retains],
            "After an overwrite the total has the new cost instead of the old.",
            explanation: """
                Overwrites with more, less and the same, also by a rename, and loads what has a cost. Finds totals that \
                drift.
                """
        ) { (context) throws(CheckStop) in
            try weighed(
                context,
                [
                    put(a, 1, costs: 5), .cost, put(a, 2, costs: 15), .cost, put(a, 3, costs: 4), .cost,
                    put(a, 4, costs: 4), .cost, .get(a), put(b, 5, costs: 90), .get(a), .get(b), .cost,
                ] + context.claimed([.rename(a, to: b), .cost, put(a, 6, costs: 9), .rename(b, to: a), .cost])
                    + [.removeAll]
                    + context.claimed([.load(a, Origin(.value(value(7), PutTerms(cost: 20)))), .cost]))
        },
        Check(
            "CAP-7", due: [weighed, cost, .retains], "After removals the total is that of what is left.",
            explanation: """
                Removes, clears, expires and writes over what has expired, as far as claimed. Finds costs that are never \
                given back.
                """
        ) { (context) throws(CheckStop) in
            let expires: [Operation] =
                context.claims.claims(.timeToLive)
                ? [
                    .put(a, value(7), terms: PutTerms(timeToLiveNanoseconds: 5, cost: 30)), .cost,
                    .advance(nanoseconds: 5), .maintain, .cost,
                    .put(a, value(8), terms: PutTerms(timeToLiveNanoseconds: 5, cost: 30)),
                    .advance(nanoseconds: 5), put(a, 9, costs: 10), .cost,
                ] : []
            try weighed(
                context,
                [
                    put(a, 1, costs: 30), put(b, 2, costs: 20), .get(a), .remove(a), .cost, .remove(a), .cost,
                    .removeAll,
                    .cost, put(b, 3, costs: 40), .cost, .get(b),
                ] + expires)
        },
        Check(
            "CAP-8", due: [weighed, .retains],
            "An entry that costs more than the whole capacity is refused, the old one gone, and nothing else touched.",
            explanation:
                "Puts 101 into 100 beside two others, fresh and over an old value. Finds caches that empty themselves."
        ) { (context) throws(CheckStop) in
            try weighed(
                context,
                [
                    put(a, 1, costs: 10), put(b, 2, costs: 10), put(keys[0], 3, costs: 101), .get(keys[0]), .get(a),
                    .get(b), put(a, 4, costs: 500), .get(a), .get(b),
                ])
        },
        Check(
            "CAP-9", due: [weighed, cost, .retains], "Costs and totals beyond 32 bits are exact.",
            explanation: "Stores costs of 2^31 and 2^32 and more under a limit of 2^40. Finds sums that wrap."
        ) { (context) throws(CheckStop) in
            try weighed(
                context,
                [
                    put(a, 1, costs: 1 << 31), .cost, put(b, 2, costs: 1 << 32 + 5), .cost, .get(a), .get(b),
                    put(keys[0], 3, costs: 1 << 39), .cost, .get(a), .get(b), .get(keys[0]),
                ], room: 1 << 40)
        },
        Check(
            "CAP-10", due: [counted, .strict, .retains, .iterates], "No more is evicted than the newcomer needs.",
            explanation:
                """
                Counts after each put beyond the capacity: the cache stays full; also in bytes, where all cost the same. \
                Finds caches that empty in bulk.
                """
        ) { (context) throws(CheckStop) in
            try counted(context, witness: .none) { room in
                keys[..<(2 * room)].enumerated().flatMap { [.put($1, value($0)), .count] }
            }
            try staysFull(context)
        },
        Check(
            "CAP-11", due: [counted, .retains], "A full cache accepts new keys.",
            explanation: """
                Puts new keys into a full cache and reads each at once; over three times the capacity some are found. \
                Finds caches that store nothing more once they are full.
                """
        ) { (context) throws(CheckStop) in try acceptsNew(context) },
        Check(
            "CAP-12", due: [counted, .feature(.pin)], "A cache full of pinned entries answers, and keeps them.",
            explanation: """
                Pins all of 4 entries and puts more: these are refused or not kept, and the cache does not search for ever. \
                Witness: a hit. Finds loops that end only when a victim was removed.
                """
        ) { (context) throws(CheckStop) in
            let (setup, room) = try context.room(.objects, 4)
            var operations = keys[..<room].enumerated().flatMap { [Operation.put($1, value($0)), .pin($1)] }
            operations += keys[room..<room + 3].enumerated().map { .put($1, value(50 + $0)) }
            operations += keys[..<room].map { .get($0) }
            operations += [.unpin(keys[0]), .put(keys[room], value(90))]
            operations += keys[1..<room].map { .get($0) }
            try context.verifyAnswered(Program(operations, setup: setup))
        },
        Check(
            "CAP-13", due: [counted, .iterates], "Once it has done its chores a cache is within its capacity.",
            explanation:
                "Puts three times the capacity, lets it do its chores, counts. Finds trimming that never comes."
        ) { (context) throws(CheckStop) in
            try counted(context, witness: .none) { room in
                let puts = keys[..<(3 * room)].enumerated().map { Operation.put($1, value($0)) }
                let end: [Operation] = [.get(keys[3 * room - 1]), .put(keys[0], value(999)), .maintain, .count]
                return puts + [.maintain, .count] + end
            }
        },
        Check(
            "CAP-14", due: [counted, .strict, .iterates],
            "Churn leaves the count within the bound and the cache at work.",
            explanation: """
                Twenty random programs of 300 puts, reads and removals over four times the capacity, counted on the way. \
                Witness: a hit. Finds bookkeeping that drifts, such as entries that can no longer be evicted.
                """
        ) { (context) throws(CheckStop) in
            var random = context.generator
            for _ in 0..<20 {
                try counted(context, 6) { room in
                    (0..<300).map { step in
                        let key = keys[random.next(below: 4 * room)]
                        switch random.next(below: 10) {
                        case 0..<5: return .put(key, value(step))
                        case 5..<7: return .get(key)
                        case 7: return .remove(key)
                        case 8: return .count
                        default: return random.next(below: 8) == 0 ? .removeAll : .contains(key)
                        }
                    }
                }
            }
        },
        Check(
            "CAP-15", due: [counted, .strict, .feature(.resize), .iterates],
            "Shrinking evicts what no longer fits, and growing keeps everything.",
            explanation: "Fills 8, shrinks to 3, grows to 20 and fills again, counting. Witness: a hit."
        ) { (context) throws(CheckStop) in
            try counted(context) { room in
                keys[..<room].enumerated().map { .put($1, value($0)) } + [
                    .get(keys[0]), .resize(3), .count, .resize(20),
                ]
                    + [.count] + keys[20..<37].enumerated().map { .put($1, value(100 + $0)) } + [.count]
            }
        },
        Check(
            "CAP-16", due: [counted, .retains, .feature(.timeToLive), .feature(.expiredFirst)],
            "What has expired makes room before anything live is evicted.",
            explanation:
                "Half of a full cache expires, as many new entries come, all live ones are found. Finds needless loss."
        ) { (context) throws(CheckStop) in
            try counted(context, 4) { room in
                let half = room / 2
                let mortal = keys[half..<room].enumerated().map { index, key in
                    Operation.put(key, value(index), terms: PutTerms(timeToLiveNanoseconds: 10))
                }
                return keys[..<half].enumerated().map { .put($1, value(50 + $0)) } + mortal + [
                    .advance(nanoseconds: 10)
                ]
                    + keys[room..<(room + half)].enumerated().map { .put($1, value(100 + $0)) }
                    + (keys[..<half] + keys[room..<(room + half)]).map { .get($0) }
            }
        },
        Check(
            "CAP-17", due: [weighed, cost, .retains],
            "What costs nothing takes no room, and nothing costs less than that.",
            explanation: """
                Fills 100 beside entries of cost 0; then puts one of cost -50, which is refused or counts as 0, and fills \
                up again. Finds totals below zero, under which a cache grows without end.
                """
        ) { (context) throws(CheckStop) in
            try weighed(
                context,
                [
                    put(a, 1, costs: 0), put(b, 2, costs: 100), .cost, .get(a), .get(b), .remove(b),
                    put(b, 3, costs: -50), .cost, put(keys[0], 4, costs: 60), put(keys[1], 5, costs: 40), .cost,
                    .get(keys[0]), .get(keys[1]), put(keys[2], 6, costs: 50), .cost,
                ])
        },
        Check(
            "CAP-18", due: [.feature(.diskUsage), .durability(.exit)],
            "The disk usage that is told is what lies on the disk.",
            explanation: """
                Puts 40 entries of up to 50 KiB, overwrites and removes some, asks, and adds up the files: they differ by no \
                more than 4 KiB a file and a tenth. The same after reopening. Witness: entries were found.
                """
        ) { (context) throws(CheckStop) in try diskUsage(context) },
        Check(
            survey: "CAP-19", due: [weighed], "Whether an entry of more than half the capacity is let in at last.",
            explanation: "Fills 100 with small entries, then asks for and puts one of 60 again and again, 50 times."
        ) { (context) throws(CheckStop) in
            let (setup, amount) = try context.room(.bytes, 100)
            guard amount == 100 else { throw .blocked("the capacity cannot be set to 100") }
            let steps = ["fill 100 with 50 entries of 2", "50 times: get, put at a cost of 60"]
            let fill = keys[..<50].enumerated().map { put($1, $0, costs: 2) }
            let tries = (0..<50).flatMap { [Operation.get(a), put(a, 100 + $0, costs: 60)] }
            let program = Program(fill + tries + [.get(a)], setup: setup)
            return try context.hits(of: program, from: fill.count, steps: steps) > 0
                ? "it is let in" : "it was not let in within 50 tries"
        },
    ]

    private static func extremes(_ context: CheckContext) throws(CheckStop) {
        _ = try context.room(.objects, 1)
        guard context.claims.room?.isAdjustable == true else { throw .blocked("the capacity cannot be adjusted") }
        let none = CacheSetup(capacity: .objects(0))
        if let empty = try? context.subject.open(none, in: nil) {
            let answers = keys[..<4].map { key in
                _ = empty.perform(.put(key, value(1)))
                return empty.perform(.get(key)).isHit
            }
            _ = empty.perform(.close)
            try context.require(
                !answers.contains(true), observed: "an entry was found",
                permitted: "nothing found with a capacity of 0", steps: ["open for 0 entries", "put", "get"])
        }
        try context.verify(
            Program(
                [.put(a, value(1)), .get(a), .put(a, value(2)), .get(a), .count, .put(b, value(3)), .count, .get(b)],
                setup: CacheSetup(capacity: .objects(1))), witness: .none)
        let all = keys[..<100].enumerated().map { Operation.put($1, value($0)) } + keys[..<100].map { .get($0) }
        let greatest = [Int.max, 1 << 53].first { amount in
            let instance = try? context.subject.open(CacheSetup(capacity: .objects(amount)), in: nil)
            _ = instance?.perform(.close)
            return instance != nil
        }
        try context.verify(Program(all, setup: CacheSetup(capacity: .objects(greatest ?? 1 << 31))))
    }

    private static func diskUsage(_ context: CheckContext) throws(CheckStop) {
        let steps = [
            "put 40 entries", "overwrite and remove a third each", "ask for the disk usage", "reopen, ask again",
        ]
        let sandbox = try context.expecting("a directory", steps: steps) { () throws(StorageError) in
            try Sandbox(needsDirectory: context.subject.needsDirectory)
        }
        defer { sandbox.end() }
        guard let directory = sandbox.directory else { throw .blocked("the subject has no directory to measure") }
        var hits = 0
        for round in 0..<2 {
            let instance = try context.expecting("an open cache", steps: steps) { () throws(StorageError) in
                try context.subject.open(CacheSetup(), in: directory)
            }
            if round == 0 {
                for index in 0..<40 { _ = instance.perform(.put(keys[index], value(index, 24 + index * 1_300))) }
                for index in stride(from: 0, to: 40, by: 3) { _ = instance.perform(.put(keys[index], value(99, 300))) }
                for index in stride(from: 1, to: 40, by: 3) { _ = instance.perform(.remove(keys[index])) }
                _ = instance.perform(.flush)
            }
            hits += keys[..<40].count { instance.perform(.get($0)).isHit }
            let told = instance.perform(.diskUsage)
            let (bytes, files) = (Directory.totalBytes(directory), Directory.files(directory).count)
            _ = instance.perform(.close)
            let slack = 4_096 * (files + 1) + bytes / 10
            guard case .number(let number) = told, abs(number - bytes) <= slack else {
                try context.require(
                    false, observed: ValueText.describe(told, of: .diskUsage) + (round == 0 ? "" : " after reopening"),
                    permitted: "about \(bytes), which is on the disk", steps: steps)
                return
            }
        }
        guard hits > 0 else { throw .blocked("the witness: no entry was found") }
    }

    private static func acceptsNew(_ context: CheckContext) throws(CheckStop) {
        let (setup, room) = try context.room(.objects, 8)
        let late = keys[..<(4 * room)]
        let steps = ["put \(4 * room) keys into a cache for \(room), reading each at once"]
        let program = Program(late.enumerated().flatMap { [.put($1, value($0)), .get($1)] }, setup: setup)
        let found = try context.hits(of: program, from: 2 * room, steps: steps)
        try context.require(
            found > 0, observed: "none of the last \(3 * room) keys was found right after its put",
            permitted: "new keys in a full cache", steps: steps)
    }
}
