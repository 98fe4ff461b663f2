import CacheCore

// How many entries there are.
extension CapacityChecks {
    static let ofCounts: [Check] = [
        Check(
            .init("CAP-1", dependsOn: ["STA-2"], profile: .core), due: [counted, .strict, .iterates],
            "There are never more entries than the capacity allows.",
            explanation:
                """
                Puts three times the capacity, loads twice as much, one by one and at once, fills a group, and counts; then \
                stores one in a full cache in each of the ways that are claimed, where what leaves for it is told and counted \
                as far as claimed; puts some into full rooms of 300 and of \
                1200. Witness: one of them is found. Finds ways in that make no room, and big rooms that are trimmed late.
                """
        ) { (context) throws(CheckStop) in
            try counted(context) { room in
                let loads = keys.dropFirst(3 * room).prefix(2 * room).enumerated().flatMap {
                    index, key -> [CacheOperation] in
                    [.load(key, Origin(.value(value(500 + index), .plain))), .count]
                }
                return keys[..<(3 * room)].enumerated().flatMap { [.put($1, value($0)), .get($1), .count] }
                    + context.claimed(loads.filter { $0 != .count || context.claims.claims(.loader) })
                    + context.claimed([
                        .loadMany(Array(keys.dropFirst(5 * room).prefix(2 * room)), lacking: [], sequence: 900), .count,
                    ])
                    + context.claimed(keys[..<room].map { .within(group: "g", .put($0, value(700))) }) + [.count]
            }
            try WaysScenarios.makesRoom(context, .objects)
            try CrowdScenario(context).staysFull(isExact: false)
        },
        Check(
            .init("CAP-2", revision: 2, dependsOn: ["CAP-1"]), due: [counted, .strict, .iterates],
            "A burst of a hundred times the capacity stays within it.",
            explanation: """
                Puts 100 times the capacity, then counts. Witness: a hit. Then in rooms for one and for two counts after each of \
                four puts, before anything is read. Finds bounds that only hold slowly, or once somebody reads.
                """
        ) { (context) throws(CheckStop) in
            for amount in [1, 2] {
                try counted(context, amount, witness: .none) { room in
                    keys[..<(room + 3)].enumerated().flatMap { [.put($1, value($0)), .count] }
                }
            }
            try counted(context) { room in
                keys.prefix(100 * room).enumerated().map { .put($1, value($0)) } + [.count]
                    + keys.prefix(100 * room).suffix(2 * room).map { .get($0) }
            }
        },
        Check(
            .init("CAP-10", dependsOn: ["CAP-1"], profile: .core), due: [counted, .strict, .retains, .iterates],
            "No more is evicted than the newcomer needs.",
            explanation:
                """
                Counts after each put beyond the capacity: the cache stays full; also in bytes, where all cost the same, \
                and in rooms for 300 and for 1200. Finds caches that empty in bulk, and parts that are full before all is.
                """
        ) { (context) throws(CheckStop) in
            try counted(context, witness: .none) { room in
                keys[..<(2 * room)].enumerated().flatMap { [.put($1, value($0)), .count] }
            }
            try staysFull(context)
            try CrowdScenario(context).staysFull(isExact: true)
        },
        Check(
            .init("CAP-11", dependsOn: ["CAP-1"], profile: .core), due: [counted, .retains],
            "A full cache accepts new keys.",
            explanation: """
                Puts new keys into a full cache and reads each at once; over three times the capacity some are found. \
                Finds caches that store nothing more once they are full.
                """
        ) { (context) throws(CheckStop) in try acceptsNew(context) },
        Check(
            .init("CAP-13", dependsOn: ["CAP-1", "ITR-1"]), due: [counted, .iterates],
            "Once it has done its chores a cache is within its capacity.",
            explanation:
                "Puts three times the capacity, lets it do its chores, counts. Finds trimming that never comes."
        ) { (context) throws(CheckStop) in
            try counted(context, witness: .none) { room in
                let puts = keys[..<(3 * room)].enumerated().map { CacheOperation.put($1, value($0)) }
                let end: [CacheOperation] = [.get(keys[3 * room - 1]), .put(keys[0], value(999)), .maintain, .count]
                return puts + [.maintain, .count] + end
            }
        },
        Check(
            .init("CAP-14", dependsOn: ["CAP-1", "POL-5"]), due: [counted, .strict, .iterates],
            "Churn leaves the count within the bound and the cache at work.",
            explanation: """
                Twenty random programs of 300 puts, reads and removals over four times the capacity, counted on the way; \
                then up to 10050 keys, each put, found and removed before the next. Witness: a hit. Finds bookkeeping that \
                drifts, such as entries that can no longer be evicted, and places that are used again and lose what is put.
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
            try CrowdScenario(context).reuses()
        },
        Check(
            .init("CAP-15", dependsOn: ["CAP-1"]), due: [counted, .strict, .feature(.resize), .iterates],
            "Shrinking evicts what no longer fits, and growing keeps everything.",
            explanation: """
                Fills 8, shrinks to 3, grows to 20 and fills again, counting; shrinks to 0 where that is not refused, \
                and grows again; clears what was shrunk; lets entries expire before it shrinks. What stays has its time, \
                its tags and its version as before. A capacity that is the old one, just what is needed or far more \
                takes nothing away, and 1200 entries shrink to 10 as well. A capacity below nothing that is refused \
                changes nothing. Where costs are claimed, a room in bytes shrinks too. Witness: a hit. Finds caches that \
                are made anew and forget what belongs to their entries, amounts that are cut short, shrinking that \
                stops half-way, and clears that go back to the first capacity.
                """
        ) { (context) throws(CheckStop) in
            try counted(context) { room in
                keys[..<room].enumerated().map { .put($1, value($0)) } + [
                    .get(keys[0]), .resize(3), .count, .resize(20),
                ]
                    + [.count] + keys[20..<37].enumerated().map { .put($1, value(100 + $0)) } + [.count]
                    + [.resize(0), .count, .resize(3)] + keys[40..<45].enumerated().map { .put($1, value(200 + $0)) }
                    + [.count]
            }
            try keepsAll(context)
            try keepsWhatFits(context)
            try CrowdScenario(context).shrinks()
            try refusesNonsense(context)
            guard context.claims.claims(.cost), context.claims.room?.units.contains(.bytes) == true else { return }
            try weighed(
                context,
                keys[..<4].enumerated().map { put($1, $0, costs: 25) } + [
                    .get(keys[3]), .resize(50), .cost, .resize(100),
                ]
                    + keys[4..<6].enumerated().map { put($1, 10 + $0, costs: 25) } + [.cost])
        },
        Check(
            .init("CAP-16", dependsOn: ["CAP-1", "TTL-2"]),
            due: [counted, .retains, .feature(.timeToLive), .feature(.expiredFirst)],
            "What has expired makes room before anything live is evicted.",
            explanation:
                "Half of a full cache expires, as many new entries come, all live ones are found. Finds needless loss."
        ) { (context) throws(CheckStop) in
            try counted(context, 4) { room in
                let half = room / 2
                let mortal = keys[half..<room].enumerated().map { index, key in
                    CacheOperation.put(key, value(index), terms: PutTerms(timeToLiveNanoseconds: 10))
                }
                return keys[..<half].enumerated().map { .put($1, value(50 + $0)) } + mortal + [
                    .advance(nanoseconds: 10)
                ]
                    + keys[room..<(room + half)].enumerated().map { .put($1, value(100 + $0)) }
                    + (keys[..<half] + keys[room..<(room + half)]).map { .get($0) }
            }
        },
        Check(
            .init("CAP-20", dependsOn: ["CAP-1", "TTL-9"]), due: [counted, .strict, .retains],
            "What stores nothing evicts nothing.",
            explanation: """
                In a full cache reads, removes and, as far as claimed, replaces and compares what is missing, puts \
                what is over already, loads from an origin that fails, and puts while the writer fails; then \
                overwrites. What was there is found. Finds caches that make room before they know that it is needed.
                """
        ) { (context) throws(CheckStop) in
            let over = PutTerms(timeToLiveNanoseconds: 0)
            try counted(context, 3) { room in
                let (missing, full) = (keys[room + 1], keys[..<room])
                let timed: [CacheOperation] =
                    context.claims.claims(.timeToLive) ? [.put(missing, value(90), terms: over)] : []
                let written: [CacheOperation] =
                    context.claims.claims(.writer)
                    ? [.failWrites(true), .put(missing, value(91)), .failWrites(false)] : []
                let nothing = context.claimed([
                    .replace(missing, value(92)), .compareAndSet(missing, expected: value(1), value(93)),
                    .take(missing), .load(missing, Origin(.failure)), .touch(missing, timeToLiveNanoseconds: 5),
                    .update(missing, .remove), .rename(missing, to: keys[room + 2]),
                ])
                return full.enumerated().map { .put($1, value($0)) } + [.get(missing), .remove(missing)] + timed
                    + written
                    + nothing + [.put(full[room - 1], value(94))] + full.map { .get($0) }
            }
        },
    ]
}

// What resizing leaves alone.
extension CapacityChecks {
    /// What a capacity below nothing means is the cache's own affair, unless it is refused.
    fileprivate static func refusesNonsense(_ context: CheckContext) throws(CheckStop) {
        let isRefused = try context.withInstance(steps: ["resize -1"]) { (instance) throws(CheckStop) in
            instance.perform(.resize(-1)).error != nil
        }
        guard isRefused else { return }
        try counted(context, 3) { room in
            keys[..<room].enumerated().map { .put($1, value($0)) } + [.resize(-1), .count]
                + [.put(keys[room], value(room)), .count, .get(keys[room])]
        }
    }

    /// A capacity that has room for all that is there, exactly or by far.
    fileprivate static func keepsWhatFits(_ context: CheckContext) throws(CheckStop) {
        let most = context.claims.limits.capacityMax ?? .max
        for amount in [2, 4, 1 << 31, 1 << 32, .max] where amount <= most {
            // How much can be said may end at 2^31, as when opening.
            let isTaken = try context.withInstance(steps: ["resize \(amount)"]) { (instance) throws(CheckStop) in
                instance.perform(.resize(amount)).error == nil
            }
            guard isTaken || amount < 1 << 31 else { continue }
            try counted(context, 4) { _ in
                [.put(a, value(1)), .put(b, value(2)), .get(a), .resize(amount), .count, .get(a), .get(b)]
            }
        }
    }

    fileprivate static func keepsAll(_ context: CheckContext) throws(CheckStop) {
        let ways = Ways(context.claims)
        let full = ways.full(1)
        let isTimed = context.claims.claims(.timeToLive)
        for amount in [5, 20] {
            let wait: [CacheOperation] =
                isTimed ? [.advance(nanoseconds: Ways.life - 1), ways.get, .advance(nanoseconds: 1), ways.get] : []
            let ends: [[CacheOperation]] = [
                context.claimed([.remainingTime(ways.key)]) + wait,
                context.claimed([.removeTagged(Ways.tag), ways.get]),
                context.claimed([.setIfMarked(ways.key, value(2)), ways.get]),
            ]
            for end in ends { try counted(context) { _ in full + [ways.get, .resize(amount)] + end } }
        }
        try counted(context) { room in
            [.put(keys[0], value(1)), .get(keys[0]), .resize(3), .removeAll]
                + keys[..<room].enumerated().map { .put($1, value(10 + $0)) } + [.count]
        }
        guard isTimed, context.claims.claims(.expiredFirst), context.claims.retains else { return }
        try counted(context, 4) { _ in
            [.put(keys[2], value(3)), .put(keys[3], value(4))]
                + keys[..<2].map { .put($0, value(1), terms: PutTerms(timeToLiveNanoseconds: 10)) }
                + [.advance(nanoseconds: 10), .resize(2), .get(keys[2]), .get(keys[3])]
        }
    }
}
