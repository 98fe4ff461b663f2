import CacheCore

// What is pinned stays.
extension OrderChecks {
    static let ofPins = Check(
        .init("POL-12", revision: 2, source: "RocksDB: pinned handles of the block cache"),
        due: [.feature(.pin), .capacity(.objects), .retains],
        "What is pinned is never the one that leaves.",
        explanation: """
            Pins three of 4, lets go of one, overwrites the second and renames the third if that is claimed, puts ten \
            times the capacity and looks. What is pinned is counted and listed, and can still be removed, be cleared and \
            expire. Finds pins that the order does not know, ones that a write takes away, and ones that hold more than that.
            """
    ) { (context) throws(CheckStop) in
        let (setup, room) = try context.room(.objects, 4)
        let many = (0..<10 * room).map { CacheOperation.put(key("other-\($0)"), value(100 + $0)) }
        let pins =
            [.pin(keys[0]), .pin(keys[1]), .pin(keys[2]), .unpin(keys[2]), .put(keys[0], value(50))]
            + context.claimed([.rename(keys[1], to: keys[60])])
        let looks: [CacheOperation] = [.get(keys[0]), .get(keys[1]), .get(keys[60])]
        try context.verify(fill(0..<min(4, room)) + pins + many + looks, setup: setup)
        let removals: [CacheOperation] = [
            .put(keys[1], value(2)), .pin(keys[1]), .get(keys[1]), .count, .keys, .removeAll, .get(keys[1]),
            .put(keys[2], value(3)), .pin(keys[2]), .remove(keys[2]), .get(keys[2]),
        ]
        let expiry: [CacheOperation] = [
            .put(keys[0], value(1), terms: PutTerms(timeToLiveNanoseconds: 10)), .pin(keys[0]), .get(keys[0]),
            .advance(nanoseconds: 10), .get(keys[0]),
        ]
        try context.verify(removals + (context.claims.claims(.timeToLive) ? expiry : []), setup: setup)
    }
}
