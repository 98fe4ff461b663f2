import CacheCore

/// LDR: reads that load what is missing.
enum LoaderChecks {
    private static let a = Array("a".utf8)
    private static let b = Array("b".utf8)
    private static let loader = Claim.feature(.loader)

    private static func load(_ key: [UInt8], _ number: Int, while meanwhile: [Operation] = []) -> Operation {
        .load(key, Origin(.value(value(number)), meanwhile: meanwhile))
    }

    private static func check(
        _ id: String, due claims: [Claim] = [], _ assertion: String, explanation: String, _ operations: [Operation],
        witness: CheckContext.Witness = .hits(1)
    ) -> Check {
        Check(id, due: [loader] + claims, assertion, explanation: explanation) { (context) throws(CheckStop) in
            try context.verify(Program(operations), witness: witness)
        }
    }

    static let all: [Check] = [
        check(
            "LDR-1", due: [.retains], "A missing key is loaded and stored.",
            explanation: "Loads, reads, removes and loads again. Finds loads whose value is not kept.",
            [load(a, 1), .get(a), .remove(a), load(a, 2), .get(a), .contains(b)]),
        check(
            "LDR-2", due: [.retains], "A present key is not loaded.",
            explanation: "Loads over a put and over a load, counting calls. Finds loaders that are always asked.",
            [.put(a, value(1)), load(a, 2), load(b, 3), load(b, 4), .get(a), .get(b)]),
        Check(
            "LDR-3", due: [loader, .feature(.coalesce), .retains], "Threads that miss one key at once share one load.",
            explanation: """
                Four threads load one missing key whose origin takes 20 ms; one call is made, and all have its value. \
                Repeated for 10 keys. Blocked where the cache is not for several threads. Finds stampedes.
                """
        ) { (context) throws(CheckStop) in try stampede(context) },
        check(
            "LDR-6", due: [.retains], "A failing load is told, stores nothing, and the next read loads again.",
            explanation: "Fails twice, then succeeds. Finds failures that are remembered for ever.",
            [
                .load(a, Origin(.failure)), .get(a), .contains(a), .load(a, Origin(.failure)), load(a, 1), .get(a),
                load(a, 2),
            ]),
        check(
            "LDR-8", due: [.feature(.timeToLive), .retains], "A loaded value has the time to live that it came with.",
            explanation: "Loads with a life of 10 and waits. Finds loaded values that never end.",
            [
                .load(a, Origin(.value(value(1), PutTerms(timeToLiveNanoseconds: 10)))), .advance(nanoseconds: 9),
                .get(a),
                .advance(nanoseconds: 1), .get(a), load(a, 2), .advance(nanoseconds: 100), .get(a),
            ]),
        check(
            "LDR-9", due: [.feature(.negative), .retains],
            "That there is no value is remembered, and is never a value.",
            explanation: """
                Loads a key without a value twice: the second asks nobody. Reads, looks and puts over it. Finds sentinels \
                that come out, and absences that are asked for every time.
                """,
            [
                .load(a, Origin(.nothing)), .load(a, Origin(.nothing)), .get(a), .contains(a), .put(a, value(1)),
                .get(a),
                .remove(a), .load(a, Origin(.nothing)), .put(b, value(2)), load(b, 3),
            ]),
        check(
            "LDR-11", "A write, a removal or a clear during a load wins over what is loaded.",
            explanation: """
                While the origin is asked somebody puts, removes or clears; afterwards the loaded value is not there. \
                Witness: a hit. Finds stale values that are stored after what is newer.
                """,
            [
                load(a, 1, while: [.put(a, value(2))]), .get(a), load(b, 3, while: [.remove(b)]), .get(b),
                .remove(a), load(a, 4, while: [.removeAll]), .get(a),
                load(a, 5, while: [.put(a, value(6)), .remove(a)]),
                .get(a), .put(b, value(7)), .get(b),
            ]),
        check(
            "LDR-12", due: [.retains], "A load may load another key.",
            explanation: "An origin loads another key from the same cache. Finds locks that are held while loading.",
            [load(a, 1, while: [load(b, 2)]), .get(a), .get(b)]),
        check(
            "LDR-13", "Looking and writing load nothing.",
            explanation:
                "Looks, removes and counts after a load was made, and finds no more than was put. Witness: a hit.",
            [
                load(a, 1), .get(a), .remove(a), .contains(a), .get(a), .remove(a), .count, .put(a, value(2)), .get(a),
            ]),
        check(
            "LDR-19", due: [.feature(.statistics)], "Loads are counted, failed ones apart.",
            explanation:
                "Loads, fails and hits, with the counters between. Witness: a hit. Finds hits counted as loads.",
            [
                load(a, 1), .get(a), .statistics, load(a, 2), .statistics, .load(b, Origin(.failure)), .statistics,
                load(b, 3), .get(b), .statistics,
            ]),
    ]

    private static func stampede(_ context: CheckContext) throws(CheckStop) {
        let steps = ["4 threads at once load a missing key; its origin takes 20 ms", "the same for 10 keys"]
        let run = try context.threads(4, steps: steps) { _, instance in
            (0..<10).map { number in
                instance.perform(
                    .load(
                        Array("hot-\(number)".utf8),
                        Origin(.value(value(number)), meanwhile: [.pause(milliseconds: 20)])))
            }
        }
        for number in 0..<10 {
            let key = Array("hot-\(number)".utf8)
            let results = run.results.map { $0[number] }
            let calls = results.reduce(0) { total, result in
                if case .loaded(_, let calls) = result { total + calls } else { total }
            }
            let isRight = results.allSatisfy { result in
                guard case .loaded(.value(let entry), _) = result else { return false }
                return entry == StoredEntry(value(number).bytes(for: key))
            }
            try context.require(
                calls == 1 && isRight, observed: "\(calls) calls\(isRight ? "" : ", and another value")",
                permitted: "1 call, and its value for all", steps: steps)
        }
        _ = run.instance.perform(.close)
    }
}
