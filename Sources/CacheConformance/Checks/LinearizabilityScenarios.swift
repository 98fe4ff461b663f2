import CacheCore
import Foundation
import Synchronization

extension LinearizabilityChecks {

    private static func describe(_ answer: OperationResult, _ key: [UInt8]) -> String {
        ValueText.describe(answer, of: .get(key))
    }

    static func readOwnWrites(_ context: CheckContext) throws(CheckStop) {
        let mustFind = context.semantics(CacheSetup()) == .exact
        let seed = context.seed
        try context.eachRunBesideWriters(
            8, writesMin: 400, timeMax: .milliseconds(100), what: "writes of other clients", besideMin: 1,
            steps: ["4 clients, each with a key of its own: put, get, remove, get, 100 times or more"],
            permitted: "what the same client wrote last"
        ) { thread, _, instance, overlap in
            let key = Array("own-\(thread)".utf8)
            var random = SeededGenerator(seed: seed &+ UInt64(thread))
            func perform(_ operation: CacheOperation) -> OperationResult {
                // On a busy machine clients that never wait run one after the other.
                if random.next(below: 8) == 0 { usleep(20) }
                return instance.perform(operation)
            }
            return overlap.writeAmongWriters { round in
                let value = Payload.described(sequence: round, byteCount: 40)
                _ = perform(.put(key, value))
                let found = perform(.get(key))
                let isOwn = found.value == value.bytes(for: key)
                if !isOwn, mustFind || found != .entry(nil) {
                    return "read \(describe(found, key)) after put \(round)"
                }
                _ = perform(.remove(key))
                let left = perform(.get(key))
                return left == .entry(nil) ? nil : "read \(describe(left, key)) after remove"
            }
        }
    }

    static func freshSurvives(_ context: CheckContext) throws(CheckStop) {
        let key = Array("a".utf8)
        let hasTiers = context.claims.claims(.tiers)
        try evictedStaysOut(context)
        try context.eachRunBesideWriters(
            8, writesMin: 150, what: "reads",
            steps: [
                "client 0, 150 times or more: put a living 10 ns, advance 20 ns, put a without end, get a",
                "clients 1 to 3, meanwhile: get a, maintain",
            ], permitted: "the new value, which does not expire"
        ) { thread, _, instance, overlap in
            guard thread == 0 else {
                return overlap.read {
                    _ = instance.perform(.get(key))
                    if thread == 1 { _ = instance.perform(.maintain) }
                    return nil
                }
            }
            return overlap.write { round in
                let old = Payload.described(sequence: 2 * round, byteCount: 40)
                _ = instance.perform(.put(key, old, terms: PutTerms(timeToLiveNanoseconds: 10)))
                _ = instance.perform(.advance(nanoseconds: 20))
                let fresh = Payload.described(sequence: 2 * round + 1, byteCount: 40)
                _ = instance.perform(.put(key, fresh))
                for _ in 0..<3 {
                    if hasTiers { _ = instance.perform(.dropMemory) }
                    let found = instance.perform(.get(key))
                    if found.value != fresh.bytes(for: key) {
                        return "read \(describe(found, key)) after value \(2 * round + 1) was put"
                    }
                }
                return nil
            }
        }
        try freshSurvivesBursts(context)
    }

    /// As above for a subject in a process of its own, which gets each put right behind a read by one write to its pipe: a client
    /// waits for each answer, and so its requests come as far apart as a subject needs for one.
    private static func freshSurvivesBursts(_ context: CheckContext) throws(CheckStop) {
        // As many requests at once as the protocol says.
        let keys = (0..<16).map { Array("a\($0)".utf8) }
        let steps = [
            "again and again for three seconds: put \(keys.count) keys living 10 ns, advance 20 ns",
            "at once: get the first, put it without end, get the second and so on", "get each",
        ]
        let time = Duration.milliseconds(context.runs(8) == 1 ? 300 : 3_000)
        try context.withInstance(steps: steps) { (instance) throws(CheckStop) in
            guard let instance = instance as? ProcessInstance, context.semantics(CacheSetup()) == .exact else { return }
            let (start, mortal) = (ContinuousClock.now, PutTerms(timeToLiveNanoseconds: 10))
            var round = 0
            while ContinuousClock.now - start < time {
                round += 1
                _ = instance.perform(atOnce: keys.map { .put($0, value(2 * round), terms: mortal) })
                _ = instance.perform(.advance(nanoseconds: 20))
                let fresh = keys.map { CacheOperation.put($0, value(2 * round + 1)) }
                let answers = instance.perform(atOnce: fresh.flatMap { [.get($0.key!), $0] })
                if answers.contains(where: { $0.error != nil }) { break }
                for (put, found) in zip(fresh, instance.perform(atOnce: keys.map { .get($0) })) {
                    try context.require(
                        found == .entry(put.entry),
                        observed: "read \(describe(found, put.key!)) after value \(2 * round + 1) was put, "
                            + "in round \(round)",
                        permitted: "the new value, which does not expire", steps: steps)
                }
            }
        }
    }

    /// Clients overwrite more keys than there is room for: who finds an entry that is being evicted must not leave it there.
    private static func evictedStaysOut(_ context: CheckContext) throws(CheckStop) {
        guard context.claims.room?.units.contains(.objects) == true, context.claims.room?.isStrict == true,
            context.claims.iterates
        else { return }
        let (setup, room) = try context.room(.objects, 8)
        let (seed, clients, rounds) = (context.seed, context.clients(), context.rounds(1_000))
        try context.eachRun(
            8, setup,
            steps: [
                "4 clients overwrite \(2 * room) keys in room for \(room), \(rounds) times each", "maintain", "count",
            ],
            permitted: "at most \(room) entries"
        ) { instance, run in
            _ = ClientThreads.together(clients) { thread in
                var random = SeededGenerator(seed: mix64(seed &+ UInt64(run)) ^ UInt64(thread))
                for round in 0..<rounds {
                    let key = StressClient.key(Int32(random.next(below: 2 * room)))
                    _ = instance.perform(.put(key, value(thread << 24 | round, 32)))
                }
            }
            _ = instance.perform(.maintain)
            guard case .number(let count) = instance.perform(.count), count > room else { return nil }
            return "\(count) entries are counted"
        }
    }

    static func countsExactly(_ context: CheckContext) throws(CheckStop) {
        let (clients, key) = (context.clients(), Array("counter".utf8))
        @Sendable func value(_ count: Int) -> Payload { .described(sequence: count, byteCount: 32) }
        try context.eachRun(
            steps: ["put a counter of 0", "4 clients count it up 100 times each by compareAndSet"],
            permitted: "every count in the total"
        ) { instance, _ in
            _ = instance.perform(.put(key, value(0)))
            let total = ClientThreads.together(clients) { _ in count(up: key, instance) }.reduce(0, +)
            let end = instance.perform(.get(key))
            return end.value == value(total).bytes(for: key)
                ? nil : "\(describe(end, key)) after \(total) successful counts"
        }
    }

    /// Counts a value up until it was done 100 times, tried 20 000 times, or answered with an error, or nothing was found 100 times in all.
    private static func count(up key: [UInt8], _ instance: any CacheInstance) -> Int {
        var (done, absences) = (0, 0)
        for _ in 0..<20_000 where done < 100 && absences < 100 {
            guard let bytes = instance.perform(.get(key)).value, let old = SelfDescription(bytes) else {
                absences += 1
                continue
            }
            let new = Payload.described(sequence: old.sequence + 1, byteCount: 32)
            let answer = instance.perform(.compareAndSet(key, expected: .bytes(bytes), new))
            // As that of a cache which does not claim it, and is only asked whether it could.
            if answer.error != nil { break }
            if answer == .flag(true) { done += 1 }
        }
        return done
    }

    static func overwrites(_ context: CheckContext) throws(CheckStop) {
        let rounds = context.rounds(5_000)
        let steps = ["4 clients overwrite one key \(rounds) times each, with maintain now and then; then keys, get"]
        let clients = min(4, context.claims.concurrency.clientsMax)
        let key = Array("hot".utf8)
        try context.withInstance(steps: steps) { (instance) throws(CheckStop) in
            let faults = ClientThreads.together(clients) { thread -> StoreError? in
                for round in 1...rounds {
                    let value = Payload.described(sequence: thread << 16 | round, byteCount: 32)
                    if let error = instance.perform(.put(key, value)).error { return error }
                    if round % (rounds / 10) == 0 { _ = instance.perform(.maintain) }
                }
                return nil
            }
            if let error = faults.compactMap(\.self).first {
                _ = try context.expecting("no error", steps: steps) { () throws(StoreError) in throw error }
            }
            let listed = instance.perform(.keys)
            let number = instance.perform(.count)
            let found = instance.perform(.get(key))
            let isLast = found.value.flatMap(SelfDescription.init).map { $0.sequence & 0xFFFF == rounds } ?? false
            let isGone = !context.claims.retains && found == .entry(nil)
            try context.require(
                isGone || isLast && listed == .keys([key]) && number == .number(1),
                observed: "\(describe(found, key)); \(ValueText.describe(listed, of: .keys)); count "
                    + ValueText.describe(number, of: .count),
                permitted: "one key with a client's last value", steps: steps)
        }
    }

    static func churn(_ context: CheckContext) throws(CheckStop) {
        let (rounds, time) = (context.rounds(300), context.time(.milliseconds(60)))
        let steps = [
            "8 clients get, put, remove, list, count, clear and maintain 20 keys, \(rounds) times each or more, for 60 ms"
        ]
        let claims = context.claims
        let start = ContinuousClock.now
        let mortal = claims.hasOwnTimes ? PutTerms(timeToLiveNanoseconds: 40) : .plain
        let fault = try context.withInstance(steps: steps) { (instance) throws(CheckStop) in
            ClientThreads.together(min(8, claims.concurrency.clientsMax)) { thread -> (CacheOperation, StoreError)? in
                var random = SeededGenerator(seed: mix64(context.seed) ^ UInt64(thread))
                var round = 0
                while round < rounds || ContinuousClock.now - start < time {
                    round += 1
                    let key = StressClient.key(Int32(random.next(below: 20)))
                    let value = Payload.described(sequence: thread << 24 | round, byteCount: 64)
                    let operation: CacheOperation =
                        switch random.next(below: 40) {
                        case 0..<7: .put(key, value)
                        case 7..<14: .put(key, value, terms: mortal)
                        case 14..<28: .get(key)
                        case 28..<34: .remove(key)
                        case 34..<36: .contains(key)
                        case 36: claims.iterates ? .count : .get(key)
                        case 37: claims.iterates ? .keys : .get(key)
                        case 38: round % 2 == 0 || mortal == .plain ? .removeAll : .advance(nanoseconds: 10)
                        default: .maintain
                        }
                    if let error = instance.perform(operation).error, error.code != .unsupported {
                        return (operation, error)
                    }
                }
                return nil
            }.compactMap(\.self).first
        }
        guard let (operation, error) = fault else { return }
        _ = try context.expecting("no error of \(operation)", steps: steps) { () throws(StoreError) in throw error }
    }
}
