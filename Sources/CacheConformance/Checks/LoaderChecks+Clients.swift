import CacheCore

// Loads among clients that write and load beside them.
extension LoaderChecks {
    static let ofClients: [Check] = [
        Check(
            .init("LDR-22", dependsOn: ["LDR-1", "LDR-11"]), due: [loader, .concurrent],
            "What a client puts is not overwritten by loads that others began before.",
            explanation: """
                One client puts, reads and removes a key, 150 times or more, while three load it, some from an origin that \
                takes its time: what it reads is what it has put. Six runs. Finds loads that look whether they may \
                store, and store when that is no longer so.
                """
        ) { (context) throws(CheckStop) in try loadsAmongWriters(context) },
        Check(
            .init("LDR-23", dependsOn: ["LDR-1", "LDR-3"]), due: [loader, .feature(.coalesce), .concurrent, .retains],
            "A load that was overtaken leaves the load that began after it alone.",
            explanation: """
                A key is removed while it is loaded, and another thread loads it anew; the first load ends, and a third \
                thread comes: it gets what the second loads, and asks nobody. Blocked where the cache is not for several \
                threads. Finds loads that forget, as they end, whatever is loaded under their key.
                """
        ) { (context) throws(CheckStop) in try joinsNewer(context) },
        Check(
            .init("LDR-24", dependsOn: ["LDR-1", "LDR-11"]), due: [loader, .concurrent, .retains],
            "A load that meets a write at its key overwrites nothing, and two loads ask once.",
            explanation: """
                Two clients wait for each other before each operation, up to 4000 times a pair: one loads a missing key, the \
                other loads it too, or puts, removes, puts if absent, exchanges, takes or updates, as far as claimed; or one \
                loads it as one of several, and the other puts. What was \
                put is there then, what was removed is not, and two who share loads have asked the origin once. Finds loads \
                that are forgotten before their value is stored, and stored after somebody has looked.
                """
        ) { (context) throws(CheckStop) in try DuelScenario(context).verifyLoads() },
    ]
}
