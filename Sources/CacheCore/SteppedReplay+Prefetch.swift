// What a prefetcher does in a replay.
extension SteppedReplay {
    /// Makes resident what the prefetcher names after a request.
    func fetch(_ stage: PrefetchStage, after request: Request) {
        policy.gate?.isOpen = true
        defer { policy.gate?.isOpen = false }
        var number = 0
        while var ahead = stage.candidate(number, after: request) {
            number += 1
            guard isUnbounded || weight(of: ahead) <= capacity.amount, !policy.contains(ahead.id) else { continue }
            if insert(&ahead) { stage.fetched(ahead.id) }
        }
    }

    /// Lets those victims of a newcomer leave, or enter anew, that the policy names before it comes.
    func makeRoom(_ stage: PrefetchStage, for request: Request) {
        // What a filter will refuse needs no room.
        guard stage.prefetcher.keepsVictims, policy.gate == nil, !isUnbounded else { return }
        let weight = weight(of: request)
        guard weight <= capacity.amount else { return }
        let most = capacity.amount - weight
        while policy.residentWeight > most {
            guard let victim = policy.nextVictim(for: request), victim != request.id, policy.contains(victim) else {
                return
            }
            let isKept = stage.prefetcher.keeps(victim)
            let freed = capacity.unit == .objects ? 1 : weights[victim]
            // The last to leave is the policy's to evict, which may make a ghost of it.
            guard isKept || policy.residentWeight - freed > most else { return }
            policy.remove(victim)
            held[victim] = false
            if isKept {
                reenter(victim, like: request)
            } else {
                sums.evictions += 1
                stage.evicted(victim)
            }
        }
    }

    /// Tells the prefetcher of all victims, of which some may enter anew; those that this pushes out are told of too.
    func letGo(_ stage: PrefetchStage, for request: Request) {
        var next = 0
        while next < victims.evicted.count {
            let id = victims.evicted[next]
            next += 1
            guard stage.prefetcher.keepsVictims, !held[id], stage.prefetcher.keeps(id) else {
                stage.evicted(id)
                continue
            }
            let before = victims.evicted.count
            reenter(id, like: request)
            // It has left nothing, unless the policy refuses it now.
            sums.evictions += victims.evicted.count - before - (held[id] ? 1 : 0)
            for other in victims.evicted[before...] { held[other] = false }
            if !held[id] { stage.evicted(id) }
        }
    }

    private func weight(of request: Request) -> Int { capacity.unit == .objects ? 1 : request.size }
}
