import CacheCore

// From which age on what is there is loaded afresh.
extension LoaderChecks {
    static let ofAges: [Check] = [
        Check(
            .init("LDR-25", dependsOn: ["LDR-1", "LDR-14"]),
            due: [loader, .feature(.refresh), .feature(.timeToLive), .retains],
            "An entry is loaded afresh from its own age on, and not before.",
            explanation: """
                Loads one step before the age of refreshing and at it; then the same after a refresh, which made the entry \
                young again, and after an overwrite in each of the ways that are claimed. Each time the chores are done and \
                the entry is read: what was loaded too early or too late is what it should not have. An age of 4 s and \
                one of 1.5 ms are kept to the nanosecond. Finds ages that are counted from the first value, comparisons \
                that are off by one, and ages that are cut to 32 bits or to milliseconds.
                """
        ) { (context) throws(CheckStop) in
            let key = Array("a".utf8)
            func refreshed(_ number: Int) -> [CacheOperation] { [load(key, number), .maintain, .get(key)] }
            func wait(_ time: Int64) -> CacheOperation { .advance(nanoseconds: time) }
            let steps: [CacheOperation] =
                [load(key, 1), wait(49)] + refreshed(2) + [wait(1)] + refreshed(3) + refreshed(4)
                + [wait(49)] + refreshed(5) + [wait(1)] + refreshed(6)
            try context.verify(Program(steps, setup: CacheSetup(refreshNanoseconds: 50)))
            try context.verify(
                Program(
                    [load(key, 1), wait(5)] + refreshed(2), setup: CacheSetup(refreshNanoseconds: 1 << 32 + 5)))
            try context.verify(
                Program(
                    [load(key, 1), wait(1_000_000)] + refreshed(2) + [wait(500_000)] + refreshed(3),
                    setup: CacheSetup(refreshNanoseconds: 1_500_000)))
            try WaysScenarios.ages(context)
        }
    ]
}
