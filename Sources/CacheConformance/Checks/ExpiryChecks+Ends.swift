import CacheCore

// When the time of an entry is over, and what is seen of it then.
extension ExpiryChecks {
    static let ofEnds: [Check] = [
        Check(
            .init("TTL-1", profile: .core, source: "Redis: EXPIRE"), due: [lives, .retains],
            "An entry is found until its time is over.",
            explanation: "Reads at the start, half-way and one step before the end. Finds lives that are cut short.",
            [
                put(a, 1, lives: 100), .get(a), wait(50), .get(a), wait(49), .get(a), put(b, 2, lives: nil),
                wait(1 << 50), .get(b),
            ]),
        Check(
            .init("TTL-2", revision: 2, profile: .core, source: "pinterest/PINCache#32, redis/redis#3127"),
            due: [lives],
            "What has expired is never served, whether anything swept it away or not.",
            explanation: """
                Waits past the end without any other operation and reads, looks, lists, removes and writes by \
                each operation that is claimed. Witness: the entry was found before. Finds caches that serve \
                between two sweeps.
                """
        ) { (context) throws(CheckStop) in
            let steps: [CacheOperation] = [
                put(a, 1, lives: 100), .get(a), wait(1_000), .get(a), .contains(a), put(b, 2, lives: 5), .get(b),
                wait(5), .contains(b), .getMany([a, b]), .remove(b), put(a, 3, lives: 5), wait(5), .take(a),
                put(a, 4, lives: 5), wait(5), .getMany([a, b]), .load(a, Origin(.nothing)), .get(a),
                .within(group: "g", put(a, 5, lives: 5)), wait(5), .within(group: "g", .get(a)),
                put(b, 6, lives: 5), wait(5), .loadMany([b], lacking: [], sequence: 20),
            ]
            try context.verify(context.claimed(steps))
            try context.each(\.finds) { $0.full(1) + [.advance(nanoseconds: OperationVariants.life)] + $1 + [$0.get] }
        },
        Check(
            .init(
                "TTL-3", revision: 2, dependsOn: ["TTL-1", "TTL-2"], profile: .core,
                source: "Redis: a key is gone at its deadline"), due: [lives, .retains],
            "An entry is found one step before its deadline and not at it.",
            explanation: """
                Reads at the deadline less 1, at it, and after it; where it is stated that an entry is live at its deadline, \
                it is there then, and gone one step of the clock later. Finds comparisons that are off by one.
                """
        ) { (context) throws(CheckStop) in
            try context.verify([
                put(a, 1, lives: 1), .get(a), wait(1), .get(a), put(a, 2, lives: 10), wait(9), .get(a), wait(1),
                .get(a), wait(1), .get(a),
            ])
            try atDeadline(context)
        },
        Check(
            .init(
                "TTL-4", revision: 2, dependsOn: ["TTL-1", "TTL-2", "TTL-3"], profile: .core,
                source: "pinterest/PINCache#222"),
            due: [lives, .retains],
            "The time to live is counted from the write, however often the entry is read.",
            explanation: """
                Reads three times early, once late, and at the end; then looks once by each operation that is \
                claimed, also in a group. Finds lives that reads shorten or lengthen (pinterest/PINCache#222).
                """
        ) { (context) throws(CheckStop) in
            let steps = [
                put(a, 1, lives: 100), .get(a), .get(a), wait(10), .get(a), wait(88), .get(a), wait(1), .get(a),
                wait(1), .get(a),
            ]
            try context.verify(steps)
            let wait = { CacheOperation.advance(nanoseconds: $0) }
            try context.each({ $0.looks + [[$0.get]] }) {
                $0.full(1) + [wait(60)] + $1 + [wait(39), $0.get, wait(1), $0.get]
            }
        },
        Check(
            .init(
                "TTL-10", revision: 6, dependsOn: ["TTL-1", "TTL-2"], profile: .core, source: "memcached/memcached#620"),
            due: [lives, .retains],
            "Extreme times to live neither overflow nor trap.",
            explanation: """
                The longest life lasts, whatever chores are done, the shortest is over, also late on the clock; lives of 30, 31, 50, 100 \
                and 400 days end to the nanosecond, and so does one of 31 days that is given later. Finds sums that wrap, in chores \
                too (facebook/rocksdb#11256), and long lives that are taken for dates. A cache whose lives have an end states `limits.timeToLiveMaxNanoseconds`.
                """
        ) { (context) throws(CheckStop) in
            let given: [CacheOperation] = [
                put(a, 11, lives: 400 * day), .touch(a, timeToLiveNanoseconds: 31 * day), .get(a), wait(31 * day - 1),
                .get(a),
                wait(1), .get(a),
            ]
            let steps =
                [
                    wait(1 << 40), put(b, 6, lives: 30 * day), put(a, 7, lives: 31 * day), .maintain,
                    wait(30 * day - 1), .get(b),
                    wait(1), .get(b), wait(day - 1), .get(a), wait(1), .get(a),
                    put(b, 8, lives: 50 * day), put(a, 9, lives: 100 * day), wait(50 * day - 1), .get(b), wait(1),
                    .get(b),
                    wait(50 * day - 1), .get(a), wait(1), .get(a), put(b, 10, lives: 400 * day), wait(400 * day - 1),
                    .get(b),
                    wait(1), .get(b),
                ] + (context.claims.hasOwnTimes && context.claims.claims(.touch) ? given : []) + [
                    wait(1 << 40), put(a, 1, lives: .max), .get(a), wait(1 << 50), .maintain, .get(a),
                    put(b, 2, lives: .min), .get(b),
                    put(b, 3, lives: .max - 1), .get(b), put(b, 4, lives: 1), wait(1), .get(b), .get(a),
                ]
            try context.verify(steps)
        },
        Check(
            .init("TTL-16", dependsOn: ["TTL-1", "TTL-2", "TTL-3"], source: "moka-rs/moka#322"),
            due: [lives, .retains],
            "A time to live is counted from the call, not from when the cache gets to it.",
            explanation: """
                Puts, lets the clock go on before anything else is asked, lets the cache do its chores, and reads at the \
                end. Finds writes that wait in a buffer and are stamped when they leave it.
                """,
            [
                put(a, 1, lives: 100), wait(60), .maintain, wait(39), .get(a), wait(1), .get(a), put(b, 2, lives: 20),
                wait(20), .maintain, .get(b),
            ]),
        Check(
            .init(
                "TTL-18", revision: 3, dependsOn: ["TTL-1", "TTL-2", "TTL-3"],
                source: "patrickmn/go-cache#161, memcached/memcached#278"), due: [lives, .retains],
            "Setting the wall clock moves no deadline, and a machine that sleeps stops no time to live.",
            explanation: """
                Moves the wall clock an hour and ten years to either side; where it is claimed that sleep \
                counts, lets the machine sleep past one entry's end and up to another's. Not claimed by a subject that \
                answers that it has no wall clock to move. Finds times measured by the calendar, and by a clock that stops.
                """, body: clocks),
        Check(
            .init(
                "TTL-21", revision: 3, dependsOn: ["TTL-1", "TTL-2", "TTL-3", "ITR-1"], profile: .core,
                source: "tkem/cachetools#24"),
            due: [lives, .iterates],
            "The count and the list leave out what has expired.",
            explanation: """
                Counts and lists before and after the end, and where that is claimed after a time to idle. Witness: a hit. Finds ghosts \
                in lists.
                """
        ) { (context) throws(CheckStop) in
            try ends(
                context,
                [put(a, 1, lives: 10), .put(b, value(2)), .get(b), .count, wait(10), .count, .keys, .get(a), .count])
        },
        Check(
            .init("TTL-23", dependsOn: ["TTL-1", "TTL-2", "TTL-3"], source: "Redis: PTTL"),
            due: [lives, .feature(.remainingTime)],
            "The time that is left is told, and goes down with the clock.",
            explanation: """
                Asks at the start, on the way, at the end, where there is no end, and of lives of 36 and 63 years, to the \
                nanosecond. Witness: a hit. Finds times that pass through floating point, and long ones taken for none.
                """,
            [
                put(a, 1, lives: 100), .get(a), .remainingTime(a), wait(30), .remainingTime(a), wait(70),
                .remainingTime(a), .put(b, value(2)), .remainingTime(b), put(b, 3, lives: 1 << 60 + 1),
                .remainingTime(b), put(b, 4, lives: 2_000_000_000_000_000_000), .remainingTime(b),
            ]),
        Check(
            recording: .survey, .init("TTL-24", revision: 2, profile: .experimental, source: "Caffeine: TimerWheel"),
            due: [lives],
            "What a cache does when very many entries expire at once.",
            explanation: """
                Puts 10,000 entries of one deadline (1,000 where there is a directory), passes it, and records whether any is \
                left after chores.
                """, body: manyAtOnce),
        Check(
            .init("TTL-25", dependsOn: ["TTL-1", "TTL-2", "TTL-3", "EVT-1", "EVT-3"], source: "Caffeine: TimerWheel"),
            due: [lives, .feature(.events)],
            "What has expired is let go without being asked for, however long it lived.",
            explanation: """
                Lives from 1 ns to 12 days; after each deadline the cache does its chores and must have told. Witness: a \
                hit. Finds timers that lose what is far away.
                """,
            [.put(b, value(99)), .get(b)]
                + [0, 6, 12, 20, 30, 40, 50].enumerated().map { index, power in
                    put(Array("k\(index)".utf8), index, lives: 1 << power)
                }
                + [0, 6, 12, 20, 30, 40, 50].flatMap { power -> [CacheOperation] in
                    [wait(1 << power), .maintain, .events]
                }),
        Check(
            .init(
                "TTL-27", revision: 3, dependsOn: ["TTL-1", "TTL-2", "TTL-3", "PER-1"],
                source: "Redis: deadlines in RDB and AOF"),
            due: [lives, .durability(.exit), .retains],
            "A time to live goes on while the cache is closed and opened.",
            explanation: """
                Reopens half-way, after the end, and after another key was written; the clock of the new instance shows what the \
                old one's did. Finds deadlines that begin anew, or with the last write of their file (tidwall/buntdb#85), and what comes \
                back from the dead, be it an older value of the key.
                """,
            [
                put(a, 1, lives: 100), put(b, 2, lives: 50), wait(50), .get(a), .reopen, .get(b), .get(a), wait(49),
                .get(a), wait(1), .get(a), .reopen, .get(a), put(b, 3, lives: 10), wait(10), .reopen, .get(b),
                .put(b, value(4)), put(b, 5, lives: 10), .get(b), wait(10), .reopen, .get(b), put(a, 6, lives: 100),
                wait(60), .put(b, value(7)), .reopen, .get(a), wait(40), .get(a),
            ]),
    ]
}
