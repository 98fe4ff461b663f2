import CacheCore

// What several threads do to one load, and to those beside it.
extension LoaderChecks {
    /// Programs of LDR-11: loads, and what happens to their keys meanwhile.
    static func overtaken(_ claims: Claims) -> [[CacheOperation]] {
        let (a, b) = (key("a"), key("b"))
        let ways: [(Claims.Feature, [CacheOperation])] = [
            (.replace, [.exchange(a, value(8))]), (.take, [.take(a)]),
            (.bulk, [.removeMany([b, a])]),
            (.bulkPut, [.putMany([KeyedPayload(b, value(8)), KeyedPayload(a, value(9))])]),
            (.update, [.update(a, .set(value(8)))]), (.update, [.update(a, .remove)]),
            (.rename, [.put(b, value(8)), .rename(b, to: a)]),
        ]
        let others: [[CacheOperation]] = [
            [.load(a, Origin(.failure, meanwhile: [.put(a, value(2))])), .get(a), .put(b, value(7)), .get(b)],
            [
                .load(a, Origin(.nothing, meanwhile: [.put(a, value(2))])), .get(a), load(a, 3), .get(a),
                .put(b, value(7)), .get(b),
            ],
        ]
        let plain: [CacheOperation] = [
            load(a, 1, while: [.put(a, value(2))]), .get(a), load(b, 3, while: [.remove(b)]), .get(b),
            .remove(a), load(a, 4, while: [.removeAll]), .get(a), load(a, 5, while: [.put(a, value(6)), .remove(a)]),
            .get(a), .put(b, value(7)), .get(b),
        ]
        // What a cache may have dropped cannot be renamed.
        let claimed = ways.filter { claims.claims($0.0) && ($0.0 != .rename || claims.retains) }
        return [plain] + others + claimed.map { [load(a, 1, while: $0.1), .get(a), .put(b, value(7)), .get(b)] }
    }

    static func sharesWhatComes(_ context: CheckContext) throws(CheckStop) {
        let payload = Payload.bytes([7])
        let kept = LoadOutcome.value(StoredEntry([7]))
        var kinds: [(words: String, answer: Origin.Answer, wanted: LoadOutcome, setup: CacheSetup)] = [
            ("fails", .failure, .failed, CacheSetup()), ("has no value", .nothing, .nothing, CacheSetup()),
        ]
        if context.claims.hasOwnTimes {
            let over = Origin.Answer.value(payload, PutTerms(timeToLiveNanoseconds: 0))
            kinds.append(("has a value with a life of 0", over, kept, CacheSetup()))
        }
        if context.claims.claims(.cost), let (setup, room) = try? context.room(.bytes, 100) {
            let heavy = Origin.Answer.value(payload, PutTerms(cost: room + 1))
            kinds.append(("has a value that costs more than there is room for", heavy, kept, setup))
        }
        for (words, answer, wanted, setup) in kinds {
            let steps = [
                "4 threads at once load a missing key; its origin takes 20 ms and \(words)", "the same for 5 keys",
            ]
            let run = try context.threads(4, setup, steps: steps) { _, instance in
                (0..<5).map { number in
                    instance.perform(
                        .load(key("lacking-\(number)"), Origin(answer, meanwhile: [.pause(milliseconds: 20)])))
                }
            }
            _ = run.instance.perform(.close)
            for result in run.results.joined() {
                // Some take no terms from an origin.
                if wanted == kept, result.isUnsupported { continue }
                var outcome: LoadOutcome?
                if case .loaded(let found, _) = result { outcome = found }
                try context.require(
                    outcome == wanted, observed: ValueText.describe(result, of: .load(slow, Origin(answer))),
                    permitted: wanted == .failed
                        ? "the origin's error for all" : wanted == kept ? "its value for all" : "nil for all",
                    steps: steps)
            }
        }
    }

    /// LDR-26.
    static func isNotThereYet(_ context: CheckContext) throws(CheckStop) {
        let lists: [CacheOperation] = context.claims.deviates(.cannotList) ? [.count] : [.count, .keys]
        let looks = [CacheOperation.contains(slow)] + (context.claims.iterates ? lists : [])
        let nothing: [OperationResult] = [.flag(false), .number(0), .keys([])]
        let steps = ["a thread loads 'slow' from an origin that takes its time"] + looks.map { "another thread: \($0)" }
        let clock = ContinuousClock()
        var (loads, waits) = (0, 0)
        for pause in [50, 100, 200, 400, 800] {
            let run = try context.threads(2, steps: steps) { thread, instance in
                if thread == 1 { sleepUninterrupted(.microseconds(300 * pause)) }
                let start = clock.now
                let asked = thread == 0 ? [load(slow, 1, while: [.pause(milliseconds: pause)])] : looks
                return (answers: asked.map { instance.perform($0) }, start: start, end: clock.now)
            }
            _ = run.instance.perform(.close)
            let (loading, looking) = (run.results[0], run.results[1])
            // The origin is asked at least from here to there, as in the attempts of `overtakes`.
            guard loading.answers[0].calls == 1, loading.end >= loading.start + .milliseconds(pause) else { continue }
            loads += 1
            guard looking.start >= loading.end - .milliseconds(pause) else { continue }
            guard looking.end <= loading.start + .milliseconds(pause) else {
                waits += 1
                continue
            }
            for (index, look) in looks.enumerated() {
                try context.require(
                    looking.answers[index] == nothing[index],
                    observed: "\(look): \(ValueText.describe(looking.answers[index], of: look))",
                    permitted: ValueText.describe(nothing[index], of: look), steps: steps)
            }
            return
        }
        guard loads > 0 else { throw .blocked("the witness: no load waited for its origin") }
        guard waits < 2 else { throw .blocked("whoever looks waits for the load") }
        throw .inconclusive("one came too late for the other; the machine is too busy")
    }

    /// A load with its answer, and whether it took at least half of the time that its origin would: clocks are coarse.
    private static func timed(
        _ pause: Int, _ instance: any CacheInstance, _ load: CacheOperation
    ) -> (result: OperationResult, hasWaited: Bool) {
        let start = ContinuousClock.now
        let result = instance.perform(load)
        return (result, start.duration(to: .now) >= .milliseconds(pause / 2))
    }

    /// Nothing is shared where no origin takes its time: who comes later finds an entry.
    private static func requireWaits(_ loads: some Sequence<(result: OperationResult, hasWaited: Bool)>)
        throws(CheckStop)
    {
        guard loads.contains(where: { $0.result.calls > 0 && !$0.hasWaited }) else { return }
        throw .blocked("the witness: a load did not wait for its origin")
    }

    static func lateComers(_ context: CheckContext) throws(CheckStop) {
        let steps = ["4 threads load a key 3 ms after each other; its origin takes 60 ms", "the same for 5 keys"]
        let run = try context.threads(4, steps: steps) { thread, instance in
            (0..<5).map { number in
                sleepUninterrupted(.milliseconds(3 * thread))
                let inner = load(key("inner-\(number)"), number)
                return timed(
                    60, instance, load(key("late-\(number)"), number, while: [inner, .pause(milliseconds: 60)]))
            }
        }
        _ = run.instance.perform(.close)
        try requireWaits(run.results.joined())
        for number in 0..<5 {
            let calls = run.results.reduce(0) { $0 + $1[number].result.calls }
            try context.require(calls == 1, observed: "\(calls) calls", permitted: "1 call", steps: steps)
        }
    }

    static func givingUp(_ context: CheckContext) throws(CheckStop) {
        let clock = ContinuousClock()
        var attempts = 0
        // A thread may wait for a processor until all is over. Two attempts count in which nobody seems to have.
        for pause in [30, 30, 60, 120, 240, 480] {
            let steps = [
                "a thread loads a key whose origin takes \(2 * pause) ms, and gives up after \(pause)",
                "3 threads load it meanwhile",
            ]
            let meanwhile: [CacheOperation] = [.pause(milliseconds: pause), .giveUp(slow), .pause(milliseconds: pause)]
            let run = try context.threads(4, steps: steps) { thread, instance in
                if thread > 0 { sleepUninterrupted(.microseconds(300 * pause)) }
                let start = clock.now
                let result = instance.perform(
                    load(slow, 1, while: thread == 0 ? meanwhile : [.pause(milliseconds: pause)]))
                var isRight = thread == 0
                if case .loaded(.value(let entry), _) = result {
                    isRight = entry == StoredEntry(value(1).bytes(for: slow))
                }
                return (isRight: isRight, calls: result.calls, start: start, end: clock.now)
            }
            // Nobody hears it where an origin is told that giving up is not there.
            _ = run.instance.perform(.giveUp(slow))
            _ = run.instance.perform(.close)
            try context.require(
                run.results.allSatisfy(\.isRight), observed: "one that waited did not get the value",
                permitted: "the value for all who did not give up", steps: steps)
            let (first, others) = (run.results[0], run.results.dropFirst())
            // Neither the giving up nor the end of the load comes earlier than this, whoever is without a processor.
            let (givenUp, over) = (first.start + .milliseconds(pause), first.start + .milliseconds(2 * pause))
            let haveWaited = others.allSatisfy { $0.calls == 0 && $0.start < givenUp && $0.end >= over }
            if first.calls == 1, haveWaited { attempts += 1 }
            if attempts == 2 { return }
        }
        throw .inconclusive("the others came too late for the load; the machine is too busy")
    }

    /// Whether one thread's operation is done before another's load that began earlier.
    ///
    /// An attempt shows something only if the operation began while the origin was asked. On a busy machine either may come
    /// late, and a cache may answer without the origin.
    static func overtakes(
        _ context: CheckContext, _ what: String, _ operation: @escaping @Sendable (Int) -> CacheOperation
    ) throws(CheckStop) {
        let pauses = [50, 100, 200, 400, 800]
        let steps = ["a thread loads 'slow' from an origin that takes \(pauses.last!) ms", "another thread \(what)"]
        var (waits, loads) = (0, 0)
        for (number, pause) in pauses.enumerated() {
            let clock = ContinuousClock()
            let run = try context.threads(2, steps: steps) { thread, instance in
                if thread == 1 { sleepUninterrupted(.microseconds(300 * pause)) }
                let start = clock.now
                let answer = instance.perform(
                    thread == 0 ? load(slow, number, while: [.pause(milliseconds: pause)]) : operation(number))
                return (calls: answer.calls, start: start, end: clock.now)
            }
            _ = run.instance.perform(.close)
            let (loading, other) = (run.results[0], run.results[1])
            // The origin is asked at least from here to there: a time is read late where a thread has no processor.
            let asked = loading.end.advanced(by: .milliseconds(-pause))
            let answered = loading.start.advanced(by: .milliseconds(pause))
            guard loading.calls == 1, loading.end >= answered else { continue }
            loads += 1
            guard other.start >= asked else { continue }
            if other.end < answered { return }
            // One that waits for the load has half of its time for something else to be the reason.
            if other.start < loading.start.advanced(by: .milliseconds(pause / 2)) { waits += 1 }
        }
        guard loads > 0 else { throw .blocked("the witness: no load waited for its origin") }
        guard waits > 1 else { throw .inconclusive("one came too late for the other; the machine is too busy") }
        try context.require(
            false, observed: "it was done after the load, \(waits) times", permitted: "done before the load",
            steps: steps)
    }

    static func stampede(_ context: CheckContext, expired: Bool = false) throws(CheckStop) {
        let what = expired ? "an expired" : "a missing"
        let pause = expired ? 60 : 20
        let steps = ["4 threads at once load \(what) key; its origin takes \(pause) ms", "the same for 10 keys"]
        let first =
            expired
            ? (0..<10).map {
                CacheOperation.put(key("hot-\($0)"), value(99), terms: PutTerms(timeToLiveNanoseconds: 10))
            } + [.advance(nanoseconds: 10)] : []
        let run = try context.threads(4, after: first, steps: steps) { _, instance in
            (0..<10).map { number in
                timed(
                    pause, instance, load(key("hot-\(number)"), number, while: [.pause(milliseconds: pause)]))
            }
        }
        try requireWaits(run.results.joined())
        for number in 0..<10 {
            let key = key("hot-\(number)")
            let results = run.results.map { $0[number].result }
            let calls = results.reduce(0) { $0 + $1.calls }
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

    /// LDR-22.
    static func loadsAmongWriters(_ context: CheckContext) throws(CheckStop) {
        let (a, isExact) = (key("a"), context.semantics(CacheSetup()) == .exact)
        try context.eachRunBesideWriters(
            6, writesMin: 150, what: "loads",
            steps: ["client 0, 150 times or more: put a, get a, twice; remove a", "clients 1 to 3, meanwhile: load a"],
            permitted: "the value that the client put, and some value for each load"
        ) { thread, _, instance, overlap in
            guard thread == 0 else {
                var round = 0
                return overlap.read {
                    round += 1
                    let pause = round % 4 == 0 ? [CacheOperation.pause(milliseconds: 1)] : []
                    let answer = instance.perform(load(a, thread << 24 | round, while: pause))
                    if case .loaded(.value, _) = answer { return nil }
                    return "a load brought \(ValueText.describe(answer, of: .load(a, Origin(.nothing))))"
                }
            }
            return overlap.write { round in
                let own = value(round)
                _ = instance.perform(.put(a, own))
                for _ in 0..<2 {
                    let found = instance.perform(.get(a))
                    // What need not stay may have left, and then it may be loaded.
                    if found == .entry(StoredEntry(own.bytes(for: a))) || !isExact { continue }
                    return "read \(ValueText.describe(found, of: .get(a))) after value \(round) was put"
                }
                _ = instance.perform(.remove(a))
                return nil
            }
        }
    }
}
