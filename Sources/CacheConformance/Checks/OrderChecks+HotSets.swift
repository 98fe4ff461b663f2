import CacheCore

// How much of what is read again and again stays.
extension OrderChecks {
    static let ofHotSets: [Check] = [
        Check(
            .init("POL-9", source: "TinyLFU (2017)"), due: [.feature(.frequencyAware), .capacity(.objects)],
            "What comes once does not drive out what is read again and again.",
            explanation: """
                Reads 4 hot keys many times in a cache for 16, then puts 160 others once each, reading the hot ones on the \
                way. At least three quarters of the later reads of the hot ones hit. Finds counts that favour newcomers.
                """
        ) { (context) throws(CheckStop) in try hotSet(context, isMoving: false) },
        Check(
            .init("POL-10", source: "TinyLFU: aging of the sketch; moka-rs/moka#75"),
            due: [.feature(.ages), .capacity(.objects)],
            "A hot set of long ago makes room for a new one.",
            explanation: """
                Reads one hot set 40 times, then another, putting what is missed, for 100 rounds. In the last ten at least \
                half of the reads hit. Finds counts that never fade.
                """
        ) { (context) throws(CheckStop) in try hotSet(context, isMoving: true) },
    ]

    /// Reads what is asked for and puts what is missed, as a caller does.
    private static func serve(_ key: [UInt8], _ number: Int, _ instance: any CacheInstance) -> Bool {
        let isHit = instance.perform(.get(key)).isHit
        if !isHit { _ = instance.perform(.put(key, value(number))) }
        return isHit
    }

    private static func hotSet(_ context: CheckContext, isMoving: Bool) throws(CheckStop) {
        let steps =
            isMoving
            ? ["open for 16", "40 rounds of reads of 12 keys", "100 rounds of reads of 12 others"]
            : ["open for 16", "40 rounds of reads of 4 keys", "160 rounds: a key that comes once, then the 4"]
        let (setup, _) = try context.room(.objects, 16)
        let old = (0..<(isMoving ? 12 : 4)).map { key("hot-\($0)") }
        var (hits, reads) = (0, 0)
        try context.withInstance(setup, steps: steps) { instance in
            for _ in 0..<40 { for name in old { _ = serve(name, 1, instance) } }
            for round in 0..<(isMoving ? 100 : 160) {
                if !isMoving { _ = serve(key("once-\(round)"), round, instance) }
                for name in isMoving ? (0..<12).map({ key("new-\($0)") }) : old {
                    let isHit = serve(name, round, instance)
                    guard !isMoving || round >= 90 else { continue }
                    reads += 1
                    if isHit { hits += 1 }
                }
            }
        }
        // A new hot set displaces the old one by and by; one that is there already has nothing to wait for.
        let quarters = isMoving ? 2 : 3
        try context.require(
            4 * hits >= quarters * reads, observed: "\(hits) hits of \(reads) reads",
            permitted: isMoving ? "at least half" : "at least three quarters", steps: steps)
    }
}
