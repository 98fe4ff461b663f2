public import CacheEngine

/// An asynchronous function whose results are remembered: called like the original, and called again only for new arguments.
///
/// As ``MemoizedFunction``, without blocking a thread. The original runs in a task of its own, which is cancelled when every
/// caller that waits for it has been; one that is cancelled while others wait leaves them alone and, since a function that
/// throws nothing must return something, calls the original itself, which sees the cancellation.
public struct MemoizedAsyncFunction<each Argument: Sendable, Output: Sendable, Failure: Error>: Sendable {
    /// The function itself.
    public typealias Body = @Sendable (repeat each Argument) async throws(Failure) -> Output

    private let body: Body
    private let calls: MethodCalls<Arguments<repeat each Argument>, Output>

    init(_ body: @escaping Body, _ calls: MethodCalls<Arguments<repeat each Argument>, Output>) {
        self.body = body
        self.calls = calls
    }

    /// The result for these arguments: remembered, or computed now. O(1) besides the function.
    public func callAsFunction(_ argument: repeat each Argument) async throws(Failure) -> Output {
        let input = Arguments(repeat each argument)
        let body = body
        return try await calls.callLater(input) { () async throws(Failure) in try await body(repeat each input.values) }
    }

    /// The result that is remembered for these arguments, nil if there is none; the function is not called. It
    /// counts as a use for the policy and as a hit or a miss of the cache. O(1).
    public func cached(_ argument: repeat each Argument) -> Output? {
        calls.cached(Arguments(repeat each argument))
    }

    /// Whether a result is remembered for these arguments; nothing is counted or moved. O(1).
    public func isCached(_ argument: repeat each Argument) -> Bool { calls.holds(Arguments(repeat each argument)) }

    /// Remembers a result without calling the function; returns whether it was taken. It replaces the one that is there, which
    /// is forgotten also where the new one is refused.
    @discardableResult
    public func remember(
        _ result: Output, for argument: repeat each Argument, expiring expiry: EntryExpiry? = nil
    ) -> Bool {
        calls.store(result, Arguments(repeat each argument), expiry)
    }

    /// Forgets the result for these arguments; returns whether there was one. A call that is under way is not remembered.
    @discardableResult
    public func forget(_ argument: repeat each Argument) -> Bool { calls.forget(Arguments(repeat each argument)) }

    /// Forgets every result of this function, and of no other in the same cache.
    public func forgetAll() { calls.forgetAll() }

    /// How often it was called, and what became of the calls.
    public var statistics: MethodStatistics { calls.counter.statistics }
}
