import CacheCore

/// What the checks of policies do.
extension CheckContext {
    private static let opens = ["open the policy"]

    /// Turns an error of a policy that is opened into a failure.
    private func opening<Result>(_ body: () throws(AssayError) -> Result) throws(CheckStop) -> Result {
        do { return try body() } catch {
            throw failed("opening threw \(error)", permitted: "an open policy", steps: Self.opens)
        }
    }

    private func trials(_ subject: PolicySubject) -> [PolicyTrial] {
        PolicyTrial.standard(for: subject.entry, seed: seed)
    }

    /// Fails with the smallest trial that was found to break a rule.
    func noFinding(_ subject: PolicySubject, against rule: PolicyRule) throws(CheckStop) {
        guard
            let first = try opening({ () throws(AssayError) in try subject.finding(against: rule, seed: seed) })
        else { return }
        let (trial, finding) = first.trial.shrunk(first.finding) { trial in
            (try? subject.audit(trial))?.first { $0.rule == rule }
        }
        throw failed(finding.text, permitted: check.assertion, steps: trial.words)
    }

    /// Fails if the policy evicts other objects than another one on the same calls, which may be asked for every id before each.
    func compare(
        _ subject: PolicySubject, _ other: String, asksContains: Bool = false,
        opening open: (PolicyTrial) throws(AssayError) -> any SteppedPolicy
    ) throws(CheckStop) {
        for trial in trials(subject) {
            let difference = try opening { () throws(AssayError) in
                Self.difference(try subject.open(trial), try open(trial), asksContains, trial)
            }
            guard let difference else { continue }
            let (smallest, found) = trial.shrunk(difference) { trial in
                guard let policy = try? subject.open(trial), let other = try? open(trial) else { return nil }
                return Self.difference(policy, other, asksContains, trial)
            }
            throw failed(found.observed, permitted: "as \(other): \(found.permitted)", steps: smallest.words)
        }
    }

    /// What two policies do differently first, nil if nothing.
    private static func difference(
        _ policy: any SteppedPolicy, _ other: any SteppedPolicy, _ asksContains: Bool, _ trial: PolicyTrial
    ) -> (observed: String, permitted: String)? {
        let ids = 0..<ObjectID(asksContains ? trial.objectCount : 0)
        for step in trial.steps {
            switch step {
            case .remove(let id):
                policy.remove(id)
                other.remove(id)
            case .request(let request):
                let (seen, due) = (serve(policy, request, asking: 0..<0), serve(other, request, asking: ids))
                if seen != due { return (seen, due) }
            }
        }
        return nil
    }

    private static func serve(_ policy: any SteppedPolicy, _ request: Request, asking ids: Range<ObjectID>) -> String {
        for id in ids { _ = policy.contains(id) }
        if policy.touch(request) { return "request \(request.id) hits" }
        for id in ids { _ = policy.contains(id) }
        var victims = VictimList()
        let entered = policy.insert(request, evicting: &victims)
        return "request \(request.id) misses, \(entered ? "enters" : "stays out"), evicts \(victims.evicted)"
    }

    /// Fails if a policy that is asked `contains` evicts other objects than one that is not.
    func asksInSilence(_ subject: PolicySubject) throws(CheckStop) {
        try compare(subject, "one that is asked contains before every call", asksContains: true) {
            (trial) throws(AssayError) in try subject.open(trial)
        }
    }

    /// Fails if a replay counts otherwise than single calls.
    func replays(_ subject: PolicySubject) throws(CheckStop) {
        let plain = trials(subject).map { PolicyTrial($0.capacity, $0.requests.map { .request($0) }) }
        for trial in [PolicyTrial(.objects(3), [])] + plain {
            let difference = try opening { () throws(AssayError) in try Self.replayDifference(subject, trial) }
            guard let difference else { continue }
            let (smallest, found) = trial.shrunk(difference) { try? Self.replayDifference(subject, $0) }
            throw failed(found.observed, permitted: found.permitted, steps: ["replay:"] + smallest.words)
        }
        // One that fails by its length, and is not made shorter.
        let long = PolicyTrial.long(seed: seed)
        if let found = try opening({ () throws(AssayError) in try Self.replayDifference(subject, long) }) {
            throw failed(
                found.observed, permitted: found.permitted,
                steps: ["replay \(long.steps.count) requests for \(long.objectCount) ids at \(long.capacity)"])
        }
    }

    private static func replayDifference(
        _ subject: PolicySubject, _ trial: PolicyTrial
    ) throws(AssayError) -> (observed: String, permitted: String)? {
        let columns = TrialColumns(trial).columns
        var configuration = trial.configuration(subject.parameters, seed: 1)
        // The steps below take an object's size when it enters.
        configuration.rules.resize = .keep
        guard let counts = try subject.entry.simulate(columns, configuration) else { return nil }
        let policy = try subject.open(trial)
        var victims = VictimList()
        var hits = 0
        for request in trial.requests {
            if policy.touch(request) { hits += 1 } else { _ = policy.insert(request, evicting: &victims) }
        }
        let observed = "\(counts.hits) hits, \(counts.evictions) evictions, \(counts.residentObjects) residents"
        let permitted = "\(hits) hits, \(victims.evicted.count) evictions, \(policy.residentCount) residents"
        return observed == permitted ? nil : (observed, permitted)
    }

    /// Fails if something leaves although there is room.
    func keepsAll(_ subject: PolicySubject) throws(CheckStop) {
        let trial = PolicyTrial.random(.objects(1_000), seed: mix64(seed) ^ 14, requests: 300)
        let found = try opening { () throws(AssayError) in Self.loss(try subject.open(trial), trial) }
        guard let found else { return }
        let (smallest, observed) = trial.shrunk(found) { trial in
            (try? subject.open(trial)).flatMap { Self.loss($0, trial) }
        }
        throw failed(observed, permitted: "only first requests miss, and nothing leaves", steps: smallest.words)
    }

    private static func loss(_ policy: any SteppedPolicy, _ trial: PolicyTrial) -> String? {
        var seen: Set<ObjectID> = []
        for request in trial.requests {
            let isKnown = !seen.insert(request.id).inserted
            let hit = policy.touch(request)
            if hit != isKnown { return "request \(request.id) \(hit ? "hits the first time" : "misses again")" }
            var victims = VictimList()
            if !hit, !policy.insert(request, evicting: &victims) { return "\(request.id) does not enter" }
            if let victim = victims.evicted.first { return "\(victim) is evicted" }
        }
        return nil
    }

    /// Fails if a next victim is not the first to leave, or asking for it changes what leaves.
    func namesVictims(_ subject: PolicySubject) throws(CheckStop) {
        var hasNamed = false
        for trial in trials(subject) {
            let run = try opening { () throws(AssayError) in try Self.victims(of: subject, trial) }
            hasNamed = hasNamed || run.hasNamed
            guard let found = run.wrong else { continue }
            let (smallest, observed) = trial.shrunk(found) { (try? Self.victims(of: subject, $0))?.wrong }
            throw failed(observed, permitted: check.assertion, steps: smallest.words)
        }
        if !hasNamed { throw .notClaimed("it names no next victim") }
    }

    private static func victims(
        of subject: PolicySubject, _ trial: PolicyTrial
    ) throws(AssayError) -> (wrong: String?, hasNamed: Bool) {
        let (policy, twin) = (try subject.open(trial), try subject.open(trial))
        let ids = 0..<ObjectID(trial.objectCount)
        var hasNamed = false
        for step in trial.steps {
            guard case .request(let request) = step else {
                if case .remove(let id) = step {
                    policy.remove(id)
                    twin.remove(id)
                }
                continue
            }
            let isTold = twin.touch(request)
            if policy.touch(request) != isTold { return ("asking changes whether \(request.id) hits", hasNamed) }
            guard !isTold else { continue }
            let residents = ids.filter { policy.contains($0) }
            let weight = trial.capacity.unit == .objects ? 1 : request.size
            let amount = trial.capacity.amount
            let victim =
                weight <= amount && policy.residentWeight + weight > amount ? policy.nextVictim(for: request) : nil
            if ids.filter({ policy.contains($0) }) != residents { return ("asking changes what is resident", hasNamed) }
            hasNamed = hasNamed || victim != nil
            var (left, due) = (VictimList(), VictimList())
            let entered = policy.insert(request, evicting: &left)
            if entered != twin.insert(request, evicting: &due) { return ("asking changes what enters", hasNamed) }
            if left.evicted != due.evicted {
                return ("asked, it evicts \(left.evicted); not asked, \(due.evicted)", hasNamed)
            }
            // What a hit had pushed out before is told first.
            let first = left.evicted.first { residents.contains($0) || $0 == request.id }
            if let victim, let first, victim != first { return ("\(victim) is named and \(first) leaves", hasNamed) }
        }
        return (nil, hasNamed)
    }
}
