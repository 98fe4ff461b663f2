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
        Check(
            recording: .optimal, .init("POL-11", profile: .experimental), due: [.capacity(.objects)],
            "How much of a hot set survives a scan of ten times the capacity.",
            explanation: "Reads 8 hot keys 5 times in a cache for 16, scans 160 others, and reads the hot ones again."
        ) { (context) throws(CheckStop) in
            let (setup, room) = try context.room(.objects, 16)
            let hot = (0..<room / 2).map { key("hot-\($0)") }
            let warm = hot.map { CacheOperation.put($0, value(1)) } + (0..<5).flatMap { _ in hot.map { .get($0) } }
            let scan = (0..<10 * room).flatMap {
                [CacheOperation.get(key("scan-\($0)")), .put(key("scan-\($0)"), value($0))]
            }
            let program = Program(warm + scan + hot.map { .get($0) }, setup: setup)
            let hits = try context.hits(of: program, from: warm.count + scan.count, steps: [])
            return "\(hits) of \(hot.count) hot keys survive"
        },
        Check(
            recording: .optimal, .init("POL-13", profile: .experimental), due: [.order, .capacity(.objects)],
            "How near the hits of a skewed run are to those of the claimed policy.",
            explanation: """
                3000 reads of 200 keys by a power law in a cache for 20, each miss followed by a put, beside the policy \
                itself. Blocked where the policy is not known.
                """
        ) { (context) throws(CheckStop) in try skewed(context) },
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
        let instance = try context.openPlain(setup, steps: steps)
        let old = (0..<(isMoving ? 12 : 4)).map { key("hot-\($0)") }
        for _ in 0..<40 { for name in old { _ = serve(name, 1, instance) } }
        var (hits, reads) = (0, 0)
        for round in 0..<(isMoving ? 100 : 160) {
            if !isMoving { _ = serve(key("once-\(round)"), round, instance) }
            for name in isMoving ? (0..<12).map({ key("new-\($0)") }) : old {
                let isHit = serve(name, round, instance)
                guard !isMoving || round >= 90 else { continue }
                reads += 1
                if isHit { hits += 1 }
            }
        }
        _ = instance.perform(.close)
        // A new hot set displaces the old one by and by; one that is there already has nothing to wait for.
        let quarters = isMoving ? 2 : 3
        try context.require(
            4 * hits >= quarters * reads, observed: "\(hits) hits of \(reads) reads",
            permitted: isMoving ? "at least half" : "at least three quarters", steps: steps)
    }

    private static func skewed(_ context: CheckContext) throws(CheckStop) -> String {
        let (setup, room) = try context.room(.objects, 20)
        guard let policy = context.subject.orderPolicy, var order = OrderModel(policy, capacity: room) else {
            throw .blocked("no policy '\(context.claims.order ?? "")' to compare with")
        }
        let instance = try context.openPlain(setup, steps: ["open for \(room)"])
        var random = context.generator
        var (own, expected) = (0, 0)
        var resident: Set<Int> = []
        for number in 0..<3_000 {
            let index = min(random.next(below: 200), random.next(below: 200), random.next(below: 200))
            let place = CacheModel.Place(key: key("skewed-\(index)"))
            if serve(place.key, number, instance) { own += 1 }
            if resident.contains(index) {
                expected += 1
                order.touch(place)
            } else {
                let victims = order.insert(place) ?? []
                resident.insert(index)
                for victim in victims { resident = resident.filter { key("skewed-\($0)") != victim.key } }
            }
        }
        _ = instance.perform(.close)
        return "\(own) hits where \(policy.descriptor.name) has \(expected)"
    }
}
