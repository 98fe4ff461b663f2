import CacheCore
import Synchronization

/// An instance of a subject with stated deviations, asked by what is not a program: each operation is asked as the cache can
/// be asked for it, and answers are those of the suite's clock.
final class AdaptedInstance: CacheInstance {
    private struct State {
        var instance: any CacheInstance
        var adapter: ProgramAdapter
        /// Opens the instance again with one time to live for all, until anything is stored.
        var reopen: ((Int64) -> (any CacheInstance)?)?
        /// How many writes were answered.
        var written = 0
        /// How many of these have taken effect for sure.
        var settled = 0
    }

    private let claims: Claims
    private let state: Mutex<State>

    /// Opens an instance by `open`, which is called again for the first time to live where there is one for all.
    init(
        _ claims: Claims, _ setup: CacheSetup,
        _ open: @escaping @Sendable (CacheSetup) throws(StoreError) -> any CacheInstance
    ) throws(StoreError) {
        self.claims = claims
        let adapter = ProgramAdapter(claims)
        let adapted = adapter.setup(setup)
        let reopen: ((Int64) -> (any CacheInstance)?) = { life in
            var setup = adapted
            setup.timeToLiveNanoseconds = life
            return try? open(setup)
        }
        state = Mutex(
            State(
                instance: try open(adapted), adapter: adapter,
                reopen: claims.deviates(.oneTimeToLive) ? reopen : nil))
    }

    func perform(_ operation: CacheOperation) -> OperationResult {
        let (instance, asked) = state.withLock { state in prepare(operation, &state) }
        guard let asked else { return .failure(.unsupported(operation)) }
        settle(before: asked, instance)
        let answer = instance.perform(asked)
        if claims.isAwaited(after: asked) { state.withLock { $0.written += 1 } }
        switch (asked, answer) {
        case (.remove, .flag) where claims.deviates(.removeTellsNothing): return .done
        case (.remainingTime, .time(let time?)):
            let (step, isLive) = (claims.clockStep, claims.deviates(.liveAtDeadline))
            return .time(isLive ? (time + step) / (2 * step) : time / step)
        default: return answer
        }
    }

    /// Waits for every write that was answered before.
    private func settle(before operation: CacheOperation, _ instance: any CacheInstance) {
        guard claims.isAwaited(before: operation) else { return }
        let (written, settled) = state.withLock { ($0.written, $0.settled) }
        guard settled < written else { return }
        _ = instance.perform(.flush)
        state.withLock { $0.settled = max($0.settled, written) }
    }

    private func prepare(_ operation: CacheOperation, _ state: inout State) -> (any CacheInstance, CacheOperation?) {
        guard let asked = state.adapter.operation(operation) else { return (state.instance, nil) }
        guard claims.deviates(.oneTimeToLive) else { return (state.instance, asked) }
        if let life = OperationLine(asked).lives.first(where: { $0 > 0 }), let reopen = state.reopen {
            _ = state.instance.perform(.close)
            if let fresh = reopen(life) { state.instance = fresh }
        }
        if asked.entry != nil || asked.key != nil { state.reopen = nil }
        return (state.instance, OperationLine(asked).withoutLife.read() ?? asked)
    }
}
