import CacheCore

// What writes, reads, touches and loads do to the time of an entry.
extension ExpiryChecks {
    static let ofWrites: [Check] = [
        Check(
            .init(
                "TTL-5", revision: 4, dependsOn: ["TTL-1", "TTL-2", "TTL-3"],
                source: "pinterest/PINCache#222, isaacs/node-lru-cache#392"),
            due: [.feature(.timeToIdle), lives, .retains],
            "Reads extend a time to idle and never a time to live.",
            explanation: """
                With a time to idle of 100, an entry that is read at 90 lives at 180 and is gone 100 after that, \
                and whatever chores were done, and not counted after them; one with a time to live of its own is gone at its \
                end. What is written by any operation has that time, and no look extends it; the longest time to idle is no \
                end. Finds mixed-up modes, reads of another kind that do not count, writes that know nothing of the rule, \
                sweeps that do not know of reads, or never come again after one, and sums that wrap \
                (hazelcast/hazelcast#21330).
                """
        ) { (context) throws(CheckStop) in
            let reads: [CacheOperation] = [
                .getMany([b, a]), .load(a, Origin(.failure)), .loadMany([b, a], lacking: [b], sequence: 20),
            ]
            var others = context.claimed(reads).flatMap { [.put(a, value(3)), wait(90), $0, wait(90), .get(a)] }
            others += [.put(a, value(4)), wait(90), .get(a), wait(20), .maintain, .get(a), wait(100), .maintain]
            others += context.claimed([.count])
            let inside = [CacheOperation.put(b, value(5)), .get(b), .get(b), .load(b, Origin(.failure)), .get(b)]
            let grouped = inside.map { CacheOperation.within(group: "g", $0) }
            others += context.claimed(grouped).flatMap { [$0, wait(90)] }
            others += [.put(a, value(6)), wait(90)] + context.claimed([.remainingTime(a)]) + [wait(10), .get(a)]
            try context.verify(
                [
                    .put(a, value(1)), put(b, 2, lives: 120), wait(90), .get(a), .get(b), wait(90), .get(b),
                    .get(a), wait(99), .contains(a), wait(1), .get(a),
                ] + others, setup: CacheSetup(timeToIdleNanoseconds: 100))
            try context.verify(
                [wait(1 << 40), .put(a, value(1)), .get(a), wait(1 << 50), .get(a)],
                setup: CacheSetup(timeToIdleNanoseconds: .max))
            let idle = CacheSetup(timeToIdleNanoseconds: 100)
            try context.each(\.overwrites, idle) {
                [$0.here(.put($0.key, value(1)))] + $0.mark + [wait(60)] + $1 + [wait(60), $0.get]
            }
            try context.each(\.creations, idle) { $1 + [wait(99), $0.get, wait(100), $0.get] }
            try context.each(\.looks, idle) { [$0.here(.put($0.key, value(1))), wait(60)] + $1 + [wait(40), $0.get] }
        },
        Check(
            .init(
                "TTL-6", dependsOn: ["TTL-1", "TTL-2", "TTL-3"], profile: .core, source: "tair-opensource/TairString#16"
            ), due: [lives, .retains],
            "An overwrite with a time to live has the new one.",
            explanation:
                "Overwrites a long life with a short one and a short with a long. Finds the old deadline kept.",
            [
                put(a, 1, lives: 1_000), put(a, 2, lives: 10), wait(10), .get(a), put(b, 3, lives: 10),
                put(b, 4, lives: 100), wait(50), .get(b), wait(50), .get(b),
            ]),
        Check(
            .init(
                "TTL-7", revision: 2, dependsOn: ["TTL-1", "TTL-2", "TTL-3"], profile: .core, source: "redis/redis#3673"
            ), due: [lives, .retains],
            "An overwrite without a time to live has none.",
            explanation: """
                Overwrites an entry that would end by each operation that is claimed. Finds deadlines that are \
                inherited (redis/redis#3673).
                """
        ) { (context) throws(CheckStop) in
            try context.verify([put(a, 1, lives: 10), .put(a, value(2)), .get(a), wait(1_000), .get(a)])
            try context.each(\.overwrites) { $0.full(1) + $1 + [wait(2 * OperationVariants.life), $0.get] }
        },
        Check(
            .init("TTL-8", dependsOn: ["TTL-1", "TTL-2", "TTL-3"], profile: .core, source: "Redis: EXPIRE"),
            due: [lives, .retains],
            "Putting an equal value again starts its time anew.",
            explanation: "Puts the same value half-way. Finds caches that skip writes which change nothing.",
            [put(a, 1, lives: 100), wait(60), put(a, 1, lives: 100), wait(60), .get(a), wait(40), .get(a)]),
        Check(
            .init("TTL-9", revision: 2, dependsOn: ["TTL-1", "TTL-2"], profile: .core, source: "tkem/cachetools#407"),
            due: [lives],
            "A put whose time is over already leaves nothing, the old value included.",
            explanation: """
                Overwrites with a life of 0 and of -1; writes with such a life, and the least, by each operation \
                that takes one. Witness: the old value was found. Finds yesterday's value, and lives below \
                nothing that are taken for none.
                """
        ) { (context) throws(CheckStop) in
            try context.verify([
                .put(a, value(1)), .get(a), put(a, 2, lives: 0), .get(a), .put(a, value(3)), .get(a),
                put(a, 4, lives: -1), .contains(a),
            ])
            for time in [0, -1, .min] as [Int64] {
                try context.each({ $0.writes(PutTerms(timeToLiveNanoseconds: time)) }) { $1 + [$0.get] }
            }
        },
        Check(
            .init("TTL-11", dependsOn: ["TTL-1", "TTL-2", "TTL-3"], source: "avoidwork/tiny-lru#11"),
            due: [lives, .retains],
            "The timer of a removed entry does not end the next one under its key.",
            explanation: """
                Removes, puts again, and lets the first deadline pass with and without a sweep; the same after an \
                overwrite, a clear and, as far as claimed, a new time to live and a new name. Finds stale timers.
                """,
            [
                put(a, 1, lives: 10), .remove(a), .put(a, value(2)), wait(20), .maintain, .get(a), put(b, 3, lives: 10),
                .remove(b), put(b, 4, lives: 100), wait(20), .maintain, .get(b), put(a, 5, lives: 10),
                put(a, 6, lives: 100), wait(20), .maintain, .get(a), put(b, 7, lives: 10),
                .touch(b, timeToLiveNanoseconds: 100), wait(20), .maintain, .contains(b), put(a, 8, lives: 10),
                .rename(a, to: b), .put(a, value(9)), wait(20), .maintain, .get(a), put(a, 10, lives: 10), .removeAll,
                .put(a, value(11)), wait(20), .maintain, .get(a),
            ]),
        Check(
            .init(
                "TTL-12", revision: 2, dependsOn: ["TTL-1", "TTL-2", "TTL-3"], profile: .core,
                source: "JSR-107 TCK: expired entries are not removed"),
            due: [lives],
            "What has expired is absent for remove.",
            explanation:
                """
                Removes and takes after the end, and where that is claimed after a time to idle. Witness: the entry was found before. \
                Finds success for what nobody can read.
                """
        ) { (context) throws(CheckStop) in
            try ends(
                context,
                [
                    put(a, 1, lives: 10), .get(a), wait(10), .remove(a), put(a, 2, lives: 10), .get(a), wait(11),
                    .remove(a), .get(a), put(b, 3, lives: 10), wait(10), .take(b), put(b, 4, lives: 10), wait(10),
                    .removeMany([b, a]), .get(b),
                ])
        },
        Check(
            .init(
                "TTL-13", revision: 3, dependsOn: ["TTL-1", "TTL-2", "TTL-3", "CON-1"],
                source: "JSR-107 TCK: expired entries are not removed, hazelcast/hazelcast#3710"),
            due: [lives, .anyFeature([.putIfAbsent, .replace, .compareAndSet, .versions])],
            "What has expired is absent for conditions.",
            explanation: """
                Puts if absent over, replaces, compares, exchanges, updates and sets by its version what has expired, and where that \
                is claimed what has idled too long. Witness: a hit. Finds conditions on the dead, and functions that are handed \
                what is over (hazelcast/hazelcast#3710).
                """
        ) { (context) throws(CheckStop) in
            try ends(
                context,
                [
                    put(a, 1, lives: 10), .get(a), wait(10), .putIfAbsent(a, value(2)), .get(a), put(b, 3, lives: 10),
                    wait(10), .replace(b, value(4)), .get(b), put(a, 5, lives: 10), wait(10), .exchange(a, value(6)),
                    .get(a), put(b, 7, lives: 10), wait(10), .compareAndSet(b, expected: value(7), value(8)), .get(b),
                    put(a, 9, lives: 10), .mark(a), wait(10), .setIfMarked(a, value(10)), .get(a),
                    put(b, 11, lives: 10),
                    wait(10), .mark(b), .setIfMarked(b, value(12)), .get(b), put(a, 13, lives: 10), wait(10),
                    .update(a, .remove), .get(a), put(b, 14, lives: 10), wait(10), .update(b, .countUp), .get(b),
                ])
        },
        Check(
            .init("TTL-14", dependsOn: ["TTL-1", "TTL-2", "TTL-3"], source: "redis/redis#1026"),
            due: [lives, .feature(.touch)],
            "A new time to live does not revive what has expired.",
            explanation:
                "Touches after the end. Witness: the entry was found before. Finds expired entries that come back.",
            [put(a, 1, lives: 10), .get(a), wait(10), .touch(a, timeToLiveNanoseconds: 100), .get(a), .contains(a)]),
        Check(
            .init("TTL-15", dependsOn: ["TTL-1", "TTL-2", "TTL-3"], source: "redis/redis#128"),
            due: [lives, .feature(.rename), .retains],
            "An entry that is given another key keeps its time to live.",
            explanation: "Renames half-way, over another entry too. Finds new names that live for ever or anew.",
            [
                put(a, 1, lives: 100), wait(60), .rename(a, to: b), .get(a), .get(b), wait(39), .get(b), wait(1),
                .get(b), put(a, 2, lives: 10), .put(b, value(3)), .rename(a, to: b), .get(b), wait(10), .get(b),
                .rename(a, to: b),
            ]),
        Check(
            .init(
                "TTL-17", dependsOn: ["TTL-1", "TTL-2", "TTL-3", "TTL-4", "TTL-14"], profile: .core,
                source: "Redis: EXPIRE"),
            due: [lives, .feature(.touch), .retains],
            "A time to live can be lengthened, shortened and given.",
            explanation:
                "Touches entries with and without an end, and a missing key; gives the longest life, none, and less than "
                + "none. Finds touches without effect.",
            [
                put(a, 1, lives: 10), .touch(a, timeToLiveNanoseconds: 100), wait(50), .get(a),
                .touch(a, timeToLiveNanoseconds: 10), wait(10), .get(a), .put(b, value(2)),
                .touch(b, timeToLiveNanoseconds: 10), wait(9), .get(b), wait(1), .get(b),
                .touch(b, timeToLiveNanoseconds: 5), put(a, 3, lives: 10), .touch(a, timeToLiveNanoseconds: .max),
                wait(1 << 50), .get(a), .touch(a, timeToLiveNanoseconds: 0), .get(a), .put(b, value(4)),
                .touch(b, timeToLiveNanoseconds: -1), .get(b),
            ]),
        Check(
            .init(
                "TTL-19", dependsOn: ["TTL-1", "TTL-2", "TTL-3", "TTL-4", "LDR-1"], source: "ben-manes/caffeine#298"),
            due: [lives, .feature(.loader), .retains],
            "The time to live of what is loaded begins when the load ends.",
            explanation: """
                The clock goes on by 60 while the origin is asked; the value lives 100 after that and no longer. Finds \
                values that expire on arrival, and ones that never got an end.
                """,
            [
                .load(a, Origin(.value(value(1), PutTerms(timeToLiveNanoseconds: 100)), meanwhile: [wait(60)])),
                wait(99), .get(a), wait(1), .get(a),
            ]),
        Check(
            .init(
                "TTL-20", dependsOn: ["TTL-1", "TTL-2", "TTL-3", "LDR-1"],
                source: "Caffeine: a load that expires on arrival is answered"),
            due: [lives, .feature(.loader)],
            "What expires while it is asked for is answered or loaded, never nothing.",
            explanation: """
                Loads a value whose time is over when it arrives; then a value that somebody puts expires while the origin \
                is asked. The caller gets what was loaded. Witness: a neighbour is found. Finds second looks that find \
                nothing.
                """,
            [
                .put(b, value(9)), .get(b), .load(a, Origin(.value(value(1), PutTerms(timeToLiveNanoseconds: 0)))),
                .get(a), .load(a, Origin(.value(value(2)), meanwhile: [put(a, 3, lives: 5), wait(5)])),
                .load(b, Origin(.nothing)),
            ]),
        Check(
            .init(
                "TTL-22", revision: 2, dependsOn: ["TTL-1", "TTL-2", "TTL-3", "TTL-5"],
                source: "Caffeine: Expiry of an entry"),
            due: [.feature(.timeToIdle), lives, .retains],
            "A time to live of an entry's own takes the place of the cache's rule.",
            explanation: """
                One longer and one shorter than the cache's time to idle, which holds again for what is put \
                without, and after a clear; where claimed the same by a touch. Finds rules that win over \
                entries, and ones that are forgotten after them.
                """,
            [
                put(a, 1, lives: 500), put(b, 2, lives: 10), wait(10), .get(b), wait(200), .get(a), wait(289),
                .get(a), wait(1), .get(a), put(b, 3, lives: 500), .put(b, value(4)), wait(100), .get(b),
            ]
                + [
                    .put(a, value(5)), .touch(a, timeToLiveNanoseconds: 10), .get(a), wait(9), .get(a), wait(1),
                    .get(a), .put(b, value(6)), .touch(b, timeToLiveNanoseconds: 300), .get(b), wait(200), .get(b),
                    wait(100), .get(b),
                ] + [.removeAll, .put(a, value(7)), wait(100), .get(a)],
            setup: CacheSetup(timeToIdleNanoseconds: 100)),
        Check(
            .init(
                "TTL-26", revision: 3, dependsOn: ["TTL-1", "TTL-2", "TTL-3", "LDR-1", "LDR-6", "TIR-2"],
                source: "RFC 5861: stale-if-error"),
            due: [.feature(.staleServe), .feature(.loader), lives, .retains],
            "While its origin fails, an expired entry is answered within the declared window and never after.",
            explanation: """
                With a window of 50: the origin fails at the end, within the window, and at its end; reads that \
                do not load find nothing all the while, and leave it there; once nobody asks before the window \
                is over. What is removed, cleared or written over within the window is not answered any more, also where it lies \
                in a lower tier alone (ZiggyCreatures/FusionCache#648). \
                Finds yesterday's value served for ever, and windows that are never used or begin with the first \
                look.
                """
        ) { (context) throws(CheckStop) in
            let setup = CacheSetup(staleNanoseconds: 50)
            for end in [CacheOperation.remove(a), .removeAll] where context.claims.claims(.tiers) {
                try context.verify(
                    [put(a, 1, lives: 10), .get(a), .dropMemory, wait(10), end, .load(a, Origin(.failure))],
                    setup: setup)
            }
            try context.verify(
                [
                    put(a, 1, lives: 100), .get(a), wait(100), .get(a), .load(a, Origin(.failure)), wait(49),
                    .load(a, Origin(.failure)), .contains(a), wait(1), .load(a, Origin(.failure)),
                    put(b, 2, lives: 10), wait(15), .load(b, Origin(.value(value(3)))), .get(b),
                    put(a, 4, lives: 10), wait(10), .remove(a), .load(a, Origin(.failure)),
                    put(b, 5, lives: 10), wait(10), .removeAll, .load(b, Origin(.failure)),
                    put(a, 6, lives: 10), wait(60), .load(a, Origin(.failure)),
                ], setup: setup)
        },
    ]
}
