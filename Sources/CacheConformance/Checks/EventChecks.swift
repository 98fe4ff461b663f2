import CacheCore
import Synchronization

/// EVT: what a cache tells when values leave.
enum EventChecks {
    static let a = Array("a".utf8)
    static let b = Array("b".utf8)
    static let keys = (0..<64).map { Array("k\($0)".utf8) }
    private static let events = Claim.feature(.events)

    private static func refreshed(_ context: CheckContext) throws(CheckStop) {
        guard context.claims.claims(.refresh), context.claims.claims(.loader), context.claims.claims(.timeToLive) else {
            return
        }
        let loads = (1...2).flatMap { number -> [Operation] in
            [.load(a, Origin(.value(value(number)))), .advance(nanoseconds: 60)]
        }
        try context.verify(
            Program(loads + [.maintain, .events, .get(a)], setup: CacheSetup(refreshNanoseconds: 50)), witness: .none)
    }

    static let all: [Check] = [
        Check(
            "EVT-1", due: [events], "Every removal is told exactly once.",
            explanation: """
                Removes by key, twice, by clearing and in each of the ways that are claimed, in a group too, what is \
                pinned and what has two tags and costs nothing as well, overwrites several keys by one call, each twice, \
                one by a rename, one by a refresh, and one by what needs more room, and asks for the events twice. What \
                memory gives up and a lower tier keeps has not left. Witness: a hit before. Finds ways of writing that \
                tell nothing, or twice.
                """
        ) { (context) throws(CheckStop) in
            try context.verify(
                Program(
                    [
                        .put(a, value(1)), .put(b, value(2)), .get(a), .remove(a), .remove(a), .events, .events,
                        .removeAll, .events, .events, .put(a, value(3)), .put(a, value(4)), .put(a, value(5)), .events,
                    ]
                        + context.claimed([
                            .putMany([KeyedPayload(a, value(6)), KeyedPayload(b, value(7))]),
                            .putMany([KeyedPayload(b, value(8)), KeyedPayload(a, value(9))]),
                        ]) + [.events]
                        + context.claimed([
                            .removeMany([a, b]), .events, .put(a, value(11)), .mark(a), .removeIfMarked(a), .events,
                            .put(b, value(12)), .update(b, .remove), .events, .put(a, value(13)), .put(b, value(14)),
                            .rename(a, to: b), .events, .increment(counter, by: 1), .increment(counter, by: 1), .events,
                        ])
                        + context.claimed(
                            [
                                .put(a, value(15)), .put(a, value(16)), .remove(a), .put(b, value(17)),
                                .put(b, value(18)),
                                .removeAll,
                            ].map { .within(group: "g", $0) } + [.events])
                        + (context.claims.claims(.tiers) ? [.put(a, value(19)), .dropMemory, .events] : [])
                        + context.claimed([
                            .put(a, value(10), terms: PutTerms(tags: context.claims.claims(.tags) ? ["t"] : [])),
                            .removeTagged("t"), .events,
                        ])))
            try WaysScenarios.told(context)
            try growing(context)
            try refreshed(context)
            guard context.claims.claims(.resize), context.claims.room?.units.contains(.objects) == true else { return }
            let (setup, _) = try context.room(.objects, 8)
            try context.verify(
                Program(
                    [.put(a, value(1)), .put(b, value(2)), .get(a), .resize(1), .contains(a), .contains(b)]
                        + [.remove(a), .remove(b), .events], setup: setup), witness: .none)
            try context.verify(
                Program(
                    Ways(context.claims, a).full(1) + Ways(context.claims, b).full(2)
                        + [.resize(1), .contains(a), .contains(b), .remove(a), .remove(b), .events], setup: setup),
                witness: .none)
        },
        Check(
            "EVT-2", due: [events], "Replacing, removing, expiring and making room are all told.",
            explanation: """
                Each as far as it is claimed, and what a group's limit puts out; what expires is told by the time the cache \
                has done its chores. Witness: a hit before. Finds causes that nobody hears of.
                """
        ) { (context) throws(CheckStop) in
            let expires: [Operation] =
                context.claims.claims(.timeToLive)
                ? [
                    .put(b, value(3), terms: PutTerms(timeToLiveNanoseconds: 5)), .get(b), .advance(nanoseconds: 5),
                    .maintain, .events,
                ] + context.claimed([.put(b, value(4)), .touch(b, timeToLiveNanoseconds: 0), .maintain, .events])
                : []
            let plain: [Operation] = [.put(a, value(1)), .get(a), .put(a, value(2)), .events, .remove(a), .events]
            try context.verify(Program(plain + expires))
            try limited(context)
            guard context.claims.room?.units.contains(.objects) == true, context.claims.retains else { return }
            let (setup, room) = try context.room(.objects, 4)
            let fill = keys[..<min(64, room + 3)].enumerated().map { Operation.put($1, value($0)) }
            let seen = fill + [.maintain, .events] + keys[..<min(64, room + 3)].map { .get($0) } + [.events]
            try context.verify(Program(seen, setup: setup))
            let inGroup = context.claimed(fill.map { .within(group: "g", $0) })
            try context.verify(
                Program(inGroup + [.maintain, .events] + inGroup.reversed() + [.maintain, .events], setup: setup),
                witness: .none)
            guard context.claims.claims(.resize), context.claims.claims(.groups) else { return }
            try context.verify(
                Program(inGroup + [.resize(1), .maintain, .events], setup: setup), witness: .none)
        },
        Check(
            "EVT-3", due: [events], "An event has the right cause and the value that left.",
            explanation:
                """
                Overwrites, removes, clears, and writes over what has expired; what has expired, by a time to idle and \
                while it was pinned too, is found out in each of the ways that are claimed. Keys and values that are \
                empty, long or no text leave, also in a group of no name. Witness: a hit. Finds the new value told, other \
                bytes told, and ways of finding out that tell nothing, or another cause.
                """
        ) { (context) throws(CheckStop) in
            let expired: [Operation] =
                context.claims.claims(.timeToLive)
                ? [
                    .put(b, value(4), terms: PutTerms(timeToLiveNanoseconds: 5)), .advance(nanoseconds: 5),
                    .put(b, value(5)), .maintain, .events, .get(b),
                ] : []
            try context.verify(
                Program(
                    [.put(a, value(1)), .put(a, value(2)), .get(a), .events, .remove(a), .events] + expired
                        + [.put(a, value(8)), .removeAll, .events]))
            let odd = OddContents(context.claims)
            try context.verify(Program(odd.changes() + [.removeAll, .events]), witness: .none)
            if context.claims.claims(.groups) {
                try context.verify(Program(odd.changes(in: "") + [.removeAll, .events]), witness: .none)
            }
            try WaysScenarios.found(context, asking: .events)
        },
        Check(
            "EVT-4", due: [events], "The events of a key come in the order in which its values left.",
            explanation: """
                Overwrites one key many times, with another between; then several times with one value, which leaves as \
                often; then 5000 times (500 where each waits for the device) before it asks. Witness: a hit. Finds queues \
                that swap, ones that take two for one, and ones that are full.
                """
        ) { (context) throws(CheckStop) in
            try context.verify(
                Program([
                    .put(a, value(1)), .put(a, value(1)), .put(a, value(1)), .get(a), .events, .remove(a),
                    .put(a, value(1)), .remove(a), .events,
                ]))
            try context.verify(
                Program(
                    (0..<12).map { .put($0 % 3 == 2 ? b : a, value($0)) } + [.get(a), .remove(a), .removeAll, .events]))
            try ManyScenario(context).told()
        },
        Check(
            "EVT-5", due: [events], "What is refused makes no event of its own.",
            explanation: """
                Puts entries whose time is over and, where costs are claimed, one that is too heavy: the old value that \
                they displaced is told, once, and nothing else; so is what leaves for a newcomer, with whatever can be said \
                of it. Witness: a hit before.
                """
        ) { (context) throws(CheckStop) in
            let over = PutTerms(timeToLiveNanoseconds: 0)
            let dead: [Operation] =
                context.claims.claims(.timeToLive)
                ? [.put(b, value(2), terms: over), .events, .put(a, value(3), terms: over), .events] : []
            try context.verify(Program([.put(a, value(1)), .get(a)] + dead + [.get(b), .events]))
            for (setup, steps) in WaysScenarios.evictions(context, of: a) {
                for first in [[Operation.put(a, value(4))], Ways(context.claims, a).full(4)] {
                    try context.verify(
                        Program(first + [.get(a)] + steps + [.maintain, .events, .events], setup: setup))
                }
            }
        },
        Check(
            "EVT-6", due: [events, .feature(.listener)], "A listener that throws or takes its time breaks nothing.",
            explanation: """
                Removes, clears and overwrites, in a group too, with a listener that throws, and with one that takes 5 \
                ms: the cache answers as ever, and what leaves is told all the same. Witness: a hit. Finds events that \
                end with the first error, and clears that stop at it.
                """
        ) { (context) throws(CheckStop) in
            let plain: [Operation] = [.put(a, value(1)), .put(a, value(2)), .get(a), .remove(a), .get(a)]
            let all: [Operation] = [.put(a, value(3)), .put(b, value(4)), .removeAll, .get(a), .get(b)]
            let bulk = context.claimed([.put(a, value(5)), .put(b, value(6)), .removeMany([a, b]), .get(a), .get(b)])
            let inGroup = context.claimed(plain.map { .within(group: "g", $0) })
            let changes = plain + all + bulk + inGroup
            try context.verify(
                Program(
                    [.listen(.fails)] + changes + [.events, .listen(.slow(milliseconds: 5))] + changes
                        + [.events, .listen(.plain)] + changes + [.events]))
        },
        Check(
            "EVT-7", due: [events, .feature(.listener)], "A listener may use the cache.",
            explanation: """
                What leaves is told to a listener that reads from the same cache, then to ones that look, list, remove, \
                store and load there, as far as claimed; each step is answered. Witness: a hit. Finds callbacks that are \
                made while a lock is held, also one that lets readers through.
                """
        ) { (context) throws(CheckStop) in
            try context.verifyAnswered(
                Program([
                    .put(b, value(9)), .listen(.reenters(.get(b))), .put(a, value(1)), .put(a, value(2)), .remove(a),
                    .events, .get(b), .listen(.plain),
                ]))
            // None of these makes an event that it would be called for again and again.
            let fresh = Array("fresh".utf8)
            let calls: [Operation] = [
                .contains(b), .keys, .remove(b), .putIfAbsent(fresh, value(8)), .load(fresh, Origin(.value(value(7)))),
            ]
            for call in context.claimed(calls) {
                try context.verifyAnswered(
                    Program([.put(a, value(1)), .get(a), .listen(.reenters(call)), .put(a, value(2)), .listen(.plain)]))
            }
        },
        Check(
            "EVT-8", due: [events, .feature(.listener)], "A listener that was taken away hears nothing more.",
            explanation: """
                Removes with nobody listening, then listens again: only what leaves from then on is told. Witness: a hit. \
                Finds listeners that live on, and events that wait for the next one.
                """
        ) { (context) throws(CheckStop) in
            try context.verify(
                Program([
                    .put(a, value(1)), .put(b, value(2)), .get(a), .remove(a), .events, .listen(.none), .remove(b),
                    .put(a, value(3)), .put(a, value(4)), .maintain, .removeAll, .put(a, value(5)), .put(a, value(6)),
                    .listen(.plain), .events, .remove(a), .events,
                ]))
        },
        Check(
            "EVT-9", due: [events, .iterates], "Every value that was stored is still there or has been told.",
            explanation: """
                Twenty random programs in a tight cache; whatever is not told and not removed must be found. Witness: a \
                hit. Finds events that are lost or come twice under any sequence.
                """
        ) { (context) throws(CheckStop) in
            var generator = ProgramGenerator(
                claims: context.claims, keys: (0..<24).map { Array("k\($0)".utf8) }, random: context.generator)
            let setup = context.claims.room?.isAdjustable == true ? try context.room(.objects, 6).setup : CacheSetup()
            for _ in 0..<20 {
                var program = generator.program(operations: 200, features: true)
                program.setup = setup
                program.operations += [.maintain, .events]
                try context.verify(program)
            }
        },
        Check(
            "EVT-10", due: [events, .concurrent, .retains],
            "What many threads replace and remove at once is all told, each once.",
            explanation: """
                Four threads overwrite one key 1000 times each; each value but the last is told as replaced, and none \
                twice. Then the same with two keys that they remove too, and that are removed in the end: each value that \
                was put is told once. Each with two caches, of which one is asked for events meanwhile too. Finds events \
                that are lost, or told twice, where two leave at once.
                """
        ) { (context) throws(CheckStop) in try allTold(context) },
    ]

    private static let counter = Array("counter".utf8)

    private static func allTold(_ context: CheckContext) throws(CheckStop) {
        let clients = min(4, context.claims.concurrency.clientsMax)
        let rounds = context.rounds(1_000)
        for run in 0..<context.runs(4) {
            let (removes, asks) = (!run.isMultiple(of: 2), run >= 2)
            let keys = removes ? [a, b] : [a]
            let steps = [
                "\(clients) threads at once, \(rounds) times each: put "
                    + (removes ? "one of two keys, or remove it at every third time" : "one key")
                    + (asks ? "; at every 16th time events" : ""),
                removes ? "remove both" : "maintain", "events",
            ]
            let early = Mutex<[CacheEvent]>([])
            let ran = try context.threads(clients, steps: steps) { thread, instance in
                (0..<rounds).count { number in
                    let key = keys[number / 3 % keys.count]
                    if asks, number % 16 == 0, case .events(let told) = instance.perform(.events) {
                        early.withLock { $0 += told }
                    }
                    if removes, number % 3 == 2 {
                        _ = instance.perform(.remove(key))
                        return false
                    }
                    return instance.perform(.put(key, value(thread << 24 | number))) == .done
                }
            }
            if removes { for key in keys { _ = ran.instance.perform(.remove(key)) } }
            _ = ran.instance.perform(.maintain)
            guard case .events(let last) = ran.instance.perform(.events) else { throw .blocked("the events") }
            _ = ran.instance.perform(.close)
            let told = early.withLock { $0 } + last
            let wanted = ran.results.reduce(removes ? 0 : -1, +)
            let values = Set(told.map(\.value))
            let causes: Set<CacheEvent.Cause> = removes ? [.replaced, .removed] : [.replaced]
            try context.require(
                told.count == wanted && values.count == wanted && told.allSatisfy { causes.contains($0.cause) },
                observed: "\(told.count) events of \(values.count) values",
                permitted: "one event for each of the \(wanted) that left", steps: steps)
        }
    }
}
