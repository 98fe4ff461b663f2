import CacheCore

// Who listens, and what may come of it.
extension EventChecks {
    /// EVT-7: whatever it leaves for, what is told is told when the cache can be asked.
    private static func reentered(_ context: CheckContext) throws(CheckStop) {
        let begun: [CacheOperation] = [.put(b, value(9)), .get(b), .listen(.reenters(.contains(b)))]
        let mortal = CacheOperation.put(a, value(1), terms: PutTerms(timeToLiveNanoseconds: 10))
        let ended: [[CacheOperation]] =
            context.claims.claims(.timeToLive) ? [[mortal, .advance(nanoseconds: 10), .maintain, .get(a)]] : []
        for end in ended + [[.put(a, value(2)), .removeAll]] {
            try context.verifyAnswered(Program(begun + end + [.listen(.plain)]))
        }
        guard let (setup, room) = try? context.room(.objects, 2) else { return }
        let puts = keys[..<min(keys.count, 2 * room)].enumerated().map { CacheOperation.put($1, value($0)) }
        try context.verifyAnswered(Program(begun + puts + [.maintain, .listen(.plain)], setup: setup))
        // Where the newcomer may be what leaves it would be told, and stored, for ever.
        guard ["lru", "fifo"].contains(context.claims.order), context.claims.room?.isStrict == true, room > 1,
            context.claims.claims(.putIfAbsent), context.claims.iterates
        else { return }
        let nested = CacheOperation.listen(.reenters(.putIfAbsent(Array("fresh".utf8), value(8))))
        try context.verifyAnswered(
            Program([nested] + puts + [.listen(.plain), .maintain, .count], setup: setup), witness: .none)
    }

    /// EVT-11.
    private static func putsDuringClear(_ context: CheckContext) throws(CheckStop) {
        let fresh = CacheOperation.put(b, value(2))
        let clear: [CacheOperation] = [
            .put(a, value(1)), .get(a), .listen(.reenters(fresh)), .removeAll, .listen(.plain),
        ]
        try context.verifyAnswered(Program(clear))
        let steps = (clear + [.events, .get(b)]).map(\.description)
        let (answer, found) = try context.withInstance(steps: steps) { (instance) throws(CheckStop) in
            for operation in clear { try context.requireAnswer(instance.perform(operation), steps: steps) }
            return (instance.perform(.events), instance.perform(.get(b)))
        }
        guard case .events(let events) = answer else {
            throw context.failed(ValueText.describe(answer, of: .events), permitted: "the events", steps: steps)
        }
        let isTold = events.contains {
            $0.key == b && ($0.value == fresh.entry!.value || context.claims.deviates(.noValues))
        }
        try context.require(
            found == .entry(fresh.entry) || isTold && found == .entry(nil),
            observed: "\(ValueText.describe(found, of: .get(b))), and \(isTold ? "an" : "no") event of the value",
            permitted: "the value that the listener put, or an event of it", steps: steps)
    }

    /// Listeners that fail, take their time, use the cache, or are taken away.
    static let ofListeners: [Check] = [
        Check(
            .init("EVT-6", revision: 3, dependsOn: ["EVT-1", "TTL-2"], source: "JSR-107: a listener that throws"),
            due: [events, .feature(.listener)],
            "A listener that throws or takes its time breaks nothing.",
            explanation: """
                Removes, clears, overwrites and, as far as claimed, overflows and lets something end, in a group and several keys \
                at once too, with a listener that throws, and with one that takes 5 ms: the cache answers as ever, and what leaves is \
                told all the same, and to the listener that comes next. Witness: a hit. Finds events that end with the first \
                error, clears and bulk operations that stop at it, and counts that it leaves behind (dask/zict#47).
                """
        ) { (context) throws(CheckStop) in
            let plain: [CacheOperation] = [.put(a, value(1)), .put(a, value(2)), .get(a), .remove(a), .get(a)]
            let all: [CacheOperation] = [.put(a, value(3)), .put(b, value(4)), .removeAll, .get(a), .get(b)]
            let bulk = context.claimed([.put(a, value(5)), .put(b, value(6)), .removeMany([a, b]), .get(a), .get(b)])
            let inGroup = context.claimed(plain.map { .within(group: "g", $0) })
            let changes = plain + all + bulk + inGroup
            try context.verify(
                [.listen(.fails)] + changes + [.events, .listen(.slow(milliseconds: 5))] + changes
                    + [.events, .listen(.plain)] + changes + [.events])
            let ends = context.claimed(if: .timeToLive, put(a, 7, lives: 10), wait(10), .get(a), .maintain)
            guard let (setup, room) = try? context.room(.objects, 2) else {
                return try context.verify(
                    [.listen(.fails)] + ends + [.count, .listen(.plain), .events], witness: .none)
            }
            let puts = keys[..<min(keys.count, room + 3)].enumerated().map { CacheOperation.put($1, value($0)) }
            try context.verify(
                [.listen(.fails)] + puts + ends + [.listen(.plain), .count] + puts.suffix(1) + [.count, .events],
                setup: setup, witness: .none)
        },
        Check(
            .init(
                "EVT-7", revision: 2, dependsOn: ["EVT-1"], source: "Caffeine: removalListener runs outside of locks"),
            due: [events, .feature(.listener)], "A listener may use the cache.",
            explanation: """
                What leaves is told to a listener that reads from the same cache, then to ones that look, list, remove, \
                store and load there, as far as claimed, and where it is a clear, an end or little room for which it leaves; \
                each step is answered, and what it stores while an LRU or FIFO makes room leaves no more than there is room for. Witness: a hit. \
                Finds callbacks that are made while a lock is held, also one that lets readers through, and room that is made by an \
                entry that the listener has made it by already (denoland/std#7047).
                """
        ) { (context) throws(CheckStop) in
            try context.verifyAnswered(
                Program([
                    .put(b, value(9)), .listen(.reenters(.get(b))), .put(a, value(1)), .put(a, value(2)), .remove(a),
                    .events, .get(b), .listen(.plain),
                ]))
            // None of these makes an event that it would be called for again and again.
            let fresh = Array("fresh".utf8)
            let calls: [CacheOperation] = [
                .contains(b), .keys, .remove(b), .putIfAbsent(fresh, value(8)), .load(fresh, Origin(.value(value(7)))),
            ]
            for call in context.claimed(calls) {
                try context.verifyAnswered(
                    Program([.put(a, value(1)), .get(a), .listen(.reenters(call)), .put(a, value(2)), .listen(.plain)]))
            }
            try reentered(context)
        },
        Check(
            .init("EVT-8", dependsOn: ["EVT-1"], source: "JSR-107: deregisterCacheEntryListener"),
            due: [events, .feature(.listener)],
            "A listener that was taken away hears nothing more.",
            explanation: """
                Removes with nobody listening, then listens again: only what leaves from then on is told. Witness: a hit. \
                Finds listeners that live on, and events that wait for the next one.
                """,
            [
                .put(a, value(1)), .put(b, value(2)), .get(a), .remove(a), .events, .listen(.none), .remove(b),
                .put(a, value(3)), .put(a, value(4)), .maintain, .removeAll, .put(a, value(5)), .put(a, value(6)),
                .listen(.plain), .events, .remove(a), .events,
            ]),
        Check(
            .init("EVT-11", source: "documented by node-lru-cache: dispose comes first"),
            due: [events, .feature(.listener), .retains],
            "What a listener puts while it is told of a clear is kept, or told in its turn.",
            explanation: """
                Clears one entry; the listener that is told of it puts another. That is found then, or was cleared too and told \
                as removed. Finds clears that tell first and empty their tables afterwards, as those of which node-lru-cache \
                documents that 'dispose' comes before an entry is gone.
                """, body: putsDuringClear),
    ]
}
