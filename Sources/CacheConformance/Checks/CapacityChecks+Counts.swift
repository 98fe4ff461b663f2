import CacheCore

// How many entries there are.
extension CapacityChecks {
    static let ofCounts: [Check] = [
        Check(
            .init("CAP-1", revision: 4, dependsOn: ["STA-2"], profile: .core, source: "Caffeine: maximumSize"),
            due: [counted, .strict, .iterates],
            "There are never more entries than the capacity allows.",
            explanation: """
                Puts three times the capacity, loads twice as much, one by one and at once, fills a group, \
                counts and lists; then stores one in a full cache by each operation that is claimed. Witness: one of them \
                is found. Finds operations that make no room.
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
                    + context.claimed(keys[..<room].map { .within(group: "g", .put($0, value(700))) }) + [
                        .count, .keys,
                    ]
            }
            let (setup, room) = try context.room(.objects, 2)
            let fill = keys[..<room].enumerated().map { CacheOperation.put($1, value($0)) }
            try context.each(\.creations, setup) { fill + $1 + [.count, $0.get] }
            guard context.claims.claims(.counter) else { return }
            try context.verify(fill + [.increment(keys[room], by: 1), .count, .get(keys[room])], setup: setup)
        },
        Check(
            .init("CAP-2", revision: 4, dependsOn: ["CAP-1"], source: "maypok86/otter#171"),
            due: [counted, .strict, .iterates],
            "A burst of a hundred times the capacity stays within it.",
            explanation: """
                Puts 100 times the capacity, then counts. Witness: a hit. Then in rooms for one and for two counts after each of \
                four puts, before anything is read, and then looks for each. Finds bounds that only hold slowly, or once somebody \
                reads, and entries that are there and not counted (quick-lru).
                """
        ) { (context) throws(CheckStop) in
            for amount in [1, 2] {
                try counted(context, amount, witness: .none) { room in
                    keys[..<(room + 3)].enumerated().flatMap { [.put($1, value($0)), .count] }
                        + keys[..<(room + 3)].map { .contains($0) }
                }
            }
            try counted(context) { room in
                keys.prefix(100 * room).enumerated().map { .put($1, value($0)) } + [.count]
                    + keys.prefix(100 * room).suffix(2 * room).map { .get($0) }
            }
        },
        Check(
            .init("CAP-10", revision: 3, dependsOn: ["CAP-1"], profile: .core, source: "Caffeine: maximumSize"),
            due: [counted, .strict, .retains, .iterates],
            "No more is evicted than the newcomer needs.",
            explanation: """
                Counts after each put beyond the capacity: the cache stays full; also in bytes, where all cost \
                the same. Finds caches that empty in bulk.
                """
        ) { (context) throws(CheckStop) in
            try counted(context, witness: .none) { room in
                keys[..<(2 * room)].enumerated().flatMap { [.put($1, value($0)), .count] }
            }
            try staysFull(context)
        },
        Check(
            .init("CAP-11", dependsOn: ["CAP-1"], profile: .core, source: "onevcat/Kingfisher#404"),
            due: [counted, .retains],
            "A full cache accepts new keys.",
            explanation: """
                Puts new keys into a full cache and reads each at once; over three times the capacity some are found. \
                Finds caches that store nothing more once they are full.
                """, body: { (context) throws(CheckStop) in try acceptsNew(context, .objects, 8, costs: 1) }),
        Check(
            .init("CAP-13", revision: 2, dependsOn: ["CAP-1", "ITR-1"], source: "Caffeine: maximumSize"),
            due: [counted, .iterates],
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
            .init("CAP-14", revision: 3, dependsOn: ["CAP-1"], source: "moka-rs/moka#592"),
            due: [counted, .strict, .iterates],
            "Churn leaves the count within the bound and the cache at work.",
            explanation: """
                Twenty random programs of 300 puts, reads and removals over four times the capacity, counted on \
                the way. Witness: a hit. Finds bookkeeping that drifts, such as entries that can no longer be \
                evicted (moka-rs/moka#592).
                """
        ) { (context) throws(CheckStop) in
            var random = context.generator
            for _ in 0..<context.rounds(20) {
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
            .init("CAP-15", revision: 4, dependsOn: ["CAP-1"], source: "Caffeine: setMaximum"),
            due: [counted, .strict, .feature(.resize), .iterates],
            "Shrinking evicts what no longer fits, and growing keeps everything.",
            explanation: """
                Fills 8, shrinks to 3, grows to 20 and fills again, counting; shrinks to 0 and below where that is not \
                refused, and grows again. Where costs are claimed, a room in bytes shrinks too. Witness: a hit. \
                Finds shrinking that evicts nothing, and caches that are made anew and empty.
                """
        ) { (context) throws(CheckStop) in
            func puts(_ places: Range<Int>, _ first: Int) -> [CacheOperation] {
                keys[places].enumerated().map { .put($1, value(first + $0)) }
            }
            try counted(context) { room in
                puts(0..<room, 0) + [.get(keys[0]), .resize(3), .count, .resize(20), .count] + puts(20..<37, 100)
                    + [.count, .resize(0), .count, .resize(-1), .count, .resize(3)] + puts(40..<45, 200) + [.count]
            }
            guard context.claims.claims(.cost), context.claims.room?.units.contains(.bytes) == true else { return }
            let fill = keys[..<4].enumerated().map { put($1, $0, costs: 25) }
            let more = keys[4..<6].enumerated().map { put($1, 10 + $0, costs: 25) }
            try context.weighed(fill + [.get(keys[3]), .resize(50), .cost, .resize(100)] + more + [.cost])
        },
        Check(
            .init(
                "CAP-16", revision: 3, dependsOn: ["CAP-1", "TTL-2"],
                source: "cachetools: TTLCache.expire before popitem"),
            due: [counted, .retains, .feature(.timeToLive), .feature(.expiredFirst)],
            "What has expired makes room before anything live is evicted.",
            explanation:
                "Half of a full cache expires, as many new entries come, or the cache shrinks by as much, and all live ones are found. "
                + "Finds needless loss."
        ) { (context) throws(CheckStop) in
            try counted(context, 4) { room in
                let half = room / 2
                let mortal = keys[half..<room].enumerated().map { index, key in
                    CacheOperation.put(key, value(index), terms: PutTerms(timeToLiveNanoseconds: 10))
                }
                let firm = keys[..<half].enumerated().map { CacheOperation.put($1, value(50 + $0)) }
                let over = firm + mortal + [.advance(nanoseconds: 10)]
                let live = keys[..<half].map { CacheOperation.get($0) }
                let shrinking = [.removeAll] + over + [.resize(room - half)] + live
                return over + keys[room..<(room + half)].enumerated().map { .put($1, value(100 + $0)) } + live
                    + keys[room..<(room + half)].map { .get($0) } + (context.claims.claims(.resize) ? shrinking : [])
            }
        },
        Check(
            .init(
                "CAP-20", revision: 6, dependsOn: ["CAP-1", "TTL-9"],
                source: "mailgun/expiringdict#43; JSR-107: replace and failed conditions change nothing"
            ), due: [counted, .strict, .retains],
            "What stores nothing evicts nothing.",
            explanation: """
                Overwrites the newest entry of a full cache. In another one reads, removes and, as far as claimed, replaces and compares what is missing, puts \
                if absent and compares what is there in vain, puts what is over already, loads from an origin that fails, and puts while the writer fails; then \
                overwrites. What was there is found. Finds caches that make room before they know that it is needed.
                """
        ) { (context) throws(CheckStop) in
            try counted(context, 2) { room in
                keys[..<room].enumerated().map { .put($1, value($0)) } + [.put(keys[room - 1], value(94))]
                    + keys[..<room].map { .get($0) }
            }
            let over = PutTerms(timeToLiveNanoseconds: 0)
            try counted(context, 3) { room in
                let (missing, full) = (keys[room + 1], keys[..<room])
                // Where what is over stays until it is asked for, it takes its room.
                let stays = context.claims.deviates(.countsExpired) || context.claims.deviates(.neverSweeps)
                let timed: [CacheOperation] =
                    context.claims.hasOwnTimes && !stays ? [.put(missing, value(90), terms: over)] : []
                let written = context.claimed(
                    if: .writer, .failWrites(true), .put(missing, value(91)), .failWrites(false))
                let nothing = context.claimed([
                    .replace(missing, value(92)), .compareAndSet(missing, expected: value(1), value(93)),
                    .take(missing), .load(missing, Origin(.failure)), .touch(missing, timeToLiveNanoseconds: 5),
                    .update(missing, .remove), .rename(missing, to: keys[room + 2]),
                    .putIfAbsent(full[0], value(95)), .compareAndSet(full[0], expected: value(1), value(96)),
                ])
                return full.enumerated().map { .put($1, value($0)) } + [.get(missing), .remove(missing)] + timed
                    + written
                    + nothing + [.put(full[room - 1], value(94))] + full.map { .get($0) }
            }
        },
    ]
}
