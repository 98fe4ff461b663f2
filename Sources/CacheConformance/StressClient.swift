import CacheCore

/// One client of a stress: what it asks and what it recorded.
struct StressClient: Sendable {
    let client: Int32
    let plan: StressPlan
    var recorder: HistoryRecorder
    /// How many answers showed a value.
    var hits = 0
    /// The first error.
    var fault: StoreError?
    private var random: SeededGenerator
    private var written: Int32 = 0
    /// The value that this client saw last under each key, for comparisons.
    private var seen: [Int32: Int32] = [:]

    /// What all clients count time from.
    private static let origin = ContinuousClock.now
    /// A value that is not what anybody wrote.
    private static let foreign: Int32 = 1 << 24

    init(_ client: Int32, _ plan: StressPlan, _ seed: UInt64) {
        self.client = client
        self.plan = plan
        recorder = HistoryRecorder(client: client, since: Self.origin, expecting: plan.operationsEach)
        random = SeededGenerator(seed: mix64(seed) ^ UInt64(client))
    }

    static func key(_ number: Int32) -> [UInt8] { Array("k\(number)".utf8) }

    func run(on instance: any CacheInstance) -> StressClient {
        var client = self
        for _ in 0..<client.plan.operationsEach where client.fault == nil { client.step(instance) }
        return client
    }

    private mutating func step(_ instance: any CacheInstance) {
        if plan.maintainEvery > 0, random.next(below: plan.maintainEvery) == 0 { _ = instance.perform(plan.chore) }
        if plan.clearEvery > 0, random.next(below: plan.clearEvery) == 0 {
            return recorder.removeAll(of: 0..<Int32(plan.keys)) { _ = instance.perform(.removeAll) }
        }
        let kind = plan.kinds[random.next(below: plan.kinds.count)]
        let number = Int32(random.next(below: plan.keys))
        var argument = HistoryOperation.absent
        if kind.hasArgument {
            written += 1
            argument = client << 16 | written
        }
        let expected = kind == .compareAndSet ? seen[number, default: 0] : HistoryOperation.absent
        if kind == .compareAndSet, expected == 0 { return ask(.get, number, 0, 0, instance) }
        ask(kind, number, argument, expected, instance)
    }

    private mutating func ask(
        _ kind: HistoryOperation.Kind, _ number: Int32, _ argument: Int32, _ expected: Int32,
        _ instance: any CacheInstance
    ) {
        let key = Self.key(number)
        let operation = Self.operation(kind, key, payload(argument), payload(expected))
        var failure: StoreError?
        let bytes = plan.valueBytes
        let result = recorder.record(kind, key: number, argument: argument, expected: expected) {
            let answer = instance.perform(operation)
            failure = answer.error
            return Self.number(answer, key, bytes)
        }
        fault = fault ?? failure
        if result > 0 { hits += 1 }
        if kind.answer == .value { seen[number] = result }
    }

    private func payload(_ number: Int32) -> Payload {
        .described(sequence: Int(number), byteCount: plan.valueBytes)
    }

    static func operation(
        _ kind: HistoryOperation.Kind, _ key: [UInt8], _ value: Payload, _ expected: Payload
    ) -> CacheOperation {
        switch kind {
        case .get: .get(key)
        case .contains: .contains(key)
        case .put, .append: .put(key, value)
        case .putIfAbsent: .putIfAbsent(key, value)
        case .replace: .replace(key, value)
        case .compareAndSet: .compareAndSet(key, expected: expected, value)
        case .remove: .remove(key)
        case .getAndPut: .exchange(key, value)
        case .getAndRemove: .take(key)
        }
    }

    /// An answer as histories have it; a value that is torn or another's becomes one that nobody wrote.
    static func number(_ answer: OperationResult, _ key: [UInt8], _ bytes: Int) -> Int32 {
        switch answer {
        case .entry(nil): return HistoryOperation.absent
        case .entry(let entry?):
            guard let description = SelfDescription(entry.value), description.keyHash == Payload.hash(key),
                description.bytes == entry.value, description.sequence < Int(foreign)
            else { return foreign }
            return Int32(description.sequence)
        case .flag(let flag): return flag ? HistoryOperation.yes : HistoryOperation.no
        default: return HistoryOperation.unknown
        }
    }
}
