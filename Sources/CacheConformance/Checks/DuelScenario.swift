import CacheCore
import Synchronization

/// Two clients that meet before each operation, so that both are in the cache at the same moment however short that is.
///
/// Clients that go on by themselves drift apart; where each takes a lock twice, what comes between is a matter of
/// nanoseconds and seldom seen.
struct DuelScenario {
    private let context: CheckContext
    private static let key = Array("duel".utf8)
    private static let (old, one, other) = (value(1), value(2), value(3))

    init(_ context: CheckContext) { self.context = context }

    /// What both do, and what was there before.
    private struct Duel: Sendable {
        var before: Operation
        var both: [Operation]
    }

    private var duels: [Duel] {
        let (key, absent) = (Self.key, Operation.remove(Self.key))
        let present = Operation.put(key, Self.old)
        let (put, remove) = (Operation.put(key, Self.one), Operation.remove(key))
        let replace = Operation.replace(key, Self.other)
        let (take, exchange) = (Operation.take(key), Operation.exchange(key, Self.other))
        func sure(_ value: Payload) -> Operation { .putIfAbsent(key, value) }
        func set(_ value: Payload) -> Operation { .compareAndSet(key, expected: Self.old, value) }
        let count = Operation.update(key, .countUp)
        let add = Operation.increment(key, by: 1)
        let pairs: [(Operation, [Operation])] = [
            (absent, [put, .put(key, Self.other)]), (present, [put, remove]), (present, [remove, remove]),
            (absent, [sure(Self.one), sure(Self.other)]), (present, [sure(Self.other), remove]),
            (present, [replace, remove]), (present, [replace, put]), (present, [set(Self.one), set(Self.other)]),
            (present, [set(Self.other), put]), (present, [set(Self.other), remove]),
            (present, [.exchange(key, Self.one), exchange]), (present, [exchange, remove]), (present, [take, take]),
            (present, [take, put]), (absent, [count, count]), (absent, [count, remove]),
            (present, [.update(key, .remove), put]), (absent, [add, add]), (absent, [add, remove]),
        ]
        return pairs.filter { context.claimed($0.1).count == 2 }.map { Duel(before: $0.0, both: $0.1) }
    }

    /// LIN-18.
    func verify() throws(CheckStop) {
        guard context.semantics(CacheSetup()) == .exact else {
            throw .blocked("what need not stay can be missing for no reason that is seen")
        }
        let rounds = context.runs(8) == 1 ? 200 : 1_500
        for duel in duels {
            let steps =
                ["up to \(rounds) times: \(duel.before)"]
                + duel.both.enumerated().map { "client \($0): \($1)" } + ["get \(KeyText.describe(Self.key))"]
            let complaint = try context.withInstance(steps: steps) { (instance) throws(CheckStop) in
                fight(duel, rounds, instance)
            }
            try context.require(
                complaint == nil, observed: complaint ?? "", permitted: "what one after the other explains",
                steps: steps)
        }
    }

    /// The first answers that neither order explains.
    private func fight(_ duel: Duel, _ rounds: Int, _ instance: any CacheInstance) -> String? {
        let meeting = Meeting(of: 2)
        let answers = Mutex<[OperationResult?]>([nil, nil])
        let isOver = Atomic(false)
        let end = ContinuousClock.now + .milliseconds(100)
        return CheckContext.together(2) { thread -> String? in
            var wrong: String?
            for round in 0..<rounds {
                if thread == 0 { _ = instance.perform(duel.before) }
                meeting.meet()
                // One is a little later than the other, each time by another time.
                if thread == round % 2 { meeting.linger(round / 2 % 16) }
                let answer = instance.perform(duel.both[thread])
                answers.withLock { $0[thread] = answer }
                meeting.meet()
                if thread == 0 {
                    let told = answers.withLock { $0 }.map { $0! }
                    let found = instance.perform(.get(Self.key))
                    wrong = Self.complaint(duel, told, found)
                    if wrong != nil || .now > end { isOver.store(true, ordering: .releasing) }
                }
                meeting.meet()
                if isOver.load(ordering: .acquiring) { break }
            }
            return wrong
        }[0]
    }

    private static func complaint(_ duel: Duel, _ told: [OperationResult], _ found: OperationResult) -> String? {
        for first in 0..<2 {
            var state = result(of: duel.before, on: nil).value
            let earlier = result(of: duel.both[first], on: state)
            state = earlier.value
            let later = result(of: duel.both[1 - first], on: state)
            let isTold = told[first] == earlier.answer && told[1 - first] == later.answer
            if isTold, found == .entry(later.value.map { StoredEntry($0) }) { return nil }
        }
        let words = zip(duel.both, told).map { "\($0) answered \(ValueText.describe($1, of: $0))" }
        return words.joined(separator: ", ") + "; then get answered \(ValueText.describe(found, of: .get(key)))"
    }

    /// What an operation answers and leaves.
    private static func result(of operation: Operation, on state: [UInt8]?) -> (
        answer: OperationResult, value: [UInt8]?
    ) {
        let new = operation.entry?.value
        switch operation {
        case .put: return (.done, new)
        case .remove: return (.flag(state != nil), nil)
        case .putIfAbsent: return (.flag(state == nil), state ?? new)
        case .replace: return (.flag(state != nil), state == nil ? nil : new)
        case .compareAndSet(_, let expected, _):
            let isSame = state == expected.bytes(for: key)
            return (.flag(isSame), isSame ? new : state)
        case .exchange: return (.entry(state.map { StoredEntry($0) }), new)
        case .take: return (.entry(state.map { StoredEntry($0) }), nil)
        case .update(_, let change):
            let changed = change.result(for: key, old: state)
            return (.entry(changed.map { StoredEntry($0) }), changed)
        case .increment(_, let step):
            let sum = (state.flatMap(DecimalText.number) ?? 0) + step
            return (.number(sum), DecimalText.bytes(sum))
        default: return (.done, state)
        }
    }
}
