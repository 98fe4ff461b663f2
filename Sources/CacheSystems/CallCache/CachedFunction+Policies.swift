internal import CacheCore
internal import CacheEngine

// The table of policies, once for each face.
extension CachedFunction {
    func call(
        _ parameters: Parameters, _ policy: FetchPolicy, _ rules: CallRules, _ give: (CallAnswer<Output>) -> Void
    ) async throws {
        try records.requireOpen()
        if policy == .ignoreCache { return give(CallAnswer(try await asked(parameters), .fresh)) }
        let key = try key(parameters)
        let records = records
        let limit = records.limit(rules.maxAge)
        let (seen, found) = await onBlockingThread {
            (records.stores(key), policy.readsFirst ? read(key, limit) : nil)
        }
        if policy.readsFirst {
            if let found { give(found) }
            if try endsAfterCache(policy, found) { return }
        }
        // Who was cancelled meanwhile hears nothing more, and asks nobody.
        try Task.checkCancellation()
        let request: @Sendable () async throws -> CallRecord = {
            CallRecord(try await origin(parameters), atNanoseconds: records.nowNanoseconds)
        }
        do {
            if policy.sharesOrigin {
                let found = try await records.askShared(
                    key, name, limit: limit, seen: policy == .cacheElseNetwork ? seen : nil, request)
                give(try answer(found))
            } else {
                let record = try await records.ask(key, name, request)
                give(try answer(CallRecords.Finding(record: record, isCached: false)))
            }
        } catch {
            guard fallsBack(policy, rules, error), !Task.isCancelled else { throw error }
            guard let found = await onBlockingThread({ read(key, limit, instead: error) }) else { throw error }
            give(found)
        }
    }

    func blockingCall(
        _ parameters: Parameters, _ policy: FetchPolicy, _ rules: CallRules, _ give: (CallAnswer<Output>) -> Void,
        _ origin: () throws -> Output
    ) throws {
        try records.requireOpen()
        if policy == .ignoreCache { return give(CallAnswer(try asked(origin), .fresh)) }
        let key = try key(parameters)
        let limit = records.limit(rules.maxAge)
        let seen = records.stores(key)
        if policy.readsFirst {
            let found = read(key, limit)
            if let found { give(found) }
            if try endsAfterCache(policy, found) { return }
        }
        let request = { CallRecord(try origin(), atNanoseconds: records.nowNanoseconds) }
        do {
            if policy.sharesOrigin {
                let found = try records.askShared(
                    key, name, limit: limit, seen: policy == .cacheElseNetwork ? seen : nil, request)
                give(try answer(found))
            } else {
                give(try answer(CallRecords.Finding(record: try records.ask(key, name, request), isCached: false)))
            }
        } catch {
            guard fallsBack(policy, rules, error), let found = read(key, limit, instead: error) else { throw error }
            give(found)
        }
    }

    /// What the cache has, as this function's type. A record of another type is of no use to anybody.
    private func read(_ key: [UInt8], _ limit: Duration?, instead error: (any Error)? = nil) -> CallAnswer<Output>? {
        guard let record = records.read(key, limit) else {
            records.monitor.note(.miss, name)
            return nil
        }
        do {
            let found = try answer(CallRecords.Finding(record: record, isCached: true))
            records.monitor.note(.hit, name)
            if error != nil { records.monitor.note(.fellBack, name) }
            return CallAnswer(found.value, found.source, originError: error)
        } catch {
            _ = try? records.remove(key) { (try? $0.result.output(as: Output.self)) == nil }
            records.monitor.note(.miss, name)
            return nil
        }
    }

    private func answer(_ found: CallRecords.Finding) throws -> CallAnswer<Output> {
        let age = found.record.age(at: records.nowNanoseconds) ?? .zero
        return CallAnswer(try found.record.result.output(as: Output.self), found.isCached ? .cached(age: age) : .fresh)
    }

    private func endsAfterCache(_ policy: FetchPolicy, _ found: CallAnswer<Output>?) throws -> Bool {
        if found == nil, policy == .cacheOnly { throw CallError.notCached(function: name) }
        return found != nil && policy != .cacheThenNetwork
    }

    private func fallsBack(_ policy: FetchPolicy, _ rules: CallRules, _ error: any Error) -> Bool {
        policy == .networkElseCache && !(error is CancellationError) && rules.fallsBack(error)
    }

    /// Asks the origin past the cache.
    private func asked(_ parameters: Parameters) async throws -> Output {
        records.monitor.note(.asked, name)
        do { return try await origin(parameters) } catch {
            records.monitor.note(.originFailed, name)
            throw error
        }
    }

    private func asked(_ origin: () throws -> Output) throws -> Output {
        records.monitor.note(.asked, name)
        do { return try origin() } catch {
            records.monitor.note(.originFailed, name)
            throw error
        }
    }
}
