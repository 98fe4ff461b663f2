import CacheCore
import Synchronization

// That nothing is missing of all that has left, after long programs and busy threads.
extension EventChecks {
    /// Sums of all that has left.
    static let ofAll: [Check] = [
        Check(
            .init(
                "EVT-9", revision: 2, dependsOn: ["EVT-1", "EVT-2", "BAS-11"], sweeps: true,
                source: "Guava: RemovalListener is told of every entry"),
            due: [events, .iterates],
            "Every value that was stored is still there or has been told.",
            explanation: """
                Twenty random programs in a tight cache; whatever is not told and not removed must be found. \
                Witness: a hit. Finds events that are lost or come twice under any sequence.
                """
        ) { (context) throws(CheckStop) in
            try context.verifyTightPrograms(endingWith: [.maintain, .events])
        },
        Check(
            .init("EVT-10", revision: 2, dependsOn: ["EVT-1", "EVT-4"], source: "JSR-107: CacheEntryRemovedListener"),
            due: [events, .concurrent, .retains],
            "What many threads replace and remove at once is all told, each once.",
            explanation: """
                Four threads overwrite one key 1000 times each; each value but the last is told as replaced, and none \
                twice. Then the same with two keys that they remove too, and that are removed in the end: each value that \
                was put is told once. Each with two caches, of which one is asked for events meanwhile too. Two clients \
                ask at once for an entry whose time is over: that is told once, as far as claimed. Finds events \
                that are lost, or told twice, where two leave at once, and ends that are told to each who finds them.
                """, body: allTold),
    ]

    private static func allTold(_ context: CheckContext) throws(CheckStop) {
        let clients = min(4, context.claims.concurrency.clientsMax)
        let rounds = context.rounds(1_000)
        for run in 0..<context.runs(4) {
            let (removes, asks) = (!run.isMultiple(of: 2), run >= 2)
            let keys = removes ? [a, b] : [a]
            let steps = [
                "\(clients) threads at once, \(rounds) times each: put "
                    + (removes ? "one of two keys, or remove it at every third time" : "one key")
                    + (asks ? "; at every 16th time events" : ""),
                removes ? "remove both" : "maintain", "events",
            ]
            let early = Mutex<[CacheEvent]>([])
            let ran = try context.threads(clients, steps: steps) { thread, instance in
                (0..<rounds).count { number in
                    let key = keys[number / 3 % keys.count]
                    if asks, number % 16 == 0, case .events(let events) = instance.perform(.events) {
                        early.withLock { $0 += events }
                    }
                    if removes, number % 3 == 2 {
                        _ = instance.perform(.remove(key))
                        return false
                    }
                    return instance.perform(.put(key, value(thread << 24 | number))) == .done
                }
            }
            if removes { for key in keys { _ = ran.instance.perform(.remove(key)) } }
            _ = ran.instance.perform(.maintain)
            guard case .events(let last) = ran.instance.perform(.events) else { throw .blocked("the events") }
            _ = ran.instance.perform(.close)
            let events = early.withLock { $0 } + last
            let wanted = ran.results.reduce(removes ? 0 : -1, +)
            let values = Set(events.map(\.value))
            let areTold = values.count == wanted || context.claims.deviates(.noValues)
            let hasNone = context.claims.deviates(.noCauses)
            let causes: Set<CacheEvent.Cause> =
                hasNone ? Set(CacheEvent.Cause.allCases) : removes ? [.replaced, .removed] : [.replaced]
            try context.require(
                events.count == wanted && areTold && events.allSatisfy { causes.contains($0.cause) },
                observed: "\(events.count) events of \(values.count) values",
                permitted: "one event for each of the \(wanted) that left", steps: steps)
        }
    }
}
