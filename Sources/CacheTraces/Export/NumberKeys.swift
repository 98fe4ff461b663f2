internal import CacheCore

/// The numbers of 64 bits that stand for the objects in a format that has no other keys.
///
/// A key that is a number stands for itself; one of any bytes is hashed with XXH3.
struct NumberKeys {
    let keys: [UInt64]
    /// How many objects are hashed.
    let hashed: Int
    /// How many objects have a number that an earlier object has.
    let collisions: Int

    /// The numbers of a trace's objects. O(objects), 24 bytes an object while it is made.
    init(_ trace: CompiledTrace) {
        var (keys, hashed, collisions): ([UInt64], Int, Int) = ([], 0, 0)
        keys.reserveCapacity(trace.objects)
        for id in 0..<UInt32(trace.objects) {
            if let key = trace.integerKey(of: id) {
                keys.append(key)
            } else {
                hashed += 1
                let hash = XXH3Hash()
                trace.key(of: id).withUnsafeBytes { hash.update($0) }
                keys.append(hash.low64)
            }
        }
        // Numbers alone differ already.
        if hashed > 0 { collisions = keys.count - Set(keys).count }
        (self.keys, self.hashed, self.collisions) = (keys, hashed, collisions)
    }

    /// The sentence that says what became of keys that are bytes; nil where there are none.
    var loss: String? {
        guard hashed > 0 else { return nil }
        return
            "\(hashed) keys are bytes and were hashed to 64 bits; \(collisions) of \(keys.count) objects collide with another."
    }
}
