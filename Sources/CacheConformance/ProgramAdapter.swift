import CacheCore

/// Asks what a program asks in the way in which a cache with stated deviations can be asked.
///
/// Times are brought to the steps of the cache's clock, and where an entry is live at its deadline, lives end between two of
/// the suite's moments, so that what is gone for the suite is gone for the cache. What the cache documents not to do is not
/// asked. The model judges what comes of it.
struct ProgramAdapter {
    private let claims: Claims
    /// What the clock shows after what was asked so far.
    private var now: Int64 = 0

    /// The clock never passes this, so that no sum of times overflows; half of one that ends, which may have been moved before.
    private var end: Int64 { min(1 << 62, claims.limits.clockMaxNanoseconds.map { $0 / 2 } ?? .max) }

    /// From here on lives need not be brought to the cache's clock.
    private static let endless: Int64 = 1 << 60

    init(_ claims: Claims) { self.claims = claims }

    /// The step of the cache's clock.
    private var step: Int64 { claims.clockStep }

    /// How long a nanosecond of the suite is on the cache's clock.
    private var scale: Int64 { claims.deviates(.liveAtDeadline) ? 2 * step : step }

    // MARK: Programs

    /// The programs that ask what a program asks; several where one time to live for all takes the place of several.
    static func programs(_ program: Program, _ claims: Claims) -> [Program] {
        guard claims.deviatesAtAll else { return [program] }
        var adapter = ProgramAdapter(claims)
        var adapted = Program(
            program.operations.compactMap { adapter.operation($0) }, setup: adapter.setup(program.setup))
        guard claims.deviates(.oneTimeToLive) else { return [adapted] }
        var lives: [Int64] = []
        for life in adapted.operations.flatMap({ OperationLine($0).lives }) where life > 0 && !lives.contains(life) {
            lives.append(life)
        }
        adapted.operations = adapted.operations.map { OperationLine($0).withoutLife.read() ?? $0 }
        guard program.setup.timeToIdleNanoseconds == nil, !lives.isEmpty else { return [adapted] }
        // A long program takes its time, and has as many lives as it pleases.
        return lives.prefix(adapted.operations.count > 100 ? 1 : 3).map { life in
            var one = adapted
            one.setup.timeToLiveNanoseconds = life
            return one
        }
    }

    func setup(_ setup: CacheSetup) -> CacheSetup {
        var setup = setup
        setup.timeToIdleNanoseconds = setup.timeToIdleNanoseconds.flatMap(life)
        setup.staleNanoseconds = setup.staleNanoseconds.map(scaled)
        setup.refreshNanoseconds = setup.refreshNanoseconds.map(scaled)
        if let most = claims.limits.capacityMax, let capacity = setup.capacity, capacity.unit == .objects {
            setup.capacity?.amount = min(most, capacity.amount)
        }
        return setup
    }

    // MARK: Times

    private func scaled(_ time: Int64) -> Int64 {
        let product = time.multipliedReportingOverflow(by: scale)
        return product.overflow ? (time < 0 ? -end : end) : product.partialValue
    }

    /// A time to live on the cache's clock; nil for one that it cannot be given.
    private func life(_ time: Int64) -> Int64? {
        guard time > 0 else {
            let product = time.multipliedReportingOverflow(by: step)
            return product.overflow ? time / step * step : product.partialValue
        }
        // A life that ends after the clock does is not given.
        let most =
            [claims.limits.timeToLiveMaxNanoseconds, claims.limits.clockMaxNanoseconds.map { _ in end - now }]
            .compactMap { $0.map { max(step, $0 / step * step) } }.min() ?? .max
        // The clock never comes so far: the longest lives are as long on any clock, in whole steps of it.
        if time >= Self.endless { return min(time / step * step, most) }
        let product = time.multipliedReportingOverflow(by: scale)
        guard !product.overflow else { return min(end / step * step, most) }
        return min(product.partialValue - (claims.deviates(.liveAtDeadline) ? step : 0), most)
    }

    private mutating func wait(_ time: Int64) -> Int64 {
        let wait = max(0, min(scaled(time), end - now))
        now += wait
        return wait
    }

    /// Terms that can be given; nil where no entry can have them.
    private func terms(_ terms: PutTerms) -> PutTerms? {
        var terms = terms
        if let time = terms.timeToLiveNanoseconds {
            guard let life = life(time) else { return nil }
            terms.timeToLiveNanoseconds = life
        }
        if terms.cost == 0, claims.deviates(.refusesZeroCost) { terms.cost = 1 }
        if let most = claims.limits.costMax, terms.cost > most { return nil }
        return terms
    }

    // MARK: Operations

    /// The operation as the cache can be asked for it; nil if it cannot.
    mutating func operation(_ operation: CacheOperation) -> CacheOperation? {
        if claims.deviates(.keysArePrintable),
            !keys(of: operation).joined().allSatisfy({ (0x21...0x7E).contains($0) })
        {
            return nil
        }
        switch operation {
        case .put(let key, let value, let expiry, let given):
            guard let terms = terms(given), isLimited(key, value.byteCount, mayExceedEntry: true) else { return nil }
            return .put(key, value, expiresAtNanoseconds: expiry, terms: terms)
        case .putIfAbsent(let key, let value, let given):
            guard let terms = terms(given), isLimited(key, value.byteCount) else { return nil }
            return .putIfAbsent(key, value, terms: terms)
        case .replace(let key, let value, let given):
            guard let terms = terms(given), isLimited(key, value.byteCount) else { return nil }
            return .replace(key, value, terms: terms)
        case .load(let key, let origin):
            guard let adapted = self.origin(origin, of: key) else { return nil }
            return .load(key, adapted)
        case .touch(let key, let time): return life(time).map { .touch(key, timeToLiveNanoseconds: $0) }
        case .advance(let time): return .advance(nanoseconds: wait(time))
        case .sleep(let time): return .sleep(nanoseconds: wait(time))
        case .within(let group, let inner):
            return self.operation(inner).map { .within(group: group, $0) }
        case .keys, .firstKeys: return claims.deviates(.cannotList) ? nil : operation
        case .failLower: return claims.deviates(.lowerTierCannotFail) ? nil : operation
        case .listen(.reenters): return claims.deviates(.listenersMayNotUseTheCache) ? nil : operation
        case .resize(let amount):
            if amount <= 0, claims.deviates(.zeroCapacityIsUnlimited) { return nil }
            return .resize(min(amount, claims.limits.capacityMax ?? .max))
        case .limitGroup(_, 0) where claims.deviates(.zeroCapacityIsUnlimited): return nil
        case .increment(let key, let step):
            let most = claims.limits.counterMax ?? .max
            return .increment(key, by: max(-most, min(most, step)))
        case .putMany(let items):
            return items.allSatisfy { isLimited($0.key, $0.payload.byteCount) } ? operation : nil
        default:
            let length = operation.entry?.value.count ?? 0
            return operation.key.map { isLimited($0, length) } ?? true ? operation : nil
        }
    }

    private func keys(of operation: CacheOperation) -> [[UInt8]] {
        switch operation {
        case .getMany(let keys), .removeMany(let keys), .loadMany(let keys, _, _): keys
        case .putMany(let items): items.map(\.key)
        case .rename(let key, let other): [key, other]
        default: operation.key.map { [$0] } ?? []
        }
    }

    /// Whether an entry is within the limits, as far as what is beyond them is not asked for.
    private func isLimited(_ key: [UInt8], _ length: Int, mayExceedEntry: Bool = false) -> Bool {
        if claims.deviates(.limitsAreNotEnforced), key.count > claims.keyBytesMax || length > claims.valueBytesMax {
            return false
        }
        return mayExceedEntry || claims.isOfFittingSize(key, length)
    }

    private mutating func origin(_ origin: Origin, of key: [UInt8]) -> Origin? {
        var adapted = origin
        if case .value(let value, let given) = origin.answer {
            guard let terms = terms(given), isLimited(key, value.byteCount) else { return nil }
            adapted.answer = .value(value, terms)
        }
        adapted.meanwhile = origin.meanwhile.filter { mayDo($0, whileLoading: key) }.compactMap { operation($0) }
        return adapted
    }

    /// Whether a loader may do this to the cache.
    private func mayDo(_ operation: CacheOperation, whileLoading key: [UInt8]) -> Bool {
        switch operation {
        case .pause, .giveUp: return true
        // Whoever moves the clock of the whole process waits for the load.
        case .advance, .sleep, .moveWallClock: return !claims.deviates(.sharedClock)
        default: break
        }
        if claims.deviates(.loadersMayNotUseTheCache) { return false }
        guard claims.deviates(.loadersMayNotUseTheirKey) else { return true }
        switch operation {
        case .removeAll, .removeTagged, .within(_, .removeAll): return false
        case .getMany(let keys), .removeMany(let keys), .loadMany(let keys, _, _): return !keys.contains(key)
        case .putMany(let items): return !items.contains { $0.key == key }
        case .rename(let one, let other): return one != key && other != key
        case .load(let other, let origin):
            return other != key && origin.meanwhile.allSatisfy { mayDo($0, whileLoading: key) }
        default: return operation.key != key
        }
    }
}

extension Claims {
    /// Whether anything is otherwise than in most caches.
    var deviatesAtAll: Bool { !deviations.isEmpty || limits != Limits() }

    /// The step of the clock.
    var clockStep: Int64 { limits.clockStepNanoseconds ?? 1 }

    /// Whether `flush` must be asked for before an operation may look at what others wrote.
    func isAwaited(before operation: CacheOperation) -> Bool {
        deviates(.writesTakeEffectLater) && !operation.isBlind(removalTells: !deviates(.removeTellsNothing))
    }

    /// Whether an operation may leave something that takes effect later.
    func isAwaited(after operation: CacheOperation) -> Bool {
        deviates(.writesTakeEffectLater) && operation.mayWrite
    }

    /// Whether a key and its value have no more bytes together than they may have.
    func isOfFittingSize(_ key: [UInt8], _ length: Int) -> Bool {
        limits.entryBytesMax.map { key.count + length <= $0 } ?? true
    }
}

extension CacheOperation {
    /// Whether its answer says nothing of what is there.
    fileprivate func isBlind(removalTells: Bool) -> Bool {
        switch self {
        case .put, .putMany, .removeAll, .flush: true
        case .remove, .removeMany: !removalTells
        case .within(_, let inner): inner.isBlind(removalTells: removalTells)
        default: false
        }
    }

    /// Whether it may change what is there.
    fileprivate var mayWrite: Bool {
        switch self {
        case .get, .getMany, .contains, .count, .keys, .firstKeys, .cost, .remainingTime, .statistics, .events, .flush,
            .maintain, .advance, .sleep, .moveWallClock:
            false
        case .within(_, let inner): inner.mayWrite
        default: true
        }
    }
}
