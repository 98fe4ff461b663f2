import CacheCore

// More than a short queue holds, than a small counter counts, and than a look at a part of a value sees.
extension ManyScenario {
    /// Everything that is put is written, however much it is before anybody looks: WRT-1 and WRT-6.
    func written() throws(CheckStop) {
        let keys = keys(context.rounds(5_000))
        let steps = ["put \(keys.count) keys", "flush", "writes"]
        try context.withInstance(steps: steps) { (instance) throws(CheckStop) in
            let stored = keys.enumerated().filter { instance.perform(.put($1, value($0))) == .done }
            _ = instance.perform(.flush)
            guard case .writes(let writes) = instance.perform(.writes) else { throw .blocked("the writes") }
            let told = Set(writes)
            let missing = stored.count { number, key in
                !told.contains(WrittenEntry(key: key, value: value(number).bytes(for: key)))
            }
            try context.require(
                missing == 0, observed: "\(writes.count) writes, in which \(missing) of \(stored.count) are missing",
                permitted: "every one that was stored", steps: steps)
        }
    }

    /// Every value that left is told, in its order, however many have left before anybody looks: EVT-4.
    func told() throws(CheckStop) {
        guard context.claims.retains, !context.claims.deviates(.replacementsAreNotTold) else { return }
        let count = context.rounds(5_000)
        let steps = ["put a \(count) times", "maintain", "events"]
        try context.withInstance(steps: steps) { (instance) throws(CheckStop) in
            let stored = (0..<count).filter { instance.perform(.put(key, value($0))) == .done }
            _ = instance.perform(.maintain)
            guard case .events(let events) = instance.perform(.events) else { throw .blocked("the events") }
            try context.require(
                events.map(\.value) == stored.dropLast().map { value($0).bytes(for: key) },
                observed: "\(events.count) events, or others",
                permitted: "one for each value but the last, in their order", steps: steps)
        }
    }

    /// The last read of many extends a time to idle as the first did: TTL-5.
    func reads() throws(CheckStop) {
        guard context.claims.retains else { return }
        let count = 300
        let steps = ["open with a time to idle of 100 ns", "put a", "\(count) times: advance 60 ns, get a"]
        try context.withInstance(CacheSetup(timeToIdleNanoseconds: 100), steps: steps) { (instance) throws(CheckStop) in
            _ = instance.perform(.put(key, value(1)))
            for number in 1...count {
                _ = instance.perform(.advance(nanoseconds: 60))
                try context.require(
                    instance.perform(.get(key)).isHit, observed: "nothing at read \(number)", permitted: "value 1",
                    steps: steps)
            }
        }
    }

    /// A value is compared to its last byte, and from its first: CON-6.
    func compared() throws(CheckStop) {
        for count in [64, 256, 4_096, 65_536] where count < context.claims.valueBytesMax {
            let bytes = value(1, count + 1).bytes(for: key)
            for index in [0, count] {
                var other = bytes
                other[index] ^= 1
                let steps = [
                    "put a, \(count + 1) bytes", "compareAndSet a, expecting these with byte \(index) another",
                ]
                try context.withInstance(steps: steps) { (instance) throws(CheckStop) in
                    _ = instance.perform(.put(key, .bytes(bytes)))
                    let answer = instance.perform(.compareAndSet(key, expected: .bytes(other), value(2)))
                    try context.require(answer != .flag(true), observed: "true", permitted: "false", steps: steps)
                }
            }
        }
    }
}
