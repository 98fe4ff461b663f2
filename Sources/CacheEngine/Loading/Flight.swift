internal import Synchronization

/// One load of one key, and those who wait for it.
///
/// A waiter reserves a ticket under the cache's lock and then waits for it. One whose task is cancelled leaves the others
/// alone; when the last one has left, the load is cancelled and the flight abandoned: nobody joins it any more.
@usableFromInline
final class Flight<Value: Sendable>: Sendable {
    @usableFromInline typealias Outcome = Result<Value?, any Error>

    private enum Ticket {
        case reserved
        case cancelled
        case waiting(@Sendable (Outcome) -> Void)
    }

    private struct State {
        var outcome: Outcome?
        var tickets: [Int: Ticket] = [:]
        /// The tickets that are not cancelled.
        var present = 0
        var last = 0
        var isAbandoned = false
        var task: Task<Void, Never>?
    }

    /// A number that no other load has had.
    let number = LoadContext.nextNumber()
    /// The tags that the value will bear.
    let tags: [String]
    /// Whether it only reads another tier, and never waits for a loader.
    let isRead: Bool
    /// Whether it goes on without anybody who waits.
    private let isBackground: Bool
    private let state: Mutex<State>

    init(tags: [String], isBackground: Bool, isRead: Bool = false) {
        self.tags = tags
        self.isRead = isRead
        self.isBackground = isBackground
        state = Mutex(State())
    }

    /// Whether all who waited have left.
    var isAbandoned: Bool { state.withLock { $0.isAbandoned } }

    /// A place among those who wait; nil if the flight is abandoned.
    func reserve() -> Int? {
        state.withLock {
            guard !$0.isAbandoned else { return nil }
            $0.last += 1
            $0.present += 1
            $0.tickets[$0.last] = .reserved
            return $0.last
        }
    }

    /// Calls `body` once with the outcome, or with a `CancellationError` if the ticket was cancelled; at once if that is
    /// known.
    func wait(_ ticket: Int, _ body: @escaping @Sendable (Outcome) -> Void) {
        let known: Outcome? = state.withLock {
            if let outcome = $0.outcome { return outcome }
            if case .cancelled? = $0.tickets[ticket] { return .failure(CancellationError()) }
            $0.tickets[ticket] = .waiting(body)
            return nil
        }
        if let known { body(known) }
    }

    /// Ends a ticket's waiting, and the load if it was the last.
    func cancel(_ ticket: Int) {
        let waiter = state.withLock { state -> (@Sendable (Outcome) -> Void)? in
            guard state.outcome == nil, let old = state.tickets[ticket] else { return nil }
            if case .cancelled = old { return nil }
            state.tickets[ticket] = .cancelled
            state.present -= 1
            if state.present == 0, !isBackground {
                state.isAbandoned = true
                state.task?.cancel()
            }
            if case .waiting(let body) = old { return body }
            return nil
        }
        waiter?(.failure(CancellationError()))
    }

    /// Says which task loads, so that it can be cancelled.
    func runs(in task: Task<Void, Never>) {
        state.withLock {
            $0.task = task
            if $0.isAbandoned { task.cancel() }
        }
    }

    /// Tells everybody who waits.
    func finish(_ outcome: Outcome) {
        let waiters = state.withLock { state in
            state.outcome = outcome
            state.task = nil
            defer { state.tickets = [:] }
            return state.tickets.values.compactMap { if case .waiting(let body) = $0 { body } else { nil } }
        }
        for waiter in waiters { waiter(outcome) }
    }

    /// Waits without blocking a thread.
    func value(_ ticket: Int) async throws -> Value? {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                wait(ticket) { continuation.resume(with: $0) }
            }
        } onCancel: {
            cancel(ticket)
        }
    }
}

/// The loads inside of which this task runs: one that waits for itself would wait for ever.
enum LoadContext {
    /// Their numbers, the innermost last: a task that outlives a load in which it began keeps nothing of it.
    @TaskLocal static var loads: [UInt64] = []

    private static let lastNumber = Atomic<UInt64>(0)

    static func nextNumber() -> UInt64 { lastNumber.wrappingAdd(1, ordering: .relaxed).newValue }

    /// The innermost load.
    static var current: UInt64? { loads.last }

    /// Whether this task runs inside of a load.
    static func isInside<Value>(_ flight: Flight<Value>) -> Bool { loads.contains(flight.number) }
}
