import CacheCore

// From which age on what is there is loaded afresh.
extension LoaderChecks {
    static let ofAges: [Check] = [
        Check(
            .init("LDR-25", revision: 2, dependsOn: ["LDR-1", "LDR-14"], source: "Caffeine: refreshAfterWrite"),
            due: [loader, .feature(.refresh), .feature(.timeToLive), .retains],
            "An entry is loaded afresh from its own age on, and not before.",
            explanation: """
                Loads one step before the age of refreshing and at it; then the same after a refresh, which made \
                the entry young again, and after an overwrite by each operation that is claimed. Each time the \
                chores are done and the entry is read: what was loaded too early or too late is what it should \
                not have. Finds ages that are counted from the first value, and comparisons that are off by one.
                """
        ) { (context) throws(CheckStop) in
            let key = Array("a".utf8)
            func refreshed(_ number: Int) -> [CacheOperation] { [load(key, number), .maintain, .get(key)] }
            let steps: [CacheOperation] =
                [load(key, 1), wait(49)] + refreshed(2) + [wait(1)] + refreshed(3) + refreshed(4)
                + [wait(49)] + refreshed(5) + [wait(1)] + refreshed(6)
            try context.verify(steps, setup: CacheSetup(refreshNanoseconds: 50))
            try context.each(\.overwrites, CacheSetup(refreshNanoseconds: 50)) {
                let later = [$0.load(8), .maintain, $0.get]
                return [$0.load(1)] + $0.mark + [wait(60)] + $1 + later + [wait(50)] + later
            }
        }
    ]
}
