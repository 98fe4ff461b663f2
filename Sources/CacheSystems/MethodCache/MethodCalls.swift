internal import CacheEngine

/// How a memoised function reaches its results, whatever keeps them: the seam between functions and caches.
struct MethodCalls<Input: Sendable, Output: Sendable>: Sendable {
    /// The result for an input, computed by the body if there is none.
    let recall: @Sendable (Input, () throws -> Output) throws -> Output
    /// The same for an asynchronous body.
    let recallLater: @Sendable (Input, @escaping @Sendable () async throws -> Output) async throws -> Output
    let cached: @Sendable (Input) -> Output?
    let holds: @Sendable (Input) -> Bool
    let store: @Sendable (Output, Input, EntryExpiry?) -> Bool
    let forget: @Sendable (Input) -> Bool
    let forgetAll: @Sendable () -> Void
    let isOn: @Sendable () -> Bool
    let counter: MethodCounter

    /// Calls a body through the cache, or without it where it cannot serve.
    func call<Failure: Error>(_ input: Input, _ body: () throws(Failure) -> Output) throws(Failure) -> Output {
        guard isOn() else { return try bypass(body) }
        var isComputed = false
        let result: Output
        do {
            result = try recall(input) {
                isComputed = true
                do throws(Failure) { return try body() } catch { throw MethodFailure(error) }
            }
        } catch let failure as MethodFailure {
            counter.count(isComputed ? .threw : .answered)
            throw failure.error as! Failure
        } catch {
            return try bypass(body)
        }
        counter.count(isComputed ? .computed : .answered)
        return result
    }

    /// The same for an asynchronous body.
    func callLater<Failure: Error>(
        _ input: Input, _ body: @escaping @Sendable () async throws(Failure) -> Output
    ) async throws(Failure) -> Output {
        guard isOn() else { return try await bypassLater(body) }
        let computed = Flag()
        let result: Output
        do {
            result = try await recallLater(input) {
                computed.raise()
                do throws(Failure) { return try await body() } catch { throw MethodFailure(error) }
            }
        } catch let failure as MethodFailure {
            counter.count(computed.isRaised ? .threw : .answered)
            throw failure.error as! Failure
        } catch {
            return try await bypassLater(body)
        }
        counter.count(computed.isRaised ? .computed : .answered)
        return result
    }

    private func bypass<Failure: Error>(_ body: () throws(Failure) -> Output) throws(Failure) -> Output {
        counter.count(.bypassed)
        return try body()
    }

    private func bypassLater<Failure: Error>(
        _ body: @Sendable () async throws(Failure) -> Output
    ) async throws(Failure) -> Output {
        counter.count(.bypassed)
        return try await body()
    }
}

/// An error of the memoised function, told apart from those of its cache.
struct MethodFailure: Error {
    let error: any Error
    init(_ error: any Error) { self.error = error }
}
