import CacheCore
import Dispatch
import Synchronization

// What several threads leave on the disk.
extension PersistenceChecks {
    static let ofClients: [Check] = [
        Check(
            "PER-15", due: [.durability(.exit), .concurrent],
            "What clients at once have left is what is found after reopening.",
            explanation: """
                Four clients put, read and remove four keys in twelve runs. When they are done each key is read, the store is \
                closed and opened, and each is read again. Witness: a hit. Finds writes of one key that reach memory in one \
                order and the disk in another.
                """
        ) { (context) throws(CheckStop) in try LinearizabilityChecks.leavesSameOnDisk(context) },
        Check(
            "PER-16", due: [.durability(.exit), .concurrent, .retains],
            "What was acknowledged while the store was being closed is found after reopening.",
            explanation: """
                Three clients put one new key after the other, or remove or overwrite one old key after the other, until they \
                are told that the store is closed, while another closes it, in eight runs. It is opened again: what was \
                answered without an error is so. Witness: a hit. Finds writes that come between the last look at a queue and \
                its end.
                """
        ) { (context) throws(CheckStop) in try keepsLast(context) },
    ]

    /// What is done to one key after the other while the store is being closed.
    private enum Work: CaseIterable {
        case put, remove, overwrite

        var isOfOldKeys: Bool { self != .put }

        func operation(_ key: [UInt8]) -> Operation { self == .remove ? .remove(key) : .put(key, value(1)) }

        func found(_ key: [UInt8]) -> StoredEntry? { operation(key).entry }
    }

    private static func keepsLast(_ context: CheckContext) throws(CheckStop) {
        var hits = 0
        let runs = context.runs(8)
        // New keys more often than old ones, of which there are only so many.
        for (work, times) in [(Work.put, runs), (.remove, (runs + 1) / 2), (.overwrite, (runs + 1) / 2)] {
            hits += try keepsLast(context, work, runs: times)
        }
        guard hits > 0 else { throw .blocked("the witness: nothing was found") }
    }

    /// Returns how often what was done last is so.
    private static func keepsLast(_ context: CheckContext, _ work: Work, runs: Int) throws(CheckStop) -> Int {
        let steps =
            (work.isOfOldKeys ? ["put all keys"] : []) + [
                "3 clients \(work) one key after the other until they are told 'closed'; another closes the store",
                "open",
                "get what was done",
            ]
        var (complaints, hits) = ([String?](), 0)
        for _ in 0..<runs {
            let (complaint, found) = try context.acrossReopening(steps: steps) { instance in
                workUntilClosed(instance, work, min(4, context.claims.concurrency.clientsMax))
            } look: { again, done in
                let lost = done.filter { key in again.perform(.get(key)) != .entry(work.found(key)) }
                let words = lost.last.map { "the \(work) of \(KeyText.describe($0)) is lost" }
                return (words, done.count - lost.count)
            }
            complaints.append(complaint)
            hits += found
        }
        try LinearizabilityChecks.judge(
            context, complaints, of: runs, permitted: "what was answered without an error", steps: steps)
        return hits
    }

    private static func key(_ thread: Int, _ round: Int) -> [UInt8] { Array("last-\(thread)-\(round)".utf8) }

    /// The keys of which the work was acknowledged before or during the close.
    private static func workUntilClosed(_ instance: any CacheInstance, _ work: Work, _ threads: Int) -> [[UInt8]] {
        let isBusy = DispatchSemaphore(value: 0)
        let total = Atomic(0)
        let rounds = work.isOfOldKeys ? 400 : 2_000
        if work.isOfOldKeys {
            for thread in 1..<threads {
                for round in 0..<rounds { _ = instance.perform(.put(key(thread, round), value(2))) }
            }
        }
        return ClientThreads.together(threads) { thread -> [[UInt8]] in
            guard thread > 0 else {
                // Who has had no processor until the close would not see it.
                let latest = DispatchTime.now() + 5
                for _ in 1..<threads { _ = isBusy.wait(timeout: latest) }
                while total.load(ordering: .relaxed) < 60, DispatchTime.now() < latest {
                    _ = instance.perform(.get(Array("k".utf8)))
                }
                _ = instance.perform(.close)
                return []
            }
            var done: [[UInt8]] = []
            for round in 0..<rounds {
                let key = Self.key(thread, round)
                let isDone = instance.perform(work.operation(key)).error == nil
                if round == 0 { isBusy.signal() }
                guard isDone else { break }
                total.add(1, ordering: .relaxed)
                done.append(key)
            }
            return done
        }.flatMap(\.self)
    }
}
