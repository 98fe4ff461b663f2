// Four ways in: blocking and asynchronous functions, with all their arguments or some of them for a key.
extension MethodCache {
    /// A function that remembers the results of another by all its arguments.
    public func memoize<each Argument: Hashable & Sendable, Output: Sendable, Failure: Error>(
        _ rules: MethodRules<Output> = MethodRules(),
        _ body: @escaping @Sendable (repeat each Argument) throws(Failure) -> Output
    ) -> MemoizedFunction<repeat each Argument, Output, Failure> {
        MemoizedFunction(body, calls(rules) { (input: Arguments<repeat each Argument>) in input })
    }

    /// A function that remembers the results of another by what `key` makes of its arguments.
    ///
    /// Arguments that the key leaves out do not matter: a call with others of them gets the same result. A key may leave out
    /// all.
    public func memoize<each Argument: Sendable, Chosen: Hashable & Sendable, Output: Sendable, Failure: Error>(
        _ rules: MethodRules<Output> = MethodRules(),
        key: @escaping @Sendable (repeat each Argument) -> Chosen,
        _ body: @escaping @Sendable (repeat each Argument) throws(Failure) -> Output
    ) -> MemoizedFunction<repeat each Argument, Output, Failure> {
        MemoizedFunction(
            body, calls(rules) { (input: Arguments<repeat each Argument>) in key(repeat each input.values) })
    }

    /// An asynchronous function that remembers the results of another by all its arguments.
    public func memoize<each Argument: Hashable & Sendable, Output: Sendable, Failure: Error>(
        _ rules: MethodRules<Output> = MethodRules(),
        _ body: @escaping @Sendable (repeat each Argument) async throws(Failure) -> Output
    ) -> MemoizedAsyncFunction<repeat each Argument, Output, Failure> {
        MemoizedAsyncFunction(body, calls(rules) { (input: Arguments<repeat each Argument>) in input })
    }

    /// An asynchronous function that remembers the results of another by what `key` makes of its arguments.
    public func memoize<each Argument: Sendable, Chosen: Hashable & Sendable, Output: Sendable, Failure: Error>(
        _ rules: MethodRules<Output> = MethodRules(),
        key: @escaping @Sendable (repeat each Argument) -> Chosen,
        _ body: @escaping @Sendable (repeat each Argument) async throws(Failure) -> Output
    ) -> MemoizedAsyncFunction<repeat each Argument, Output, Failure> {
        MemoizedAsyncFunction(
            body, calls(rules) { (input: Arguments<repeat each Argument>) in key(repeat each input.values) })
    }
}
