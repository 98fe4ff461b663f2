import CacheCore

// Loads among clients that write and load beside them.
extension LoaderChecks {
    static let ofClients: [Check] = [
        Check(
            .init(
                "LDR-22", dependsOn: ["LDR-1", "LDR-11"],
                source: "Caffeine: a put during a load wins; deliro/moka-py get_with"), due: [loader, .concurrent],
            "What a client puts is not overwritten by loads that others began before.",
            explanation: """
                One client puts, reads and removes a key, 150 times or more, while three load it, some from an origin that \
                takes its time: what it reads is what it has put. Six runs. Finds loads that look whether they may \
                store, and store when that is no longer so.
                """, body: loadsAmongWriters)
    ]
}
