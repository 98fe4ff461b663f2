import CacheCore

/// TIR: a memory and what lies below it.
enum TierChecks: LetterKeys {
    private static let lives = Claim.feature(.timeToLive)

    static let all: [Check] = [
        Check(
            .init("TIR-1", source: "Ehcache: tiers; Kingfisher, SDWebImage: memory over disk"),
            due: [.feature(.tiers), .retains],
            "What is written is in the lower tier too.",
            explanation: "Puts, drops what is in memory, reads. Finds writes that stay in memory.",
            [.put(a, value(1)), .dropMemory, .get(a), .put(b, value(2, 50_000)), .dropMemory, .get(b), .get(a)]),
        Check(
            .init("TIR-2", revision: 2, dependsOn: ["TIR-1"], source: "hyperoslo/Cache#301"), due: [.feature(.tiers)],
            "What is removed, cleared or expired is gone from every tier.",
            explanation: """
                Removes what is in both tiers, and what is in the lower alone, by each operation that is claimed; \
                looks before and after memory is dropped. Witness: a hit. Finds removals that one tier does not hear \
                of.
                """,
            [
                .put(a, value(1)), .get(a), .remove(a), .get(a), .dropMemory, .get(a), .put(b, value(2)), .dropMemory,
                .remove(b), .get(b), .put(a, value(3)), .get(a), .removeAll, .get(a), .dropMemory, .get(a),
                .contains(a), .put(a, value(4)), .take(a), .dropMemory, .get(a), .put(b, value(5)), .removeMany([b]),
                .dropMemory, .get(b), .put(a, value(6)), .update(a, .remove), .dropMemory, .get(a), .removeAll,
                .put(b, value(7), terms: PutTerms(tags: ["t"])), .removeTagged("t"), .dropMemory, .get(b),
                .put(b, value(8), terms: PutTerms(tags: ["s", "t"])), .dropMemory, .removeTagged("t"), .get(b),
            ]),
        Check(
            .init(
                "TIR-3", dependsOn: ["TIR-1", "TTL-1", "TTL-2"],
                source: "Ehcache: tiers; Kingfisher, SDWebImage: memory over disk"),
            due: [.feature(.tiers), lives, .retains],
            "What comes up from the lower tier has the time that is left to it.",
            explanation: """
                Drops memory, reads at 60 of 100, and again at 99 and 100; where claimed the same after a new time to live \
                was given. Finds entries that live anew, or as long as they first would have, when they come up.
                """,
            [
                put(a, 1, lives: 100), .dropMemory, wait(60), .get(a), wait(39), .get(a), wait(1), .get(a),
                .contains(a), put(b, 2, lives: 10), .touch(b, timeToLiveNanoseconds: 100), .dropMemory, wait(9),
                .contains(b), .touch(b, timeToLiveNanoseconds: 100), .dropMemory, wait(20), .get(b),
            ]),
        Check(
            .init(
                "TIR-4", dependsOn: ["TIR-1", "TTL-1", "TTL-2"],
                source: "pinterest/PINCache#226, onevcat/Kingfisher#264"),
            due: [.feature(.tiers), lives, .retains],
            "The time to live is the same in every tier.",
            explanation:
                "Lets an entry expire in the lower tier alone, and in both. Finds tiers that keep it for ever.",
            [
                put(a, 1, lives: 10), .get(a), .dropMemory, wait(10), .get(a), put(b, 2, lives: 10), .get(b), wait(10),
                .get(b), .dropMemory, .get(b),
            ]),
        Check(
            .init("TIR-5", dependsOn: ["TIR-1"], source: "Ehcache: tiers; Kingfisher, SDWebImage: memory over disk"),
            due: [.feature(.tiers), .retains, .iterates],
            "When memory is short, only memory is given up.",
            explanation: "Drops memory and counts, lists and reads. Finds warnings that empty the whole cache.",
            [.put(a, value(1)), .put(b, value(2)), .dropMemory, .count, .keys, .get(a), .dropMemory, .get(b), .get(a)]),
        Check(
            .init(
                "TIR-6", revision: 2, dependsOn: ["TIR-1", "LDR-14"],
                source: "Ehcache: tiers; Kingfisher, SDWebImage: memory over disk"),
            due: [.feature(.tiers), .retains],
            "The newest value is read although the lower tier is still to get it.",
            explanation: """
                Overwrites what is only in the lower tier and reads at once, then drops memory and reads; the same with what is \
                loaded afresh, where that is claimed. Finds the old value served until the write has gone down, and refreshes \
                of memory alone (jaredwray/cacheable#916).
                """
        ) { (context) throws(CheckStop) in
            try context.verify([
                .put(a, value(1)), .dropMemory, .put(a, value(2)), .get(a), .dropMemory, .get(a), .put(a, value(3)),
                .dropMemory, .get(a),
            ])
            try LoaderChecks.refresh(context, then: [.get(a), .dropMemory, .get(a)])
        },
        Check(
            .init("TIR-7", source: "hyperoslo/Cache: HybridStorage.setObject"), due: [.feature(.tiers)],
            "A write that the lower tier refuses is an error or lives in memory; the old value is not served.",
            explanation: """
                While the lower tier fails: a put that is acknowledged is read, and when memory is dropped it is the new \
                value or none, but for what a flush has called durable since; a removal that is acknowledged is one. \
                Afterwards all is as before. Witness: a hit, or none after the flush. Finds yesterday's value that comes up \
                from below, and refused writes that are forgotten.
                """,
            [
                .put(a, value(1)), .get(a), .failLower(true), .put(a, value(2)), .get(a), .dropMemory, .get(a),
                .failLower(false), .put(a, value(3)), .get(a), .dropMemory, .get(a), .failLower(true), .remove(a),
                .dropMemory, .failLower(false), .get(a), .failLower(true), .put(b, value(4)), .flush, .failLower(false),
                .flush, .dropMemory, .get(b),
            ]),
        Check(
            .init(
                "TIR-8", revision: 2, dependsOn: ["TIR-1", "STA-2"],
                source: "Ehcache: tiers; Kingfisher, SDWebImage: memory over disk"),
            due: [.feature(.tiers), .feature(.statistics), .retains],
            "Hits below memory are counted apart.",
            explanation: """
                Reads from memory, drops it, and reads again: hits in all are two, of which one is below memory, and nothing was \
                missed. Blocked where the cache does not count them. Finds tiers whose hits nobody sees, and ones that count as \
                misses of memory, too (ehcache/ehcache3#1774).
                """
        ) { (context) throws(CheckStop) in
            let steps = ["put a", "get a", "drop memory", "get a", "statistics"]
            let answers = try context.withInstance(steps: steps) { instance in
                [.put(a, value(1)), .get(a), .dropMemory, .get(a), .statistics].map { instance.perform($0) }
            }
            guard case .statistics(let counters) = answers[4], let lower = counters.lowerHits else {
                throw .blocked("hits below memory are not counted")
            }
            try context.require(
                lower == 1 && (counters.hits ?? 2) == 2 && (counters.misses ?? 0) == 0,
                observed:
                    "\(counters.hits ?? 2) hits, \(lower) of them below memory, and \(counters.misses ?? 0) misses",
                permitted: "2 hits, 1 of them below memory, and no miss", steps: steps)
        },
        Check(
            .init("TIR-9", dependsOn: ["TIR-1"], source: "Ehcache: tiers; Kingfisher, SDWebImage: memory over disk"),
            due: [.feature(.tiers), .retains],
            "What comes up from the lower tier is the entry that was put.",
            explanation: """
                Drops memory and reads; then, as far as claimed, removes by the tag that it was put with, sets by the \
                version that was marked before, and evicts around an entry that was pinned before. Finds tiers that \
                keep the value and lose what belongs to it.
                """, body: staysItself),
        Check(
            .init("TIR-10", dependsOn: ["LIN-1"], source: "Ehcache: tiers; Kingfisher, SDWebImage: memory over disk"),
            due: [.feature(.tiers), .concurrent],
            "While memory is given up, clients at once are told what one operation after the other explains.",
            explanation: """
                Four clients put, read and remove two keys and drop memory at every third operation, in twelve runs; then \
                each key is read, memory is dropped, and it is read again. Witness: a hit. Finds reads that bring up \
                what was overwritten or removed meanwhile, and writes that reach the tiers in different orders.
                """
        ) { (context) throws(CheckStop) in
            try context.stress(
                StressPlan(keys: 2, maintainEvery: 3, chore: .dropMemory),
                steps: ["4 clients get, put and remove 2 keys, and drop memory"])
            try LinearizabilityChecks.leavesTiersEqual(context)
        },
    ]

    private static func staysItself(_ context: CheckContext) throws(CheckStop) {
        let up: [CacheOperation] = [.dropMemory, .get(a)]
        try context.verify(
            [.put(a, value(1))] + context.claimed([.mark(a)]) + up
                + context.claimed([.setIfMarked(a, value(2)), .get(a)])
                + context.claimed([.put(a, value(3), terms: PutTerms(tags: ["t"]))]) + up
                + context.claimed([.removeTagged("t")]) + [.get(a)])
        guard context.claims.claims(.pin), context.claims.room?.units.contains(.objects) == true else { return }
        let (setup, room) = try context.room(.objects, 4)
        let others = (0..<10 * room).map { CacheOperation.put(Array("other-\($0)".utf8), value($0)) }
        try context.verify([.put(a, value(4)), .pin(a)] + up + others + [.get(a)], setup: setup)
    }
}
