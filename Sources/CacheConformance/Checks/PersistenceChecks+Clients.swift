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
                Three clients put one new key after the other until they are told that the store is closed, while another \
                closes it, in eight runs. It is opened again: each put that was answered without an error is found. Witness: \
                a hit. Finds puts that come between the last look at a queue and its end.
                """
        ) { (context) throws(CheckStop) in try keepsLast(context) },
    ]

    private static func keepsLast(_ context: CheckContext) throws(CheckStop) {
        let steps = [
            "3 clients put one new key after the other until they are told 'closed'; another closes the store", "open",
            "get what was put",
        ]
        var (complaints, hits) = ([String?](), 0)
        let runs = context.runs(8)
        for _ in 0..<runs {
            let (complaint, found) = try context.acrossReopening(steps: steps) { instance in
                putUntilClosed(instance, min(4, context.claims.concurrency.clientsMax))
            } look: { again, stored in
                let lost = stored.filter { key in
                    again.perform(.get(key)) != .entry(StoredEntry(value(1).bytes(for: key)))
                }
                let words = lost.last.map { "\(KeyText.describe($0)) was put and is not found" }
                return (words, stored.count - lost.count)
            }
            complaints.append(complaint)
            hits += found
        }
        try LinearizabilityChecks.judge(
            context, complaints, of: runs, permitted: "each put that was answered without an error", steps: steps)
        guard hits > 0 else { throw .blocked("the witness: nothing was found") }
    }

    /// The keys whose puts were acknowledged before or during the close.
    private static func putUntilClosed(_ instance: any CacheInstance, _ threads: Int) -> [[UInt8]] {
        let isBusy = DispatchSemaphore(value: 0)
        let total = Atomic(0)
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
            var stored: [[UInt8]] = []
            for round in 0..<2_000 {
                let key = Array("last-\(thread)-\(round)".utf8)
                let isStored = instance.perform(.put(key, value(1))) == .done
                if round == 0 { isBusy.signal() }
                guard isStored else { break }
                total.add(1, ordering: .relaxed)
                stored.append(key)
            }
            return stored
        }.flatMap(\.self)
    }
}
