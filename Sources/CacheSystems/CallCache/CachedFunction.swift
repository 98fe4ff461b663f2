internal import CacheCore
internal import CacheEngine

/// A function that is called through a ``CallCache``: by one of six policies it is answered from the cache, by its origin, or by both.
///
/// Each has a record for each value of its parameters, known by their ``CanonicalKey``: equal parameters have one record in every
/// process, whatever the order of their dictionaries. Make it with ``CallCache/function(_:version:origin:)``.
public struct CachedFunction<Parameters: Encodable & Sendable, Output: Codable & Sendable>: Sendable {
    /// Its name, under which its answers are found again.
    public let name: String
    let prefix: [UInt8]
    let records: CallRecords
    let origin: @Sendable (Parameters) async throws -> Output

    init(
        _ name: String, version: Int, _ records: CallRecords,
        _ origin: @escaping @Sendable (Parameters) async throws -> Output
    ) {
        self.name = name
        prefix = CanonicalKey.prefix(name, version: version)
        self.records = records
        self.origin = origin
    }

    /// The answers as they come: at most one from the cache, and then at most one from the origin, or its error.
    ///
    /// The call begins at once. Whoever stops listening, or is cancelled, hears nothing more, and the request is cancelled unless others
    /// wait for it. Answers never come before this returns.
    ///
    /// - Throws: the stream does: the origin's error; ``CallError``; `CacheError` for a closed cache or an origin that
    ///   calls itself with the same parameters; what the parameters' `encode(to:)` throws.
    public func answers(
        to parameters: Parameters, _ policy: FetchPolicy, rules: CallRules = CallRules()
    ) -> AsyncThrowingStream<CallAnswer<Output>, any Error> {
        AsyncThrowingStream { stream in
            let task = Task {
                do {
                    try await call(parameters, policy, rules) { _ = stream.yield($0) }
                    stream.finish()
                } catch { stream.finish(throwing: error) }
            }
            stream.onTermination = { _ in task.cancel() }
        }
    }

    /// The last of the answers.
    ///
    /// - Throws: what ``answers(to:_:rules:)`` ends with.
    public func answer(
        to parameters: Parameters, _ policy: FetchPolicy, rules: CallRules = CallRules()
    ) async throws -> CallAnswer<Output> {
        var last: CallAnswer<Output>?
        try await call(parameters, policy, rules) { last = $0 }
        return last!
    }

    /// The value of the last of the answers: as ``answer(to:_:rules:)``.
    public func callAsFunction(
        _ parameters: Parameters, _ policy: FetchPolicy, rules: CallRules = CallRules()
    ) async throws -> Output {
        try await answer(to: parameters, policy, rules: rules).value
    }

    /// The last of the answers, on this thread, which waits for the store, for `origin`, which is asked in the place of the function's
    /// own, and for a request of another that it shares.
    ///
    /// - Throws: what ``answers(to:_:rules:)`` ends with.
    public func blockingAnswer(
        to parameters: Parameters, _ policy: FetchPolicy, rules: CallRules = CallRules(), origin: () throws -> Output
    ) throws -> CallAnswer<Output> {
        var last: CallAnswer<Output>?
        try blockingCall(parameters, policy, rules, { last = $0 }, origin)
        return last!
    }

    /// Stores an answer that was had otherwise; a request that is under way is not stored after it.
    ///
    /// - Throws: the store's `StoreError`, `valueRefused` for one that cannot be encoded: then there is none any more; what the
    ///   parameters' `encode(to:)` throws.
    public func store(_ output: Output, for parameters: Parameters) throws {
        let key = try key(parameters)
        do throws(StoreError) {
            try records.store(CallRecord(output, atNanoseconds: records.nowNanoseconds), key)
        } catch {
            records.monitor.note(.storeFailed, name)
            throw error
        }
        records.monitor.note(.stored, name)
    }

    /// Whether there is an answer that is young enough; nothing is counted, and its age and its place in the order of eviction from
    /// memory stay as they are. O(1) and at most one read.
    ///
    /// - Throws: the store's `StoreError`, what the parameters' `encode(to:)` throws.
    public func isCached(_ parameters: Parameters, maxAge: AgeLimit = .ofCache) throws -> Bool {
        let limit = records.limit(maxAge)
        guard let record = try records.tiers.peek(try key(parameters)) else { return false }
        return record.isYounger(than: limit, at: records.nowNanoseconds)
    }

    /// Removes the answer for these parameters; returns whether there was one. A request that is under way is not stored.
    ///
    /// - Throws: the store's `StoreError`, what the parameters' `encode(to:)` throws.
    @discardableResult
    public func remove(_ parameters: Parameters) throws -> Bool {
        let wasThere = try records.remove(try key(parameters))
        records.monitor.note(.removed, name)
        return wasThere
    }

    func key(_ parameters: Parameters) throws -> [UInt8] { prefix + (try CanonicalKey(of: parameters).digest) }
}
