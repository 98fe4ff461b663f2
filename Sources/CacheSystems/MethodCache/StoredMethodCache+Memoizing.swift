// The same four ways in as those of a cache in memory, with a name that outlives the process.
extension StoredMethodCache {
    /// A function that remembers the results of another by all its arguments.
    public func memoize<each Argument: Encodable & Sendable, Output: Codable & Sendable, Failure: Error>(
        _ name: String, version: Int = 1, rules: MethodRules<Output> = MethodRules(),
        _ body: @escaping @Sendable (repeat each Argument) throws(Failure) -> Output
    ) -> MemoizedFunction<repeat each Argument, Output, Failure> {
        MemoizedFunction(
            body, calls(name, version: version, rules) { (input: Arguments<repeat each Argument>) in input })
    }

    /// A function that remembers the results of another by what `key` makes of its arguments.
    ///
    /// Arguments that the key leaves out do not matter: a call with others of them gets the same result. A key may leave out
    /// all.
    public func memoize<
        each Argument: Sendable, Chosen: Encodable & Sendable, Output: Codable & Sendable, Failure: Error
    >(
        _ name: String, version: Int = 1, rules: MethodRules<Output> = MethodRules(),
        key: @escaping @Sendable (repeat each Argument) -> Chosen,
        _ body: @escaping @Sendable (repeat each Argument) throws(Failure) -> Output
    ) -> MemoizedFunction<repeat each Argument, Output, Failure> {
        MemoizedFunction(
            body,
            calls(name, version: version, rules) { (input: Arguments<repeat each Argument>) in
                key(repeat each input.values)
            })
    }

    /// An asynchronous function that remembers the results of another by all its arguments.
    public func memoize<each Argument: Encodable & Sendable, Output: Codable & Sendable, Failure: Error>(
        _ name: String, version: Int = 1, rules: MethodRules<Output> = MethodRules(),
        _ body: @escaping @Sendable (repeat each Argument) async throws(Failure) -> Output
    ) -> MemoizedAsyncFunction<repeat each Argument, Output, Failure> {
        MemoizedAsyncFunction(
            body, calls(name, version: version, rules) { (input: Arguments<repeat each Argument>) in input })
    }

    /// An asynchronous function that remembers the results of another by what `key` makes of its arguments.
    public func memoize<
        each Argument: Sendable, Chosen: Encodable & Sendable, Output: Codable & Sendable, Failure: Error
    >(
        _ name: String, version: Int = 1, rules: MethodRules<Output> = MethodRules(),
        key: @escaping @Sendable (repeat each Argument) -> Chosen,
        _ body: @escaping @Sendable (repeat each Argument) async throws(Failure) -> Output
    ) -> MemoizedAsyncFunction<repeat each Argument, Output, Failure> {
        MemoizedAsyncFunction(
            body,
            calls(name, version: version, rules) { (input: Arguments<repeat each Argument>) in
                key(repeat each input.values)
            })
    }
}
