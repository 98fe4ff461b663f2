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
    }

    /// What no check denied. A check that passes shows no more than that it found nothing.
    public private(set) var claims: Claims
    /// The claims that were tried and are not proposed, in the order in which they were tried.
    public private(set) var rejections: [Rejection] = []

    private let subject: any CacheSubject
    private let seed: UInt64
    private let policies: [PolicyEntry]
    private let tell: @Sendable (String) -> Void
    private var asked: Set<String> = []

    /// Probes a subject: claims are added one by one, and each is kept that the checks which it makes due do not deny.
    ///
    /// That several threads may use it is kept from the subject's own claims and never proposed, since an adapter that does one
    /// request after the other would seem to keep it.
    ///
    /// - Parameters:
    ///   - policies: Those whose order of eviction is compared with.
    ///   - tell: Is told the name of each claim before it is tried.
    public init(
        of subject: any CacheSubject, seed: UInt64 = 1, policies: [PolicyEntry] = [],
        tell: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        (self.subject, self.seed, self.policies, self.tell) = (subject, seed, policies, tell)
        let own = try? subject.claims()
        var floor = Claims(own?.storage ?? StorageClaims())
        (floor.retains, floor.iterates, floor.durability) = (false, false, .volatile)
        floor.isConcurrent = false
        if let own { floor.concurrency = own.concurrency }
        claims = floor
        probe(own)
    }

    private mutating func probe(_ own: Claims?) {
        attempt("core", { _ in }) { $0.kind == .required }
        let room = own?.room ?? Claims.Room(.objects(1 << 16), units: [.objects, .bytes])
        for unit in room.units where fits(unit) {
            attempt(.capacity(unit)) {
                let units = ($0.room?.units ?? []) + [unit]
                $0.room = Claims.Room(
                    $0.room?.capacity ?? Capacity(room.capacity.amount, unit), units: units, isStrict: false)
            }
        }
        attempt(.retains) { $0.retains = true }
        attempt(.iterates) { $0.iterates = true }
        if claims.room != nil {
            attempt(.strict) { $0.room?.isStrict = true }
            proposeOrder()
        }
        if subject.needsDirectory {
            attempt(.durability(.exit)) { $0.durability = .exit }
            if claims.durability == .exit { attempt(.durability(.kill)) { $0.durability = .kill } }
        }
        for feature in Self.features(inDirectory: subject.needsDirectory) {
            attempt(.feature(feature)) { $0.features.insert(feature) }
        }
        guard own?.isConcurrent == true else {
            return reject(
                "isConcurrent", nil, "the subject's own claims do not make it, so that requests may be done in turn")
        }
        attempt(.concurrent) { $0.isConcurrent = true }
    }

    // MARK: One claim

    private mutating func attempt(_ claim: Claim, _ add: (inout Claims) -> Void) {
        if case .feature(let feature) = claim, let operation = feature.sample, lacks(operation) {
            return reject(claim.description, nil, "'\(operation.name)' is answered 'unsupported'")
        }
        attempt(claim.description, add) { $0.claims.contains { $0.concerns(claim) } }
    }

    /// Adds a claim and puts the checks that it makes due; takes it back if one of them denies it.
    private mutating func attempt(_ name: String, _ add: (inout Claims) -> Void, due: (Check) -> Bool) {
        tell(name)
        var tried = claims
        add(&tried)
        var (isWitnessed, missing) = (false, Set<String>())
        for check in ConformanceSuite.cache.checks where due(check) {
            guard check.kind == .required || check.kind == .claimed, !asked.contains(check.id) else { continue }
            let absent = check.claims.filter { !$0.isMade(in: tried) }
            guard absent.isEmpty else {
                missing.formUnion(absent.map(\.description))
                continue
            }
            let outcome = answer(check, tried)
            switch outcome {
            case .pass: isWitnessed = true
            case .fail, .crashed, .hung:
                guard name != "core" else {
                    // What every cache must keep is no claim: it is told, and the rest is tried all the same.
                    reject(name, check.id, outcome.detail ?? outcome.name)
                    continue
                }
                return reject(name, check.id, outcome.detail ?? outcome.name)
            default: break
            }
            // A check of several features asks for more once more of them are claimed.
            if !check.claims.contains(where: \.isOfSeveral) { asked.insert(check.id) }
        }
        guard isWitnessed || name == "core" else {
            let needs =
                missing.isEmpty
                ? "no check could decide it" : "it is tried beside \(missing.sorted().joined(separator: ", ")) alone"
            return reject(name, nil, needs)
        }
        claims = tried
    }

    private func answer(_ check: Check, _ claims: Claims) -> CheckOutcome {
        let watched = WatchedSubject(subject)
        let policy = policies.first { $0.descriptor.name == claims.order }
        let outcome = check.run(
            on: ClaimedSubject(watched, claims: claims, orderPolicy: policy), claims: claims, seed: seed
        ).outcome
        return outcome == .pass && check.kind == .claimed && watched.lacksSomething
            ? .inconclusive("something that it is about is not there") : outcome
    }

    private mutating func reject(_ claim: String, _ check: String?, _ reason: String) {
        rejections.append(Rejection(claim: claim, check: check, reason: reason))
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
        answers(to: [operation]).first?.error?.code == .unsupported
    }

    /// Whether a room for four keeps to it.
    private func fits(_ unit: Capacity.Unit) -> Bool {
        let keys = (0..<40).map { Array("room-\($0)".utf8) }
        let writes = keys.map { CacheOperation.put($0, .described(sequence: 1, byteCount: 24)) } + [.maintain]
        let found = answers(to: writes + keys.map { .get($0) }, CacheSetup(capacity: Capacity(4, unit)))
        let hits = found.dropFirst(writes.count).count(where: \.isHit)
        // Rooms of several shards may be a little larger, and some begin at a size of their own.
        return found.count == 2 * keys.count + 1 && hits < keys.count
    }

    /// Claims the order of the first policy that evicts as the subject does in a run of mixed requests.
    private mutating func proposeOrder() {
        tell("order")
        guard claims.retains, claims.room?.isStrict == true, claims.room?.units.contains(.objects) == true else {
            return reject("order", nil, "an order is compared where 'retains' and 'strict' hold for a room in objects")
        }
        var random = SeededGenerator(seed: seed)
        let keys = (0..<24).map { Array("order-\($0)".utf8) }
        let operations: [CacheOperation] = (0..<600).map { index in
            // Half of the requests are for a quarter of the keys, so that what was used often differs from what was used last.
            let key = keys[random.next(below: random.next(below: 2) == 0 ? 6 : 24)]
            return switch random.next(below: 10) {
            case 0..<5: .get(key)
            case 5: .remove(key)
            default: .put(key, .described(sequence: index, byteCount: 24))
            }
        }
        let setup = CacheSetup(capacity: .objects(8))
        let seen = answers(to: operations, setup)
        let likely = ["lru", "fifo", "lfu"]
        let named = likely.compactMap { name in policies.first { $0.descriptor.name == name } }
        let others = policies.filter { !$0.isBound && !$0.needsFuture && !likely.contains($0.descriptor.name) }
        let matches = (named + others).filter { policy in
            var order = claims
            order.order = policy.descriptor.name
            var model = CacheModel(claims: order, setup: setup, orderPolicy: policy)
            return seen.count == operations.count && !zip(operations, seen).contains { model.judge($0, $1) != nil }
        }
        for policy in matches.prefix(3) where claims.order == nil {
            let name = policy.descriptor.name
            attempt("order \(name)", { $0.order = name }) {
                $0.claims.contains(.order) || $0.claims.contains(.orderOf(name))
            }
        }
        if matches.isEmpty { reject("order", nil, "no policy evicts as it does in a run of 600 mixed requests") }
    }

    /// What is tried, what others are tried beside first.
    private static func features(inDirectory isStore: Bool) -> [Claims.Feature] {
        // Objects and suspended operations are asked of instances of another kind. A writer that writes at once keeps what is asked
        // of one that may write later.
        let never: Set<Claims.Feature> = [.bulkLoad, .references, .codable, .suspends, .writeBehind]
        let stores: Set<Claims.Feature> = [.keepsOrder, .compacts, .detectsDamage, .recovers, .diskUsage]
        let first: [Claims.Feature] = [
            .timeToLive, .cost, .resize, .events, .statistics, .putIfAbsent, .replace, .compareAndSet, .take, .loader,
            .groups, .tags, .writer, .counter,
        ]
        return first
            + Claims.Feature.allCases.filter {
                !first.contains($0) && !never.contains($0) && (isStore || !stores.contains($0))
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
