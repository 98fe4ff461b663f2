import CacheCore

// What is loaded afresh before its end, while the old value is answered.
extension LoaderChecks {
    static let ofRefreshes: [Check] = [
        refreshing(
            .init("LDR-14", revision: 2, dependsOn: ["LDR-1", "TTL-1", "TTL-2"], source: "ben-manes/caffeine#282"),
            "The old value is answered while a new one is loaded, until its end and never after.",
            explanation: """
                Past the age of refreshing a load answers the old value; the refresh does not come to its end, and \
                once the time to live is over the old value is not answered any more. Finds caches that wait for the \
                refresh before they let go.
                """,
            [
                .put(a, value(1), terms: PutTerms(timeToLiveNanoseconds: 100)), .advance(nanoseconds: 60),
                .load(a, Origin(.failure)), .get(a), .advance(nanoseconds: 39), .get(a), .advance(nanoseconds: 1),
                .get(a), .load(a, Origin(.value(value(3)))), .get(a),
            ]),
        refreshing(
            .init("LDR-15", dependsOn: ["LDR-1", "LDR-14"], source: "ben-manes/caffeine#120"),
            "A refresh that fails is tried again.",
            explanation: """
                A refresh fails: the old value stays. The next load past the age refreshes again, and succeeds. Finds \
                refreshing that stops for ever after one failure.
                """,
            [
                load(a, 1), .advance(nanoseconds: 60), .load(a, Origin(.failure)), .maintain, .get(a), load(a, 2),
                .maintain, .get(a), .advance(nanoseconds: 60), load(a, 3), .maintain, .get(a),
            ]),
        refreshing(
            .init("LDR-16", dependsOn: ["LDR-1", "LDR-14"], source: "Caffeine: refreshAfterWrite"),
            "Only one refresh of a key goes on at a time.",
            explanation:
                "Two loads past the age with different origins: the value of the first comes. Of two keys both are loaded "
                + "afresh. Finds a refresh a reader, and one for all keys.",
            [
                load(a, 1), .advance(nanoseconds: 60), load(a, 2, while: [.pause(milliseconds: 20)]), load(a, 3),
                .maintain, .get(a), .get(a), load(a, 4), load(b, 5), .advance(nanoseconds: 60), load(a, 6), load(b, 7),
                .maintain, .get(a), .get(b),
            ]),
        Check(
            .init(
                "LDR-20", revision: 4, dependsOn: ["LDR-1", "LDR-11", "LDR-14"], source: "Caffeine: refreshAfterWrite"),
            due: [loader, .feature(.refresh), .feature(.timeToLive), .retains],
            "A write, a removal or a clear wins over a refresh that is under way.",
            explanation: """
                Past the age of refreshing a load answers the old value; before its refresh has ended somebody \
                puts, removes or clears, by each operation that is claimed, and last while the origin is asked. What the refresh brings is \
                not there afterwards. Finds refreshes that undo what came after them (logto-io/logto#9428).
                """
        ) { (context) throws(CheckStop) in
            let steps: [CacheOperation] = [
                load(a, 1), .advance(nanoseconds: 60), load(a, 2), .put(a, value(3)), .maintain, .get(a),
                .advance(nanoseconds: 60), load(a, 4), .remove(a), .maintain, .get(a), load(a, 5),
                .advance(nanoseconds: 60), load(a, 6), .removeAll, .maintain, .get(a), .contains(a),
                load(a, 8), .advance(nanoseconds: 60), load(a, 9, while: [.put(a, value(10))]), .maintain, .get(a),
            ]
            try context.verify(steps, setup: CacheSetup(refreshNanoseconds: 50))
            try context.each(
                { $0.overwrites + $0.removals.filter { $0.count == 1 } }, CacheSetup(refreshNanoseconds: 50)
            ) {
                [$0.load(1)] + $0.mark + [.advance(nanoseconds: 60), $0.load(7)] + $1 + [.maintain, $0.get]
            }
        },
    ]

    /// Loads a key afresh, and does what comes then; nothing where that is not claimed.
    static func refresh(_ context: CheckContext, then last: [CacheOperation]) throws(CheckStop) {
        guard [.loader, .refresh, .timeToLive].allSatisfy(context.claims.claims) else { return }
        try context.verify(
            [load(a, 1), wait(60), load(a, 2), .maintain] + last, setup: CacheSetup(refreshNanoseconds: 50),
            witness: .none)
    }

    /// A check of a cache that refreshes what is older than 50 ns.
    private static func refreshing(
        _ head: Check.Head, _ assertion: String, explanation: String, _ operations: [CacheOperation]
    ) -> Check {
        Check(
            head, due: [loader, .feature(.refresh), .feature(.timeToLive), .retains], assertion,
            explanation: explanation
        ) { (context) throws(CheckStop) in
            try context.verify(operations, setup: CacheSetup(refreshNanoseconds: 50))
        }
    }
}
