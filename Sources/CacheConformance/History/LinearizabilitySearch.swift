/// Looks for an order of one key's operations that explains every answer, each within its time.
///
/// Wing and Gong, "Testing and Verifying Concurrent Objects" (1993), with Lowe's memory of configurations ("Testing for
/// Linearizability", 2017): operations are placed one after the other, the first that can be; where an operation returns
/// before it was placed, the last placement is taken back; a configuration that was seen before is not entered again.
/// Linear where few operations overlap; exponential in the number that overlap at worst.
struct LinearizabilitySearch {
    /// What a search found.
    enum Outcome: Equatable {
        /// An order was found.
        case linearizable
        /// There is none: no order gets past the return of this operation, by its index.
        case impossible(blocked: Int)
        /// The budget ended first.
        case exhausted
    }

    private let operations: [HistoryOperation]
    private let model: RegisterModel
    /// Calls and returns in order of time, calls first: an operation's index, or its complement for a return.
    private let events: [Int32]
    /// Doubly linked list over `events`, shifted by one; 0 is its head.
    private var following: [Int32]
    private var preceding: [Int32]
    /// The places of each operation's call and return in the list; 0 for no return.
    private var calls: [Int32]
    private var returns: [Int32]

    /// A search among operations of one key.
    init(_ operations: [HistoryOperation], _ model: RegisterModel) {
        self.operations = operations
        self.model = model
        let events = Self.ordered(operations)
        self.events = events
        let last = Int32(events.count)
        following = (0...last).map { $0 == last ? 0 : $0 + 1 }
        preceding = (0...last).map { $0 - 1 }
        calls = [Int32](repeating: 0, count: operations.count)
        returns = calls
        for (index, event) in events.enumerated() {
            if event >= 0 { calls[Int(event)] = Int32(index + 1) } else { returns[Int(~event)] = Int32(index + 1) }
        }
    }

    private static func ordered(_ operations: [HistoryOperation]) -> [Int32] {
        var moments: [(time: Int64, event: Int32)] = []
        moments.reserveCapacity(operations.count * 2)
        for (index, operation) in operations.enumerated() {
            moments.append((operation.callTime, Int32(index)))
            if !operation.isPending { moments.append((operation.returnTime, ~Int32(index))) }
        }
        // Calls are numbers from 0 on and go before returns at the same moment: intervals are closed.
        moments.sort { ($0.time, $0.event < 0 ? 1 : 0, $0.event) < ($1.time, $1.event < 0 ? 1 : 0, $1.event) }
        return moments.map(\.event)
    }

    /// Searches from a state.
    mutating func run(from initial: Int32, _ texts: inout AppendedTexts, _ budget: inout SearchBudget) -> Outcome {
        var cache = ConfigurationCache()
        var placed = ConfigurationCache.Fingerprint()
        var stack: [(operation: Int32, before: Int32)] = []
        var state = initial
        var left = operations.count { !$0.isPending }
        var farthest: Int32 = 0
        var place = following[0]
        defer { for step in stack.reversed() { restore(Int(step.operation)) } }
        while left > 0 {
            let event = events[Int(place) - 1]
            if event >= 0 {
                let next = model.state(after: operations[Int(event)], from: state, &texts)
                if next != RegisterModel.impossible {
                    placed.toggle(Int(event))
                    if cache.insert(placed, next) {
                        guard budget.take(), !texts.isFull else { return .exhausted }
                        stack.append((event, state))
                        state = next
                        lift(Int(event))
                        if !operations[Int(event)].isPending { left -= 1 }
                        place = following[0]
                        continue
                    }
                    placed.toggle(Int(event))
                }
                place = following[Int(place)]
            } else {
                farthest = max(farthest, place)
                guard let step = stack.popLast() else { return .impossible(blocked: Int(~events[Int(farthest) - 1])) }
                let index = Int(step.operation)
                restore(index)
                placed.toggle(index)
                state = step.before
                if !operations[index].isPending { left += 1 }
                place = following[Int(calls[index])]
            }
        }
        return .linearizable
    }

    /// Takes an operation's call and return out of the list.
    private mutating func lift(_ operation: Int) {
        unlink(calls[operation])
        if returns[operation] != 0 { unlink(returns[operation]) }
    }

    /// Puts them back; the last one lifted first.
    private mutating func restore(_ operation: Int) {
        if returns[operation] != 0 { link(returns[operation]) }
        link(calls[operation])
    }

    private mutating func unlink(_ place: Int32) {
        let (before, after) = (preceding[Int(place)], following[Int(place)])
        following[Int(before)] = after
        if after != 0 { preceding[Int(after)] = before }
    }

    private mutating func link(_ place: Int32) {
        let (before, after) = (preceding[Int(place)], following[Int(place)])
        following[Int(before)] = place
        if after != 0 { preceding[Int(after)] = place }
    }
}
