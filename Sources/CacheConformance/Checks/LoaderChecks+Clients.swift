import CacheCore

// Loads among clients that write and load beside them.
extension LoaderChecks {
    static let ofClients: [Check] = [
        Check(
            .init(
                "LDR-22", revision: 2, dependsOn: ["LDR-1", "LDR-11"],
                source: "Caffeine: a put during a load wins; deliro/moka-py get_with"), due: [loader, .concurrent],
            "What a client puts is not overwritten by loads that others began before.",
            explanation: """
                One client puts, reads and removes a key, 150 times or more, while three load it, some from an origin that \
                takes its time: what it reads is what it has put, and each load brings some value. Six runs. Finds loads that look \
                whether they may store, and store when that is no longer so, and ones that fail when they are overtaken \
                (arthurprs/quick-cache#40).
                """, body: loadsAmongWriters),
        Check(
            .init("LDR-26", revision: 2, dependsOn: ["LDR-1", "ITR-1"], source: "isaacs/node-lru-cache#285"),
            due: [loader],
            "What is being loaded is not there until it has been loaded.",
            explanation: """
                While the origin of a key takes its time, another thread looks whether it is there and, where that is claimed, \
                counts and lists: nothing is there. Of five attempts, each slower than the one before, one is fast enough. \
                Inconclusive where threads come late every time; blocked where they wait for the load or the cache is not for \
                several threads. Finds loads that are looked at as entries.
                """, body: isNotThereYet),
    ]
}
