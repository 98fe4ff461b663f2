internal import CacheCore

extension Cache {
    /// The values of keys, of which those that have none are loaded together.
    ///
    /// The loader is asked once, for the keys alone that have no value and that nobody loads already; loads of others are
    /// joined. Keys that it returns nothing for are missing from the result. Apart from that each key is as with
    /// ``value(for:expiring:tags:loader:)``, but that a load of several keys is not cancelled when its callers are.
    ///
    /// - Throws: what the loader or a load that was joined throws; `CancellationError`; ``CacheError/closed``;
    ///   ``CacheError/recursiveLoad``.
    public func values(
        for keys: some Sequence<Key>, expiring expiry: EntryExpiry? = nil, tags: [String] = [],
        loader: @escaping @Sendable ([Key]) async throws -> [Key: Value]
    ) async throws -> [Key: Value] {
        var found: [Key: Value] = [:]
        var led: [(Key, Flight<Value>)] = []
        var awaited: [(key: Key, flight: Flight<Value>, ticket: Int, stale: Value?)] = []
        var refusal: CacheError?
        var asked = Set<Key>()
        for key in keys where asked.insert(key).inserted {
            let finding = update(key) { core, hash in
                core.findOrLoad(key, hash, acceptsNothing: true, tags: tags, isCancellable: false)
            }
            switch finding {
            case .value(let value): found[key] = value
            case .nothing: break
            case .closed, .underLoad: refusal = .closed
            case .refresh(let value, let flight):
                found[key] = value
                led.append((key, flight))
            case .lead(let flight, let ticket, let stale):
                led.append((key, flight))
                awaited.append((key, flight, ticket, stale))
            case .join(let flight, let ticket, let stale):
                if LoadContext.isInside(flight) { refusal = .recursiveLoad }
                awaited.append((key, flight, ticket, stale))
            }
        }
        startTogether(led, LoadOrder(expiry, tags), loader)
        if let refusal {
            for wait in awaited { wait.flight.cancel(wait.ticket) }
            throw refusal
        }
        for (number, wait) in awaited.enumerated() {
            do { found[wait.key] = try await outcome(of: wait.flight, wait.ticket, wait.key, wait.stale) } catch {
                // A ticket that nobody waits for would keep others' loads from being cancelled.
                for rest in awaited[(number + 1)...] { rest.flight.cancel(rest.ticket) }
                throw error
            }
        }
        return found
    }

    /// Loads several keys in one task.
    private func startTogether(
        _ led: [(Key, Flight<Value>)], _ order: LoadOrder,
        _ loader: @escaping @Sendable ([Key]) async throws -> [Key: Value]
    ) {
        guard !led.isEmpty else { return }
        Task(executorPreference: settings.executor) { [self] in
            await LoadContext.$loads.withValue(LoadContext.loads + led.map(\.1.number)) {
                let begin = settings.clock.monotonicNanoseconds()
                let outcome: Result<[Key: Value], any Error>
                do { outcome = .success(try await loader(led.map(\.0))) } catch { outcome = .failure(error) }
                for (key, flight) in led { finish(flight, key, order, outcome.map { $0[key] }, since: begin) }
            }
        }
    }
}
