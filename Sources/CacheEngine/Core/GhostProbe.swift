internal import CacheCore

/// How many ghosts a policy keeps for each resident with parameters of its own, found by driving a small one.
///
/// ``MemoryCost`` states them at the defaults. A cache with fewer ids than its policy has residents and ghosts would have to
/// make it forget ghosts that a simulation keeps, and would evict others.
enum GhostProbe {
    /// The residents of the small policy.
    private static var capacity: Int { 64 }
    /// The objects that it is asked for: more than a policy that keeps a thousand ghosts a resident remembers.
    private static var objects: Int { 1024 * capacity }
    /// The requests without another ghost after which there are no more to come.
    private static var patience: Int { 32 * capacity }
    /// What the lists of a small policy may have less than their shares, because shares are rounded down.
    private static var roundings: Int { 4 }

    /// The ghosts for each resident; those that are stated for the defaults, or where ghosts have no bound.
    static func ghosts(_ policy: PolicyEntry, _ parameters: ParameterValues) -> Double {
        let stated = policy.descriptor.memory?.ghosts ?? 1
        guard !parameters.givenDescription.isEmpty, !policy.needsFuture, !policy.descriptor.isUnbounded,
            !policy.descriptor.deviations(with: parameters).contains(.hasUnboundedGhosts),
            let held = mostHeld(policy, parameters), held > capacity
        else { return stated }
        return max(stated, Double(held + roundings - capacity) / Double(capacity))
    }

    /// The most residents and ghosts together while most requests are for new objects and some for a few old ones.
    private static func mostHeld(_ policy: PolicyEntry, _ parameters: ParameterValues) -> Int? {
        let configuration = PolicyConfiguration(
            capacity: .objects(capacity), objects: ObjectSpace(count: objects), parameters: parameters)
        guard let driven = try? policy.open(configuration) else { return nil }
        var (held, most, latest, fresh) = (0, 0, 0, 0)
        var isHeld = [Bool](repeating: false, count: objects)
        var victims = VictimList()
        var generator = SeededGenerator(seed: 1)
        for index in 0..<2 * objects where fresh < objects && index - latest <= patience {
            let isOld = index % 4 == 3
            let id = isOld ? generator.next(below: capacity / 2) : fresh
            if !isOld { fresh += 1 }
            let request = Request(id: ObjectID(id), size: 1, index: index)
            if driven.touch(request) { continue }
            _ = driven.insert(request, evicting: &victims)
            if !isHeld[id] { held += 1 }
            isHeld[id] = true
            for id in victims.forgotten where isHeld[Int(id)] {
                isHeld[Int(id)] = false
                held -= 1
            }
            victims.clear()
            if held > most { (most, latest) = (held, index) }
        }
        return most
    }
}
