import CacheCore
import Dispatch
import Synchronization

// What several threads leave on the disk.
extension PersistenceChecks {
    static let ofClients: [Check] = [
        Check(
            .init("PER-15", dependsOn: ["PER-1"], source: "Ehcache: a persistent tier survives a restart"),
            due: [.durability(.exit), .concurrent],
            "What clients at once have left is what is found after reopening.",
            explanation: """
                Four clients put, read and remove four keys in twelve runs. When they are done each key is read, the store is \
                closed and opened, and each is read again. Witness: a hit. Finds writes of one key that reach memory in one \
                order and the disk in another.
                """, body: LinearizabilityChecks.leavesSameOnDisk),
        Check(
            .init("PER-16", dependsOn: ["PER-1"], source: "Ehcache: a persistent tier survives a restart"),
            due: [.durability(.exit), .concurrent, .retains],
            "What was acknowledged while the store was being closed is found after reopening.",
            explanation: """
                Three clients put one new key after the other, or remove or overwrite one old key after the other, until they \
                are told that the store is closed, while another closes it, in sixteen runs. It is opened again: what was \
                answered without an error is so. Witness: a hit, and a close that met somebody. Finds writes that come between the last look at a queue and \
                its end.
                """, body: keepsLast),
    ]

    /// What is done to one key after the other while the store is being closed.
    private enum Work {
        case put, remove, overwrite

        var isOfOldKeys: Bool { self != .put }

        func operation(_ key: [UInt8]) -> CacheOperation { self == .remove ? .remove(key) : .put(key, value(1)) }

        func found(_ key: [UInt8]) -> StoredEntry? { operation(key).entry }
    }

    /// What clients did until the store was closed.
    private struct Done {
        /// The keys of which the work was acknowledged.
        var keys: [[UInt8]] = []
        /// Whether the close came while somebody was at work.
        var metClose = false
    }

    private static func keepsLast(_ context: CheckContext) throws(CheckStop) {
        var (hits, meetings) = (0, 0)
        let runs = context.runs(8)
        for (work, times) in [(Work.put, runs), (.remove, (runs + 1) / 2), (.overwrite, (runs + 1) / 2)] {
            let found = try keepsLast(context, work, runs: times)
            (hits, meetings) = (hits + found.hits, meetings + found.meetings)
        }
        guard hits > 0 else { throw .blocked("the witness: nothing was found") }
        guard meetings > 0 else { throw .inconclusive("everything was done before the store was closed") }
    }

    /// Returns how much of what was put was found, and how often the close met somebody.
    private static func keepsLast(
        _ context: CheckContext, _ work: Work, runs: Int
    ) throws(CheckStop) -> (hits: Int, meetings: Int) {
        let steps =
            (work.isOfOldKeys ? ["put all keys"] : []) + [
                "3 clients \(work) one key after the other until they are told 'closed'; another closes the store",
                "open", "get what was done",
            ]
        let threads = min(4, context.claims.concurrency.clientsMax)
        // Of what has no room something is missing for another reason.
        let wanted = context.rounds(work.isOfOldKeys ? 400 : 2_000)
        let rounds = try context.most(wanted * max(1, threads - 1)) / max(1, threads - 1)
        guard rounds >= 20 else { throw .blocked("there is room for too few entries") }
        var (complaints, hits, meetings) = ([String?](), 0, 0)
        for _ in 0..<runs {
            let (complaint, found, met) = try context.acrossReopening(steps: steps) { instance in
                workUntilClosed(instance, work, threads, rounds)
            } look: { again, done in
                let lost = done.keys.filter { key in again.perform(.get(key)) != .entry(work.found(key)) }
                let words = lost.last.map { "the \(work) of \(KeyText.describe($0)) is lost" }
                return (words, work == .remove ? 0 : done.keys.count - lost.count, done.metClose)
            }
            complaints.append(complaint)
            (hits, meetings) = (hits + found, meetings + (met ? 1 : 0))
        }
        try context.judge(
            complaints, permitted: "what was answered without an error", steps: steps)
        return (hits, meetings)
    }

    private static func key(_ thread: Int, _ round: Int) -> [UInt8] { Array("last-\(thread)-\(round)".utf8) }

    private static func workUntilClosed(
        _ instance: any CacheInstance, _ work: Work, _ threads: Int, _ rounds: Int
    ) -> Done {
        let isBusy = DispatchSemaphore(value: 0)
        let total = Atomic(0)
        if work.isOfOldKeys {
            for thread in 1..<threads {
                for round in 0..<rounds { _ = instance.perform(.put(key(thread, round), value(2))) }
            }
        }
        let all = ClientThreads.together(threads) { thread -> Done in
            var done = Done()
            guard thread > 0 else {
                // Who has had no processor until the close would not see it.
                let latest = DispatchTime.now() + 5
                for _ in 1..<threads { _ = isBusy.wait(timeout: latest) }
                while total.load(ordering: .relaxed) < min(60, rounds), DispatchTime.now() < latest {
                    _ = instance.perform(.get(Array("k".utf8)))
                }
                _ = instance.perform(.close)
                return done
            }
            for round in 0..<rounds {
                let key = Self.key(thread, round)
                done.metClose = instance.perform(work.operation(key)).error != nil
                if round == 0 { isBusy.signal() }
                guard !done.metClose else { break }
                total.add(1, ordering: .relaxed)
                done.keys.append(key)
            }
            return done
        }
        return Done(keys: all.flatMap(\.keys), metClose: all.contains(where: \.metClose))
    }
}
