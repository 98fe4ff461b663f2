internal import CacheCore

/// Makes up histories that are linearizable by construction, for tests and measurements.
///
/// Each operation takes effect at a moment of its own and is called a little before and returns a little after, so that
/// operations of several clients overlap. Equal seeds give equal histories.
public struct HistorySampler: Sendable {
    /// How many clients run at the same time, from 1.
    public var clients = 8
    /// How many keys they share, from 1.
    public var keys = 1_000
    /// What they may ask, each as often as it is listed.
    public var kinds: [HistoryOperation.Kind] = [.get, .get, .get, .put, .put, .remove]
    /// What the cache may do; it drops a value before one operation in sixteen where it may.
    public var semantics = HistorySemantics.exact
    /// How many operations in a thousand never return; half of them take effect.
    public var pendingPerThousand = 0
    /// How many different values there are; nil gives each write one of its own.
    public var values: Int?

    /// A sampler with eight clients on a thousand keys.
    public init() {}

    /// A history of so many operations. O(n).
    public func history(operations count: Int, seed: UInt64) -> History {
        var random = SeededGenerator(seed: seed)
        var texts = AppendedTexts(NameTable.ofValues)
        var states = [Int32](repeating: 0, count: keys)
        var free = [Int64](repeating: 0, count: clients)
        var operations: [HistoryOperation] = []
        operations.reserveCapacity(count)
        for index in 0..<count {
            let kind = kinds[random.next(below: kinds.count)]
            let key = random.next(below: keys)
            if semantics != .exact, random.next(below: 16) == 0 { states[key] = 0 }
            let value = { (random: inout SeededGenerator) in
                Int32(values.map { 1 + random.next(below: $0) } ?? index + 1)
            }
            var operation = HistoryOperation(kind, client: 0, key: Int32(key), callTime: 0, returnTime: 0)
            if kind.hasArgument { operation.argument = value(&random) }
            if kind == .compareAndSet {
                operation.expected = random.next(below: 2) == 0 ? states[key] : value(&random)
            }
            operation.result = Self.answer(operation, states[key])
            let isPending = random.next(below: 1_000) < pendingPerThousand
            if !isPending || random.next(below: 2) == 0 {
                let after = RegisterModel(.exact).state(after: operation, from: states[key], &texts)
                precondition(after != RegisterModel.impossible, "a made-up answer must be possible")
                states[key] = after
            }
            place(&operation, at: Int64(index + 1) * 16, isPending, &free, &random)
            operations.append(operation)
        }
        return History(operations)
    }

    /// The answer of a register.
    private static func answer(_ operation: HistoryOperation, _ state: Int32) -> Int32 {
        switch operation.kind {
        case .get, .getAndPut, .getAndRemove: state
        case .put, .append: HistoryOperation.unknown
        case .contains, .replace, .remove: state != 0 ? HistoryOperation.yes : HistoryOperation.no
        case .putIfAbsent: state == 0 ? HistoryOperation.yes : HistoryOperation.no
        case .compareAndSet: state == operation.expected ? HistoryOperation.yes : HistoryOperation.no
        }
    }

    /// Gives the operation to the client that has been free for longest, with times around the moment of its effect.
    private func place(
        _ operation: inout HistoryOperation, at moment: Int64, _ isPending: Bool, _ free: inout [Int64],
        _ random: inout SeededGenerator
    ) {
        let client = free.indices.min { free[$0] < free[$1] }!
        let reach = 16 * max(1, clients / 2)
        operation.client = Int32(client)
        operation.callTime = min(moment, max(free[client], moment - Int64(random.next(below: reach))))
        operation.returnTime = moment + Int64(random.next(below: reach))
        free[client] = operation.returnTime + 1
        if isPending {
            operation.returnTime = HistoryOperation.never
            operation.result = HistoryOperation.unknown
        }
    }
}
