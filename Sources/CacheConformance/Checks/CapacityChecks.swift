import CacheCore

/// CAP: how much a cache holds.
enum CapacityChecks: LetterKeys {
    static let counted = Claim.capacity(.objects)
    static let weighed = Claim.capacity(.bytes)
    static let cost = Claim.feature(.cost)
    static let keys = (0..<4_096).map { Array("k\($0)".utf8) }

    static func put(_ key: [UInt8], _ number: Int, costs: Int) -> CacheOperation {
        .put(key, value(number), terms: PutTerms(cost: costs))
    }

    /// A program on a cache with room for so many entries: how many, since which of them leave is asked by POL.
    static func counted(
        _ context: CheckContext, _ amount: Int = 8, witness: CheckContext.Witness = .hits(1),
        _ body: (Int) -> [CacheOperation]
    ) throws(CheckStop) {
        let (setup, room) = try context.room(.objects, amount)
        var claims = context.claims
        claims.order = nil
        try context.verify(body(room), setup: setup, witness: witness, as: claims)
    }

    /// In the order of their numbers.
    static let all = (ofCounts + ofCosts + ofBounds + ofNewcomers).inOrder

    /// The least and the greatest capacity, what may not be evicted, and the room on a disk.
    private static let ofBounds: [Check] = [
        Check(
            .init("CAP-5", revision: 3, profile: .core, source: "gnustep/libs-base#676"), due: [counted],
            "A cache for nothing holds nothing or is refused, and one for a single entry holds one.",
            explanation: """
                Opens with a capacity of 0, of 1 and of as much as can be said. 0 is refused when opening or when putting, \
                or nothing is found; never is it no limit. The greatest capacity may be refused too, down to 2^31, or to \
                the claim's capacityMax. One that takes longer to open for more room sets memory aside for it, and is \
                asked with no more than it opens with at once. Witness: with the greatest that is taken the entries are found.
                """, body: extremes),
        Check(
            .init("CAP-12", revision: 3, dependsOn: ["CAP-1"], source: "JakeWharton/DiskLruCache#81"),
            due: [counted, .feature(.pin)],
            "A cache full of pinned entries answers, and keeps them.",
            explanation: """
                Pins all of 4 entries and puts more: these are refused or not kept, the cache does not search \
                for ever, and where the bound is strict it holds. What was pinned and then removed holds no room \
                any more. Witness: a hit. Finds loops that end only when a victim was removed \
                (JakeWharton/DiskLruCache#81), and pins of keys instead of entries.
                """
        ) { (context) throws(CheckStop) in
            let (setup, room) = try context.room(.objects, 4)
            var operations = keys[..<room].enumerated().flatMap { [CacheOperation.put($1, value($0)), .pin($1)] }
            operations += keys[room..<room + 3].enumerated().map { .put($1, value(50 + $0)) }
            operations += keys[..<room].map { .get($0) }
            if context.claims.iterates { operations.append(.count) }
            operations += [.unpin(keys[0]), .put(keys[room], value(90))]
            operations += keys[1..<room].map { .get($0) }
            try context.verifyAnswered(Program(operations, setup: setup))
            var others = keys[..<room].enumerated().flatMap {
                [CacheOperation.put($1, value($0)), .pin($1), .remove($1)]
            }
            others += keys[..<(3 * room)].enumerated().flatMap { [.put($1, value(50 + $0)), .count] }
            try context.verifyAnswered(Program(others, setup: setup), witness: .none)
        },
        Check(
            .init("CAP-18", source: "SDWebImage: totalDiskSize"), due: [.feature(.diskUsage), .durability(.exit)],
            "The disk usage that is told is what lies on the disk.",
            explanation: """
                Puts 40 entries of up to 50 KiB, overwrites and removes some, asks, and adds up the files: they differ by no \
                more than 4 KiB a file and a tenth. The same after reopening. Witness: entries were found.
                """, body: diskUsage),
        Check(
            .init("CAP-26", revision: 2, source: "allegro/bigcache#213"), due: [weighed],
            "A room in bytes of memory holds no more bytes, and takes in as much again after a clear.",
            explanation: """
                Asked where bytes are those of keys and values, and not costs. Overwrites one entry by one beside which it would \
                not fit, where values may be so long. Puts twice as many bytes as there is room for, in entries of one length, \
                lets the cache do its chores and adds up what is found; then clears, puts one entry, which must be taken, and half \
                of the room. Witness: something is found before and after. Finds buffers that a clear leaves full \
                (allegro/bigcache#213), limits that leave keys out, and old values that outlive a refused overwrite.
                """, body: holdsBytes),
        Check(
            .init("CAP-27", dependsOn: ["CAP-3", "CAP-11"], source: "dotnet/runtime#97962"),
            due: [weighed, cost, .retains],
            "A cache that is full of bytes accepts new keys.",
            explanation: """
                Puts entries that cost 2 into 128 bytes and reads each at once; over three times the capacity some are found. Finds \
                caches that drop every newcomer once they are full.
                """
        ) { (context) throws(CheckStop) in
            guard !context.claims.deviates(.weighsBytes) else {
                throw .notClaimed("costs, where bytes are those of keys and values")
            }
            try acceptsNew(context, .bytes, 128, costs: 2)
        },
    ]
}

extension CheckContext {
    /// A program on a cache with room for so many bytes.
    func weighed(_ operations: [CacheOperation], room wanted: Int = 100) throws(CheckStop) {
        let (setup, amount) = try room(.bytes, wanted)
        guard amount == wanted else { throw .blocked("the capacity cannot be set to \(wanted)") }
        try verify(operations, setup: setup)
    }
}
