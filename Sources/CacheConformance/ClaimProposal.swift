public import CacheCore

/// The claims that a subject was found to keep, and those that it was not.
public struct ClaimProposal: Sendable {
    /// A claim that was tried and is not proposed.
    public struct Rejection: Sendable, Hashable {
        /// The claim's name.
        public var claim: String
        /// The check that was not passed; nil where none could be put.
        public var check: String?
        /// What was seen, or what the claim lacks.
        public var reason: String
        /// Whether that is its operation, which is answered `unsupported`.
        public var lacksOperation = false
    }

    /// What no check denied. A check that passes shows no more than that it found nothing.
    public private(set) var claims: Claims
    /// The claims that were tried and are not proposed, in the order in which they were tried.
    public private(set) var rejections: [Rejection] = []

    private let subject: any CacheSubject
    private let seed: UInt64
    private let policies: [PolicyEntry]
    private let checks: [Check]
    private let tell: @Sendable (String) -> Void
    private let isOver: @Sendable () -> Bool
    private var asked: Set<String> = []

    /// Probes a subject: claims are added one by one, and each is kept that the checks which it makes due do not deny. Where a check
    /// denies one, the deviations that could explain it are tried, and the claim is proposed with those with which it holds.
    ///
    /// That several threads may use it is kept from the subject's own claims and never proposed, since an adapter that does one
    /// request after the other would seem to keep it.
    ///
    /// - Parameters:
    ///   - policies: Those whose order of eviction is compared with.
    ///   - checks: What may be asked.
    ///   - isOver: Whether the time for it is over: what is not decided by then is not proposed.
    ///   - tell: Is told the name of each claim before it is tried.
    public init(
        of subject: any CacheSubject, seed: UInt64 = 1, policies: [PolicyEntry] = [],
        checks: [Check] = ConformanceSuite.cache.checks, isOver: @escaping @Sendable () -> Bool = { false },
        tell: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        (self.subject, self.seed, self.policies, self.isOver, self.tell) = (subject, seed, policies, isOver, tell)
        // What is about one behaviour names the deviation that explains it; what tries everything at once only meets it.
        let due = checks.filter { [.required, .claimed].contains($0.kind) }
        self.checks = due.filter { !$0.head.sweeps } + due.filter(\.head.sweeps)
        let own = try? subject.claims()
        var floor = Claims(own?.storage ?? StorageClaims())
        (floor.retains, floor.iterates, floor.durability) = (false, false, .volatile)
        floor.isConcurrent = false
        // What the subject documents is no finding that a probe could take back.
        if let own {
            (floor.concurrency, floor.deviations, floor.limits) = (own.concurrency, own.deviations, own.limits)
            floor.faces = own.faces
        }
        claims = floor
        probe(own)
        probeTogether()
        for deviation in claims.removePointlessDeviations() {
            reject(
                "deviation \(deviation.rawValue)", nil, "it is stated, and nothing that it concerns is proposed",
                isSeen: false)
        }
    }

    private mutating func probe(_ own: Claims?) {
        probeCore()
        let measured = measuredRoom()
        let room = own?.room ?? CapacityClaim(.objects(1 << 16), units: [.objects, .bytes])
        attemptRooms(room, measured, isStated: own?.room != nil)
        attempt(.retains) { $0.retains = true }
        attempt(.iterates) { $0.iterates = true }
        // What a room asks for beside these could not be asked before.
        if claims.room == nil { attemptRooms(room, measured, isStated: own?.room != nil) }
        if claims.room != nil {
            attempt(.strict) { $0.room?.isStrict = true }
            proposeOrder()
        }
        if subject.needsDirectory {
            attempt(.durability(.exit)) { $0.durability = .exit }
            if claims.durability == .exit { attempt(.durability(.kill)) { $0.durability = .kill } }
        }
        for feature in Self.untold where own?.claims(feature) == true {
            reject(
                Claim.feature(feature).description, nil, "it is not tried; leave it in your claims if it holds",
                isSeen: false)
        }
        for feature in Self.features(inDirectory: subject.needsDirectory) {
            // A writer that writes at once keeps what is asked of one that may write later.
            if feature == .writeBehind, claims.claims(.writer) { continue }
            if let reason = inseparable(feature) {
                reject(Claim.feature(feature).description, nil, reason)
            } else {
                attempt(.feature(feature)) { $0.features.insert(feature) }
            }
        }
        guard own?.isConcurrent == true else {
            return reject(
                "isConcurrent", nil, "the subject's own claims do not make it, so that requests may be done in turn",
                isSeen: false)
        }
        attempt(.concurrent) { $0.isConcurrent = true }
    }

    /// Attempts a room in each of its units that is not claimed.
    private mutating func attemptRooms(_ room: CapacityClaim, _ measured: Int?, isStated: Bool) {
        rejections.removeAll { rejection in
            rejection.check == nil && room.units.contains { Claim.capacity($0).description == rejection.claim }
        }
        let denied = rejections.map(\.claim)
        for unit in room.units where !denied.contains(Claim.capacity(unit).description) {
            let found = unit == .objects && room.capacity.unit == .objects ? measured : nil
            let isAdjustable = fits(unit)
            guard isAdjustable || found != nil else {
                if isOver() || isStated {
                    reject(
                        Claim.capacity(unit).description, nil,
                        "opened for 4 it holds as much of 64 keys as for 4096, and no bound of its own was met")
                }
                continue
            }
            let capacity = Capacity(found ?? room.capacity.amount, unit)
            attempt(.capacity(unit), isSeen: found != nil) {
                $0.room = CapacityClaim(
                    $0.room?.capacity ?? capacity, isAdjustable: $0.room?.isAdjustable ?? isAdjustable,
                    units: ($0.room?.units ?? []) + [unit], isStrict: false)
            }
        }
    }

    /// Asks again, with all that is proposed, what was asked when less of it was: what a check denies of them together is explained by
    /// a deviation, or the last of them goes without which it is not denied.
    private mutating func probeTogether() {
        tell("all together")
        let known = rejections.filter { $0.claim == "core" }.map(\.check)
        for check in checks where !known.contains(check.id) && check.claims.allSatisfy({ $0.isMade(in: claims) }) {
            if isOver() { return reject("all together", nil, "") }
            guard case .denied(let outcome) = verdict(check, claims), !isOver() else { continue }
            let deviations = Deviation.ofEveryCache + check.claims.flatMap(Deviation.explaining)
            if let more = explanation(of: check, outcome, claims, deviations) {
                claims.deviations.formUnion(more)
                continue
            }
            // What a bound, an order or a list promises is asked by checks that do not name it.
            let suspects = [.order, .strict, .iterates, .retains] + check.claims.reversed()
            let fewer = suspects.map { ($0, $0.withdrawn(from: claims)) }.filter { $0.1 != claims }
            guard
                let (claim, rest) = fewer.first(where: { answer(check, $0.1) == .pass })
                    ?? fewer.first(where: { !answer(check, $0.1).isNegative })
            else {
                reject("core", check.id, outcome.detail ?? outcome.name)
                continue
            }
            reject(claim.description, check.id, outcome.detail ?? outcome.name, isSeen: false)
            claims = rest
        }
    }

    // MARK: One claim

    /// Asks what every cache must keep: that is no claim, so that what fails is told, and the rest is tried all the same.
    private mutating func probeCore() {
        tell("core")
        for check in checks where check.kind == .required {
            if isOver() { return reject("core", check.id, "") }
            asked.insert(check.id)
            guard case .denied(let outcome) = verdict(check, claims), !isOver() else { continue }
            if let more = explanation(of: check, outcome, claims, Deviation.ofEveryCache) {
                claims.deviations.formUnion(more)
            } else {
                reject("core", check.id, outcome.detail ?? outcome.name)
            }
        }
    }

    private mutating func attempt(_ claim: Claim, isSeen: Bool = false, _ add: (inout Claims) -> Void) {
        if case .feature(let feature) = claim, let operation = feature.sample, lacks(operation) {
            return reject(
                claim.description, nil, "'\(operation.name)' is answered 'unsupported'", lacksOperation: true)
        }
        attempt(claim.description, isSeen: isSeen, explainedBy: Deviation.explaining(claim), add) {
            $0.claims.contains { $0.concerns(claim) }
        }
    }

    /// Adds a claim and puts the checks that it makes due; takes it back if one of them denies it and no deviation explains that.
    ///
    /// - Parameter isSeen: Whether the claim needs no check to be seen to hold.
    private mutating func attempt(
        _ name: String, isSeen: Bool = false, explainedBy deviations: [Deviation] = [], _ add: (inout Claims) -> Void,
        due: (Check) -> Bool
    ) {
        tell(name)
        var tried = claims
        add(&tried)
        let due = checks.filter { $0.kind == .claimed && due($0) && !asked.contains($0.id) }
        let missing = due.flatMap(\.claims).filter { !$0.isMade(in: tried) }
        var isWitnessed = isSeen
        var left = due.filter { $0.claims.allSatisfy { $0.isMade(in: tried) } }[...]
        while let check = left.popFirst() {
            switch verdict(check, tried) {
            case .held: isWitnessed = true
            case .undecided: break
            case .denied(let outcome):
                guard let more = explanation(of: check, outcome, tried, deviations) else {
                    return reject(name, check.id, outcome.detail ?? outcome.name)
                }
                tried.deviations.formUnion(more)
                // What passed without the deviation must pass with it.
                left = due.filter { $0.claims.allSatisfy { $0.isMade(in: tried) } }[...]
            }
        }
        if isOver() { return reject(name, nil, "") }
        guard isWitnessed else {
            let names = Set(missing.map(\.description)).subtracting([name]).sorted().joined(separator: ", ")
            return reject(
                name, nil, names.isEmpty ? "no check could decide it" : "it is tried beside \(names) alone")
        }
        // A check of several features asks for more once more of them are claimed.
        asked.formUnion(
            due.filter { $0.claims.allSatisfy { $0.isMade(in: tried) && !$0.isOfSeveral } }.map(\.id))
        claims = tried
    }

    /// What a check says of claims.
    private enum Verdict {
        case held
        case denied(CheckOutcome)
        case undecided
    }

    private func verdict(_ check: Check, _ claims: Claims) -> Verdict {
        let outcome = answer(check, claims)
        return outcome == .pass ? .held : outcome.isNegative ? .denied(outcome) : .undecided
    }

    /// The deviations, two at most, with which a check passes that is denied without them; nil if there are none.
    ///
    /// A check that asks for nothing but what a deviation documents otherwise is explained by it, if no other one passes it.
    private func explanation(
        of check: Check, _ outcome: CheckOutcome, _ claims: Claims, _ deviations: [Deviation]
    ) -> Set<Deviation>? {
        let new = deviations.filter(claims.canState)
        var sets = new.map { Set([$0]) }
        // Each try of what crashes or hangs may cost a deadline.
        if outcome.name == "fail" {
            sets += new.indices.flatMap { one in new[(one + 1)...].map { Set([new[one], $0]) } }
        }
        for deviations in sets {
            var deviating = claims
            deviating.deviations.formUnion(deviations)
            if answer(check, deviating) == .pass { return deviations }
        }
        return new.first { deviation in
            var deviating = claims
            deviating.deviations.insert(deviation)
            return answer(check, deviating) == .notClaimed(["by the deviation \(deviation.rawValue)"])
        }.map { [$0] }
    }

    private func answer(_ check: Check, _ claims: Claims) -> CheckOutcome {
        if isOver() { return .notAsked }
        let watched = WatchedSubject(subject)
        let policy = policies.first { $0.descriptor.name == claims.order }
        let outcome = check.run(
            on: ClaimedSubject(watched, claims: claims, orderPolicy: policy), claims: claims, seed: seed,
            draws: SeedDraws(makesSmaller: false)
        ).outcome
        return outcome == .pass && check.kind == .claimed && watched.lacksSomething
            ? .inconclusive("something that it is about is not there") : outcome
    }

    /// Nothing that is seen once the time is over decides anything.
    private mutating func reject(
        _ claim: String, _ check: String?, _ reason: String, isSeen: Bool = true, lacksOperation: Bool = false
    ) {
        let isOver = isSeen && isOver()
        rejections.append(
            Rejection(
                claim: claim, check: isOver ? nil : check,
                reason: isOver ? "the time limit came before it was decided" : reason,
                lacksOperation: lacksOperation && !isOver))
    }

    // MARK: Looking

    /// What a new instance answers; nothing if none can be opened.
    private func answers(to operations: [CacheOperation], _ setup: CacheSetup = CacheSetup()) -> [OperationResult] {
        guard let sandbox = try? Sandbox(needsDirectory: subject.needsDirectory) else { return [] }
        defer { sandbox.end() }
        guard let instance = try? subject.open(setup, in: sandbox.directory) else { return [] }
        defer { _ = instance.perform(.close) }
        return operations.map(instance.perform)
    }

    private func lacks(_ operation: CacheOperation) -> Bool {
        guard answers(to: [operation]).first?.error?.code == .unsupported else { return false }
        guard case .put(let key, let value, nil, let terms) = operation, terms != .plain else { return true }
        // A cache may have one life for all that it holds.
        var setup = CacheSetup()
        setup.timeToLiveNanoseconds = terms.timeToLiveNanoseconds
        return answers(to: [.put(key, value), .advance(nanoseconds: 1 << 41), .get(key)], setup).last != .entry(nil)
    }

    /// How many entries a new instance holds that was opened with nothing said; nil if no bound was met or another one each time.
    private func measuredRoom() -> Int? {
        for count in [64, 512, 4_096, 16_384] {
            let kept = (kept(of: count), kept(of: 2 * count))
            if kept.0 < count { return kept.0 > 0 && kept.0 == kept.1 ? kept.0 : nil }
        }
        return nil
    }

    /// How many of so many entries a new instance holds.
    private func kept(of count: Int, _ setup: CacheSetup = CacheSetup()) -> Int {
        let keys = (0..<count).map { Array("room-\($0)".utf8) }
        let writes = keys.map { CacheOperation.put($0, .described(sequence: 1, byteCount: 24)) } + [.maintain]
        return answers(to: writes + keys.map { .get($0) }, setup).dropFirst(writes.count).count(where: \.isHit)
    }

    /// A check of what is evicted finds nothing wrong there.
    private static let evictsNothing = "what refuses when it is full evicts nothing"

    /// Why a feature of eviction cannot be told from what a plain LRU does; nil where it can, and for any other feature.
    private func inseparable(_ feature: Claims.Feature) -> String? {
        if feature == .ages, !claims.claims(.frequencyAware) { return "it is tried beside frequencyAware alone" }
        if feature == .frequencyAware, claims.deviates(.refusesWhenFull) { return Self.evictsNothing }
        guard feature == .frequencyAware, let room = claims.room, room.units.contains(.objects) else { return nil }
        guard room.isAdjustable || room.capacity.amount <= 1_000 else { return "its room is too large to fill" }
        let amount = room.isAdjustable ? 16 : room.capacity.amount
        let setup = room.isAdjustable ? CacheSetup(capacity: .objects(amount)) : CacheSetup()
        let lost = (seed..<(seed &+ 5)).filter { survivors(of: $0, setup, amount) < max(1, amount / 8) }
        return lost.isEmpty
            ? nil
            : "what was read 20 times did not outlive \(2 * amount) keys that came once, as in any LRU, for "
                + "\(lost.count) of 5 seeds"
    }

    /// How many of a quarter of the room's keys, which were read often, are there after twice as many others as there is room for.
    private func survivors(of seed: UInt64, _ setup: CacheSetup, _ amount: Int) -> Int {
        func asking(_ name: String, _ count: Int) -> [CacheOperation] {
            (0..<count).flatMap { number -> [CacheOperation] in
                let key = Array("\(name)-\(seed)-\(number)".utf8)
                return [.get(key), .put(key, .described(sequence: number, byteCount: 24)), .maintain]
            }
        }
        let hot = asking("hot", max(1, amount / 4))
        let reads = hot.filter { if case .get = $0 { true } else { false } }
        let program = hot + (0..<20).flatMap { _ in reads } + asking("once", 2 * amount) + reads
        return answers(to: program, setup).suffix(reads.count).count(where: \.isHit)
    }

    /// Whether a room for four holds half as much of 64 keys as one for 4096, at most: what drops entries at any time holds as much of
    /// them in both. Rooms of several shards may be a little larger than four, and some begin at a size of their own.
    private func fits(_ unit: Capacity.Unit) -> Bool {
        let hits = [4, 4_096].map { kept(of: 64, CacheSetup(capacity: Capacity($0, unit))) }
        return 2 * hits[0] <= hits[1] && hits[1] > 0
    }

    /// Claims the order of the first policy that evicts as the subject does in a run of mixed requests.
    private mutating func proposeOrder() {
        tell("order")
        if claims.deviates(.refusesWhenFull) { return reject("order", nil, Self.evictsNothing) }
        guard claims.retains, claims.room?.isStrict == true, claims.room?.units.contains(.objects) == true else {
            return reject("order", nil, "an order is compared where 'retains' and 'strict' hold for a room in objects")
        }
        let isAdjustable = claims.room?.isAdjustable == true
        let amount = isAdjustable ? 8 : claims.room?.capacity.amount ?? 0
        guard amount <= 1_000 else { return reject("order", nil, "its room is too large to fill") }
        var random = SeededGenerator(seed: seed)
        let keys = (0..<3 * amount).map { Array("order-\($0)".utf8) }
        let operations: [CacheOperation] = (0..<75 * amount).map { index in
            // Half of the requests are for a quarter of the keys, so that what was used often differs from what was used last.
            let key = keys[random.next(below: random.next(below: 2) == 0 ? max(1, keys.count / 4) : keys.count)]
            return switch random.next(below: 10) {
            case 0..<5: .get(key)
            case 5: .remove(key)
            default: .put(key, .described(sequence: index, byteCount: 24))
            }
        }
        let setup = isAdjustable ? CacheSetup(capacity: .objects(amount)) : CacheSetup()
        let seen = answers(to: operations, setup)
        let likely = ["lru", "fifo", "lfu"]
        let named = likely.compactMap { name in policies.first { $0.descriptor.name == name } }
        let others = policies.filter { !$0.isBound && !$0.needsFuture && !likely.contains($0.descriptor.name) }
        let matches = (named + others).filter { policy in
            var order = claims
            order.order = policy.descriptor.name
            var model = CacheModel(claims: order, setup: setup, orderPolicy: policy)
            // No model knows an order of a policy that lets nothing in, and any answer would do.
            return seen.count == operations.count && !zip(operations, seen).contains { model.judge($0, $1) != nil }
                && model.room.knowsOrder
        }
        for policy in matches.prefix(3) where claims.order == nil {
            let name = policy.descriptor.name
            attempt("order \(name)", explainedBy: [.containsIsGet], { $0.order = name }) {
                $0.claims.contains(.order) || $0.claims.contains(.orderOf(name))
            }
        }
        if matches.isEmpty {
            reject("order", nil, "no policy evicts as it does in a run of \(operations.count) mixed requests")
        }
    }

    /// Objects and suspended operations are asked of instances of another kind; whether the hash has few values is not seen from
    /// outside.
    private static let untold: [Claims.Feature] = [.bulkLoad, .references, .codable, .suspends, .collide]

    /// What is tried, what others are tried beside first.
    private static func features(inDirectory isStore: Bool) -> [Claims.Feature] {
        let stores: Set<Claims.Feature> = [.keepsOrder, .compacts, .detectsDamage, .recovers, .diskUsage]
        let first: [Claims.Feature] = [
            .timeToLive, .cost, .resize, .events, .statistics, .putIfAbsent, .replace, .compareAndSet, .take, .loader,
            .groups, .tags, .writer, .writeBehind, .counter,
        ]
        return first
            + Claims.Feature.allCases.filter {
                !first.contains($0) && !untold.contains($0) && (isStore || !stores.contains($0))
            }
    }
}

extension Claims.Feature {
    /// An operation that a cache with the feature must have, where there is one.
    fileprivate var sample: CacheOperation? {
        let key: [UInt8] = [0x61]
        let value = Payload.bytes([0x31])
        switch self {
        case .timeToLive: return .put(key, value, terms: PutTerms(timeToLiveNanoseconds: 1 << 40))
        case .touch: return .touch(key, timeToLiveNanoseconds: 1 << 40)
        case .listener: return .listen(.plain)
        case .events: return .events
        case .statistics: return .statistics
        case .tags: return .removeTagged("tag")
        case .writer, .writeBehind: return .writes
        case .groups: return .within(group: "group", .get(key))
        case .groupLimits: return .limitGroup("group", 4)
        case .diskUsage: return .diskUsage
        case .tiers: return .dropMemory
        case .countsSleep: return .sleep(nanoseconds: 1)
        case .cancel: return .giveUp(key)
        case .counter, .counterFloor: return .increment(key, by: 1)
        case .loader, .negative, .coalesce, .refresh, .staleServe: return .load(key, Origin(.value(value)))
        default:
            let operations: [CacheOperation] = [
                .getMany([key]), .putMany([KeyedPayload(key, value)]), .putIfAbsent(key, value), .exchange(key, value),
                .compareAndSet(key, expected: value, value), .take(key), .update(key, .set(value)),
                .rename(key, to: key), .remainingTime(key), .cost, .firstKeys(1), .mark(key), .pin(key),
                .resize(1 << 16),
            ]
            return operations.first { $0.needs == self }
        }
    }
}
