import CacheCore

/// TTL: entries whose time is over.
enum ExpiryChecks {
    private static let a = Array("a".utf8)
    private static let b = Array("b".utf8)
    private static let lives = Claim.feature(.timeToLive)

    private static func put(_ key: [UInt8], _ number: Int, lives time: Int64?) -> Operation {
        .put(key, value(number), terms: PutTerms(timeToLiveNanoseconds: time))
    }

    private static let day: Int64 = 86_400 * 1_000_000_000

    private static func wait(_ time: Int64) -> Operation { .advance(nanoseconds: time) }

    private static func check(
        _ id: String, due claims: [Claim] = [], _ assertion: String, explanation: String, _ operations: [Operation],
        idle: Int64? = nil
    ) -> Check {
        Check(id, due: [lives] + claims, assertion, explanation: explanation) { (context) throws(CheckStop) in
            try context.verify(
                Program(context.claimed(operations), setup: CacheSetup(timeToIdleNanoseconds: idle)))
        }
    }

    private static func manyAtOnce(_ context: CheckContext) throws(CheckStop) -> String {
        let steps = ["put 100000 entries that live 10 ns", "wait 10 ns", "maintain", "count"]
        let instance = try context.openPlain(steps: steps)
        for number in 0..<100_000 { _ = instance.perform(put(Array("k\(number)".utf8), 1, lives: 10)) }
        _ = instance.perform(wait(10))
        _ = instance.perform(.maintain)
        let isLeft = (0..<100_000).contains { instance.perform(.get(Array("k\($0)".utf8))).isHit }
        _ = instance.perform(.close)
        return isLeft ? "some are still answered" : "all are gone"
    }

    private static func clocks(_ context: CheckContext) throws(CheckStop) {
        let moves = [3_600, -3_600, 315_360_000, -315_360_000].flatMap { (seconds: Int64) -> [Operation] in
            [.moveWallClock(nanoseconds: seconds * 1_000_000_000), .get(a)]
        }
        try context.verify(
            Program(
                [put(a, 1, lives: 100)] + moves + [
                    wait(100), .get(a), put(b, 2, lives: 10), .moveWallClock(nanoseconds: -10_000_000_000), wait(10),
                    .get(b),
                ]))
        guard context.claims.claims(.countsSleep) else { return }
        try context.verify(
            Program([
                put(a, 1, lives: 100), put(b, 2, lives: 10), .sleep(nanoseconds: 99), .get(a), .get(b),
                .sleep(nanoseconds: 1), .get(a), .contains(a),
            ]))
    }

    static let all: [Check] = [
        check(
            "TTL-1", due: [.retains], "An entry is found until its time is over.",
            explanation: "Reads at the start, half-way and one step before the end. Finds lives that are cut short.",
            [
                put(a, 1, lives: 100), .get(a), wait(50), .get(a), wait(49), .get(a), put(b, 2, lives: nil),
                wait(1 << 50), .get(b),
            ]),
        check(
            "TTL-2", "What has expired is never served, whether anything swept it away or not.",
            explanation: """
                Waits past the end without any other operation and reads in every way. Witness: the entry was found before. \
                Finds caches that serve between two sweeps.
                """,
            [
                put(a, 1, lives: 100), .get(a), wait(1_000), .get(a), .contains(a), put(b, 2, lives: 5), .get(b),
                wait(5), .contains(b), .getMany([a, b]), .remove(b), put(a, 3, lives: 5), wait(5), .take(a),
                put(a, 4, lives: 5), wait(5), .getMany([a, b]), .load(a, Origin(.nothing)), .get(a),
                .within(group: "g", put(a, 5, lives: 5)), wait(5), .within(group: "g", .get(a)),
            ]),
        check(
            "TTL-3", due: [.retains], "An entry is found one step before its deadline and not at it.",
            explanation: "Reads at the deadline less 1, at it, and after it. Finds comparisons that are off by one.",
            [
                put(a, 1, lives: 1), .get(a), wait(1), .get(a), put(a, 2, lives: 10), wait(9), .get(a), wait(1),
                .get(a), wait(1), .get(a),
            ]),
        check(
            "TTL-4", due: [.retains], "The time to live is counted from the write, however often the entry is read.",
            explanation:
                "Reads three times early, once late, and at the end. Finds lives that reads shorten or lengthen.",
            [
                put(a, 1, lives: 100), .get(a), .get(a), wait(10), .get(a), wait(88), .get(a), wait(1), .get(a),
                wait(1),
                .get(a),
            ]),
        Check(
            "TTL-5", due: [.feature(.timeToIdle), lives, .retains],
            "Reads extend a time to idle and never a time to live.",
            explanation: """
                With a time to idle of 100, an entry that is read at 90 lives at 180 and is gone 100 after that; one with a \
                time to live of its own is gone at its end. Looking without reading extends nothing. Finds mixed-up modes.
                """
        ) { (context) throws(CheckStop) in
            try context.verify(
                Program(
                    [
                        .put(a, value(1)), put(b, 2, lives: 120), wait(90), .get(a), .get(b), wait(90), .get(b),
                        .get(a), wait(99), .contains(a), wait(1), .get(a),
                    ], setup: CacheSetup(timeToIdleNanoseconds: 100)))
        },
        check(
            "TTL-6", due: [.retains], "An overwrite with a time to live has the new one.",
            explanation:
                "Overwrites a long life with a short one and a short with a long. Finds the old deadline kept.",
            [
                put(a, 1, lives: 1_000), put(a, 2, lives: 10), wait(10), .get(a), put(b, 3, lives: 10),
                put(b, 4, lives: 100), wait(50), .get(b), wait(50), .get(b),
            ]),
        check(
            "TTL-7", due: [.retains], "An overwrite without a time to live has none.",
            explanation: """
                Overwrites an entry that would end, and where claimed exchanges it, compares and sets it, updates it. Finds \
                deadlines that are inherited.
                """,
            [
                put(a, 1, lives: 10), .put(a, value(2)), .get(a), wait(1_000), .get(a), put(b, 3, lives: 10),
                .exchange(b, value(4)), wait(10), .get(b), put(a, 5, lives: 10),
                .compareAndSet(a, expected: value(5), value(6)), wait(10), .get(a), put(b, 7, lives: 10),
                .update(b, .set(value(8))), wait(10), .get(b),
            ]),
        check(
            "TTL-8", due: [.retains], "Putting an equal value again starts its time anew.",
            explanation: "Puts the same value half-way. Finds caches that skip writes which change nothing.",
            [put(a, 1, lives: 100), wait(60), put(a, 1, lives: 100), wait(60), .get(a), wait(40), .get(a)]),
        check(
            "TTL-9", "A put whose time is over already leaves nothing, the old value included.",
            explanation:
                "Overwrites with a life of 0 and of -1. Witness: the old value was found. Finds yesterday's value.",
            [
                .put(a, value(1)), .get(a), put(a, 2, lives: 0), .get(a), .put(a, value(3)), .get(a),
                put(a, 4, lives: -1), .contains(a),
            ]),
        check(
            "TTL-10", due: [.retains], "Extreme times to live neither overflow nor trap.",
            explanation: """
                The longest life lasts, the shortest is over, also late on the clock; lives of 30 and 31 days end to the \
                nanosecond. Finds sums that wrap, and long lives that are taken for dates.
                """,
            [
                wait(1 << 40), put(b, 6, lives: 30 * day), put(a, 7, lives: 31 * day), wait(30 * day - 1), .get(b),
                wait(1),
                .get(b), wait(day - 1), .get(a), wait(1), .get(a),
                wait(1 << 40), put(a, 1, lives: .max), .get(a), wait(1 << 50), .get(a), put(b, 2, lives: .min), .get(b),
                put(b, 3, lives: .max - 1), .get(b), put(b, 4, lives: 1), wait(1), .get(b), .get(a),
            ]),
        check(
            "TTL-11", due: [.retains], "The timer of a removed entry does not end the next one under its key.",
            explanation:
                "Removes, puts again, and lets the first deadline pass with and without a sweep. Finds stale timers.",
            [
                put(a, 1, lives: 10), .remove(a), .put(a, value(2)), wait(20), .maintain, .get(a), put(b, 3, lives: 10),
                .remove(b), put(b, 4, lives: 100), wait(20), .maintain, .get(b),
            ]),
        check(
            "TTL-12", "What has expired is absent for remove.",
            explanation:
                """
                Removes and takes after the end. Witness: the entry was found before. Finds success for what nobody can read.
                """,
            [
                put(a, 1, lives: 10), .get(a), wait(10), .remove(a), put(a, 2, lives: 10), .get(a), wait(11),
                .remove(a), .get(a), put(b, 3, lives: 10), wait(10), .take(b), put(b, 4, lives: 10), wait(10),
                .removeMany([b, a]), .get(b),
            ]),
        check(
            "TTL-13", due: [.feature(.conditional)], "What has expired is absent for conditions.",
            explanation:
                "Puts if absent over, replaces, compares and exchanges what has expired. Witness: a hit. Finds conditions "
                + "on the dead.",
            [
                put(a, 1, lives: 10), .get(a), wait(10), .putIfAbsent(a, value(2)), .get(a), put(b, 3, lives: 10),
                wait(10), .replace(b, value(4)), .get(b), put(a, 5, lives: 10), wait(10), .exchange(a, value(6)),
                .get(a),
                put(b, 7, lives: 10), wait(10), .compareAndSet(b, expected: value(7), value(8)), .get(b),
            ]),
        check(
            "TTL-14", due: [.feature(.touch)], "A new time to live does not revive what has expired.",
            explanation:
                "Touches after the end. Witness: the entry was found before. Finds expired entries that come back.",
            [put(a, 1, lives: 10), .get(a), wait(10), .touch(a, timeToLiveNanoseconds: 100), .get(a), .contains(a)]),
        check(
            "TTL-15", due: [.feature(.rename), .retains], "An entry that is given another key keeps its time to live.",
            explanation: "Renames half-way, over another entry too. Finds new names that live for ever or anew.",
            [
                put(a, 1, lives: 100), wait(60), .rename(a, to: b), .get(a), .get(b), wait(39), .get(b), wait(1),
                .get(b), put(a, 2, lives: 10), .put(b, value(3)), .rename(a, to: b), .get(b), wait(10), .get(b),
                .rename(a, to: b),
            ]),
        check(
            "TTL-16", due: [.retains], "A time to live is counted from the call, not from when the cache gets to it.",
            explanation: """
                Puts, lets the clock go on before anything else is asked, lets the cache do its chores, and reads at the \
                end. Finds writes that wait in a buffer and are stamped when they leave it.
                """,
            [
                put(a, 1, lives: 100), wait(60), .maintain, wait(39), .get(a), wait(1), .get(a), put(b, 2, lives: 20),
                wait(20), .maintain, .get(b),
            ]),
        check(
            "TTL-17", due: [.feature(.touch), .retains], "A time to live can be lengthened, shortened and given.",
            explanation: "Touches entries with and without an end, and a missing key. Finds touches without effect.",
            [
                put(a, 1, lives: 10), .touch(a, timeToLiveNanoseconds: 100), wait(50), .get(a),
                .touch(a, timeToLiveNanoseconds: 10), wait(10), .get(a), .put(b, value(2)),
                .touch(b, timeToLiveNanoseconds: 10), wait(9), .get(b), wait(1), .get(b),
                .touch(b, timeToLiveNanoseconds: 5),
            ]),
        Check(
            "TTL-18", due: [lives, .retains],
            "Setting the wall clock moves no deadline, and a machine that sleeps stops no time to live.",
            explanation: """
                Moves the wall clock an hour and ten years to either side; where it is claimed that sleep counts, lets the \
                machine sleep past one entry's end and up to another's. Finds lives measured by the calendar, and by a clock \
                that stops.
                """
        ) { (context) throws(CheckStop) in try clocks(context) },
        check(
            "TTL-19", due: [.feature(.loader), .retains],
            "The time to live of what is loaded begins when the load ends.",
            explanation: """
                The clock goes on by 60 while the origin is asked; the value lives 100 after that and no longer. Finds \
                values that expire on arrival, and ones that never got an end.
                """,
            [
                .load(a, Origin(.value(value(1), PutTerms(timeToLiveNanoseconds: 100)), meanwhile: [wait(60)])),
                wait(99), .get(a), wait(1), .get(a),
            ]),
        check(
            "TTL-20", due: [.feature(.loader)],
            "What expires while it is asked for is answered or loaded, never nothing.",
            explanation: """
                Loads a value whose time is over when it arrives; then a value that somebody puts expires while the origin \
                is asked. The caller gets what was loaded. Witness: a neighbour is found. Finds second looks that find \
                nothing.
                """,
            [
                .put(b, value(9)), .get(b), .load(a, Origin(.value(value(1), PutTerms(timeToLiveNanoseconds: 0)))),
                .get(a),
                .load(a, Origin(.value(value(2)), meanwhile: [put(a, 3, lives: 5), wait(5)])),
                .load(b, Origin(.nothing)),
            ]),
        check(
            "TTL-21", due: [.iterates], "The count and the list leave out what has expired.",
            explanation: "Counts and lists before and after the end. Witness: a hit. Finds ghosts in lists.",
            [put(a, 1, lives: 10), .put(b, value(2)), .get(b), .count, wait(10), .count, .keys, .get(a), .count]),
        Check(
            "TTL-22", due: [.feature(.timeToIdle), lives, .retains],
            "A time to live of an entry's own takes the place of the cache's rule.",
            explanation: "One longer and one shorter than the cache's time to idle. Finds rules that win over entries."
        ) { (context) throws(CheckStop) in
            try context.verify(
                Program(
                    [
                        put(a, 1, lives: 500), put(b, 2, lives: 10), wait(10), .get(b), wait(200), .get(a), wait(289),
                        .get(a), wait(1), .get(a),
                    ], setup: CacheSetup(timeToIdleNanoseconds: 100)))
        },
        check(
            "TTL-23", due: [.feature(.remainingTime)], "The time that is left is told, and goes down with the clock.",
            explanation: "Asks at the start, on the way, at the end, and where there is no end. Witness: a hit.",
            [
                put(a, 1, lives: 100), .get(a), .remainingTime(a), wait(30), .remainingTime(a), wait(70),
                .remainingTime(a), .put(b, value(2)), .remainingTime(b),
            ]),
        Check(
            survey: "TTL-24", due: [lives], "What a cache does when 100,000 entries expire at once.",
            explanation:
                "Puts 100,000 entries of one deadline, passes it, and records whether any is left after chores."
        ) { (context) throws(CheckStop) in try manyAtOnce(context) },
        check(
            "TTL-25", due: [.feature(.events)],
            "What has expired is let go without being asked for, however long it lived.",
            explanation: """
                Lives from 1 ns to 12 days; after each deadline the cache does its chores and must have told. Witness: a \
                hit. Finds timers that lose what is far away.
                """,
            [.put(b, value(99)), .get(b)]
                + [0, 6, 12, 20, 30, 40, 50].enumerated().map { index, power in
                    put(Array("k\(index)".utf8), index, lives: 1 << power)
                }
                + [0, 6, 12, 20, 30, 40, 50].flatMap { power -> [Operation] in
                    [wait(1 << power), .maintain, .events]
                }),
        Check(
            "TTL-26", due: [.feature(.staleServe), .feature(.loader), lives, .retains],
            "While its origin fails, an expired entry is answered within the declared window and never after.",
            explanation: """
                With a window of 50: the origin fails at the end, within the window, and at its end; reads that do not load \
                find nothing all the while. What is removed within the window is not answered any more. Finds yesterday's \
                value served for ever, and windows that are never used.
                """
        ) { (context) throws(CheckStop) in
            try context.verify(
                Program(
                    [
                        put(a, 1, lives: 100), .get(a), wait(100), .get(a), .load(a, Origin(.failure)), wait(49),
                        .load(a, Origin(.failure)), .contains(a), wait(1), .load(a, Origin(.failure)),
                        put(b, 2, lives: 10), wait(15), .load(b, Origin(.value(value(3)))), .get(b),
                        put(a, 4, lives: 10), wait(10), .remove(a), .load(a, Origin(.failure)),
                    ], setup: CacheSetup(staleNanoseconds: 50)))
        },
        Check(
            "TTL-27", due: [lives, .durability(.exit), .retains],
            "A time to live goes on while the cache is closed and opened.",
            explanation: """
                Reopens half-way, and after the end; the clock of the new instance shows what the old one's did. Finds \
                deadlines that begin anew, and what comes back from the dead.
                """
        ) { (context) throws(CheckStop) in
            try context.verify(
                Program([
                    put(a, 1, lives: 100), put(b, 2, lives: 50), wait(50), .get(a), .reopen, .get(b), .get(a), wait(49),
                    .get(a), wait(1), .get(a), .reopen, .get(a), put(b, 3, lives: 10), wait(10), .reopen, .get(b),
                ]))
        },
    ]
}
