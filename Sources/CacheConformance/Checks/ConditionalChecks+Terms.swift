import CacheCore

// What is said of an entry, by each operation that writes it or takes it away.
extension ConditionalChecks {
    static let ofTerms: [Check] = [
        Check(
            .init(
                "CON-19", revision: 2, dependsOn: ["TTL-7", "GRP-5", "CAP-6", "CON-8", "BAS-13"], sweeps: true,
                source:
                    "memcached and Redis: SET drops the old time to live; Jellydator/ttlcache sweeps by old deadlines"),
            due: [.retains],
            "Nothing that was said of an entry is true of the next one under its key.",
            explanation: """
                An entry with a time to live, a cost, a tag and a marked version, as far as claimed, is overwritten or removed \
                in each way, and another is stored. That one has a cost of its own, is not removed by the tag, does not end, \
                and is not the version that was marked. Finds tables beside the entries that an operation forgets.
                """
        ) { (context) throws(CheckStop) in
            let setup = weighed(context)
            try context.each(\.overwrites, setup) { $0.full(1) + $1 + isPlain($0) }
            try context.each(\.removals, setup) { $0.full(1) + $1 + [$0.put] + isPlain($0) }
            try context.each(\.creations, setup) { $0.full(1) + [$0.here(.remove($0.key))] + $1 + isPlain($0) }
        },
        Check(
            .init(
                "CON-20", revision: 2, dependsOn: ["TTL-6", "GRP-5", "CAP-4", "BAS-13"], sweeps: true,
                source: "Memcached: add, set and replace take the same expiration time"),
            due: [.retains],
            "What is said of an entry holds, whichever operation wrote it.",
            explanation: """
                Writes with a time to live, with two tags, and with a cost, each as far as claimed, in each way that takes \
                them: the entry ends at its end, is removed by its tag, and costs what was said. Finds operations that drop \
                what comes with the value.
                """
        ) { (context) throws(CheckStop) in
            let (claims, setup) = (context.claims, weighed(context))
            if claims.claims(.timeToLive) {
                try context.each({ $0.writes(PutTerms(timeToLiveNanoseconds: OperationVariants.life)) }, setup) {
                    $1 + [.advance(nanoseconds: OperationVariants.life - 1), $0.get, .advance(nanoseconds: 1), $0.get]
                }
            }
            if claims.claims(.tags) {
                try context.each({ $0.writes(PutTerms(tags: ["t", "u"])) }, setup) {
                    $1 + [$0.get, .removeTagged("v"), $0.get, .removeTagged("t"), $0.get]
                }
            }
            if setup.capacity != nil {
                try context.each({ $0.writes(PutTerms(cost: 7)) }, setup) { $1 + [$0.get, .cost] }
            }
        },
    ]

    /// A cache whose room is in bytes, where costs can be told.
    private static func weighed(_ context: CheckContext) -> CacheSetup {
        guard context.claims.claims(.cost), let room = context.claims.room, room.isAdjustable, room.isStrict,
            room.units.contains(.bytes)
        else { return CacheSetup() }
        return CacheSetup(capacity: .bytes(1_000))
    }

    /// Looks that find the entry, and nothing of what was said of the one before it.
    private static func isPlain(_ variants: OperationVariants) -> [CacheOperation] {
        let asked: [CacheOperation] =
            (variants.group == nil ? [.setIfMarked(variants.key, value(8))] : []) + [
                .cost, .removeTagged(OperationVariants.tag),
            ]
        let waits: [CacheOperation] =
            variants.claims.claims(.timeToLive) ? [.advance(nanoseconds: OperationVariants.life), .maintain] : []
        return asked.filter { $0.isCovered(by: variants.claims) } + [variants.get] + waits + [variants.get]
    }
}
