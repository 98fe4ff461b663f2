import CacheCore

/// ITR: listing and counting keys.
enum IterationChecks {
    private static let keys = (0..<200).map { Array("listed-\($0)".utf8) }
    private static let puts = keys.enumerated().map { CacheOperation.put($1, value($0)) }

    /// In a cache whose bound need not be strict the count is still that of the list.
    private static func countsWhatIsListed(_ context: CheckContext) throws(CheckStop) {
        guard let room = context.claims.room, room.units.contains(.objects), !context.claims.deviates(.cannotList),
            let (setup, amount) = try? context.room(.objects, 8)
        else { return }
        let puts = (0..<3 * min(amount, 64)).map { CacheOperation.put(Array("full-\($0)".utf8), value($0)) }
        let steps = ["open for \(amount) entries", "\(puts.count) times: put another key, maintain, keys, count, keys"]
        try context.withInstance(setup, steps: steps) { (instance) throws(CheckStop) in
            for put in puts {
                let answers = [put, .maintain, .keys, .count, .keys].map { instance.perform($0) }
                for answer in answers { try context.requireAnswer(answer, steps: steps) }
                guard case .keys(let before) = answers[2], case .number(let count) = answers[3],
                    case .keys(let after) = answers[4]
                else { return }
                // What drops entries at any time may do so between the two.
                try context.require(
                    (min(before.count, after.count)...max(before.count, after.count)).contains(count),
                    observed: "\(count), and \(before.count) keys are listed", permitted: "the number of keys listed",
                    steps: steps)
            }
        }
    }

    static let all: [Check] = [
        Check(
            .init("ITR-1", profile: .core, source: "JSR-107: Cache.iterator"), due: [.iterates],
            "Every live key is listed exactly once.",
            explanation: """
                Lists and counts after each of 40 puts, and 200 keys and hostile ones. Witness: a hit. Finds pages that \
                overlap or stop early, at whatever number or byte; the same by a walk, where that is claimed.
                """
        ) { (context) throws(CheckStop) in
            let hostile = (KeyPool.mixed + KeyPool.pathHostile).filter {
                (!$0.isEmpty || context.claims.allowsEmptyKey) && $0.count <= context.claims.keyBytesMax
            }
            let more = hostile.enumerated().map { CacheOperation.put($1, value(1_000 + $0)) }
            let first = puts.prefix(40).flatMap { [$0, .keys, .count] }
            let walk = context.claimed([.firstKeys(1_000)])
            try context.verify(first + puts + [.keys, .get(keys[0])] + more + [.keys] + walk)
        },
        Check(
            .init("ITR-2", dependsOn: ["ITR-1"], source: "JSR-107: Cache.iterator"), due: [.iterates],
            "What is listed can be read under the listed bytes.",
            explanation: """
                Lists keys of every length and kind and reads each. Witness: a hit. Finds keys that are listed by \
                their file name or digest.
                """
        ) { (context) throws(CheckStop) in
            let all = (KeyPool.lengths(upTo: min(4_096, context.claims.keyBytesMax)) + KeyPool.unicode)
                .filter { $0.count <= context.claims.keyBytesMax }
            let writes = all.enumerated().map { CacheOperation.put($1, value($0)) }
            try context.verify(writes + [.keys] + all.map { .get($0) })
        },
        Check(
            .init("ITR-3", dependsOn: ["ITR-1"], profile: .core, source: "isaacs/node-lru-cache#411"), due: [.iterates],
            "Overwrites and removals leave no second and no dead key in the list.",
            explanation:
                "Overwrites a third, removes a third, lists. Witness: a hit. Finds logs that list every version."
        ) { (context) throws(CheckStop) in
            let overwrites = keys.enumerated().filter { $0.offset % 3 == 0 }.map {
                CacheOperation.put($1, value(500 + $0))
            }
            let removes = keys.enumerated().filter { $0.offset % 3 == 1 }.map { CacheOperation.remove($0.element) }
            try context.verify(puts + overwrites + [.keys, .get(keys[0])] + removes + [.keys, .count])
        },
        Check(
            .init("ITR-4", dependsOn: ["ITR-1"], source: "Java: iterators of ConcurrentHashMap are weakly consistent"),
            due: [.iterates, .concurrent],
            "A list that is made while others write names no key twice and none falsely.",
            explanation: """
                Two clients put, overwrite and remove keys of their own, while two others list and count. No answer is an \
                error; no list has a key twice or one that nobody put; where everything is retained, each list has the 20 \
                keys that nobody touches. Finds lists that are made in several steps, over what has moved meanwhile.
                """, body: LinearizabilityChecks.listsAmongWriters),
        Check(
            .init("ITR-5", revision: 2, dependsOn: ["ITR-1"], source: "JSR-107: Cache.iterator"), due: [.iterates],
            "Removing each listed key empties the store.",
            explanation: "Lists, reads one, removes one by one, lists again. Witness: a hit."
        ) { (context) throws(CheckStop) in
            let removes = keys.flatMap { [CacheOperation.remove($0), .contains($0)] }
            try context.verify(puts + [.keys, .get(keys[0])] + removes + [.keys, .count])
        },
        Check(
            .init("ITR-6", revision: 3, dependsOn: ["ITR-1"], profile: .core, source: "JSR-107: Cache.iterator"),
            due: [.iterates],
            "The count is the number of keys listed.",
            explanation: """
                Counts after every put, overwrite, missed and successful remove, and while more is put than there is room for. Witness: \
                a hit. Finds counters that drift, and a count that has a limit which the list has not.
                """
        ) { (context) throws(CheckStop) in
            try countsWhatIsListed(context)
            let a = keys[0]
            let b = keys[1]
            try context.verify([
                .put(a, value(1)), .count, .put(a, value(2)), .count, .put(b, value(3)), .count, .keys, .get(a),
                .remove(a), .count, .remove(a), .count, .keys, .put(a, .bytes([])), .count, .remove(b), .remove(a),
                .count, .keys,
            ])
        },
        Check(
            .init("ITR-7", dependsOn: ["ITR-1"], source: "LMDB: a cursor pins its pages"), due: [.feature(.walks)],
            "A walk over the keys that is left early leaves nothing behind.",
            explanation: """
                Walks to no key, the first, the third and the last, with removals and a clear in between that must \
                take effect as ever. Then 12 walks are left after one key each, and not each of them has left an open \
                file or a thread. Witness: a hit. Finds walks that hold a lock, an entry or a file until they come to \
                their end.
                """
        ) { (context) throws(CheckStop) in
            let some = Array(keys.prefix(12))
            let removes = some.prefix(6).flatMap { [CacheOperation.firstKeys(2), .remove($0), .contains($0)] }
            try context.verify(
                Array(puts.prefix(12)) + [
                    .firstKeys(1), .firstKeys(3), .firstKeys(100), .firstKeys(0), .get(some[0]),
                ] + removes
                    + [.count, .keys, .firstKeys(1), .removeAll, .firstKeys(1), .keys, puts[0], .firstKeys(5)])
            try ResourceScenarios.walks(context)
        },
        Check(
            .init("ITR-8", profile: .core, source: "JSR-107: Cache.iterator"), due: [.iterates],
            "An empty store counts zero and lists nothing.",
            explanation: "Fresh, and after its only key was removed. Witness: that key was found.",
            [
                .count, .keys, .get(keys[0]), .count, .put(keys[0], value(1)), .get(keys[0]), .remove(keys[0]), .count,
                .keys,
            ]),
    ]
}
