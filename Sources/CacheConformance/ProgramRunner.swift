import CacheCore

/// Runs a program on a fresh instance and holds every answer against the model.
struct ProgramRunner: Sendable {
    let subject: any CacheSubject
    let claims: Claims
    /// Where it is noted which deviations were seen; nil for nowhere.
    var draws: SeedDraws?

    /// What came of a run.
    struct Run {
        /// How many answers showed something stored.
        var hits = 0
        /// The first answer that was not permitted.
        var divergence: Divergence?
    }

    /// An answer that the model does not permit.
    struct Divergence {
        /// The operation's place in the program; the program's length for what was seen after its end.
        var index: Int
        var observed: String
        var permitted: String
        /// The error that was seen, if it was one.
        var error: StoreError?
    }

    /// Runs until the end or the first wrong answer, telling each answer.
    func run(_ program: Program, telling tell: (CacheOperation, OperationResult) -> Void = { _, _ in }) -> Run {
        var run = Run()
        do {
            let sandbox = try Sandbox(needsDirectory: subject.needsDirectory)
            defer { sandbox.end() }
            var instance: (any CacheInstance)? = FacedInstance.of(
                try subject.open(program.setup, in: sandbox.directory), program.setup)
            var model = CacheModel(claims: claims, setup: program.setup, orderPolicy: subject.orderPolicy)
            var setup = program.setup
            var isUnsettled = false
            // What a model does not permit that differs by one deviation shows that deviation.
            var doubters = (draws?.unseen(claims) ?? []).map { deviation in
                var claims = claims
                claims.deviations.remove(deviation)
                return (deviation, CacheModel(claims: claims, setup: program.setup, orderPolicy: subject.orderPolicy))
            }
            for (index, operation) in program.operations.enumerated() {
                if operation == .upgrade { setup.format = nil }
                setup.nowNanoseconds = model.now
                if isUnsettled, claims.isAwaited(before: operation) {
                    let answer = apply(.flush, setup, to: &instance, in: sandbox)
                    _ = model.judge(.flush, answer)
                    for index in doubters.indices { _ = doubters[index].1.judge(.flush, answer) }
                    isUnsettled = false
                }
                isUnsettled = isUnsettled || claims.isAwaited(after: operation)
                let result = apply(operation, setup, to: &instance, in: sandbox)
                tell(operation, result)
                if result.isHit { run.hits += 1 }
                guard let permitted = model.judge(operation, result) else {
                    for index in doubters.indices.reversed()
                    where doubters[index].1.judge(operation, result) != nil {
                        draws?.note(seen: doubters.remove(at: index).0)
                    }
                    continue
                }
                run.divergence = Divergence(
                    index: index, observed: ValueText.describe(result, of: operation), permitted: permitted,
                    error: result.error)
                break
            }
            _ = instance?.perform(.close)
            if run.divergence == nil { run.divergence = containment(sandbox, program.operations.count) }
        } catch {
            run.divergence = Divergence(
                index: 0, observed: "opening threw \(error)", permitted: "an open store", error: error)
        }
        return run
    }

    private func containment(_ sandbox: Sandbox, _ end: Int) -> Divergence? {
        let strays = sandbox.strays()
        guard !strays.isEmpty else { return nil }
        return Divergence(
            index: end, observed: "outside the store's directory: \(strays.joined(separator: " "))",
            permitted: "nothing written outside the store's directory")
    }

    private func apply(
        _ operation: CacheOperation, _ setup: CacheSetup, to instance: inout (any CacheInstance)?, in sandbox: Sandbox
    ) -> OperationResult {
        switch operation {
        case .reopen, .relocate, .upgrade, .abandon:
            if operation != .abandon, case .failure(let error)? = instance?.perform(.close) { return .failure(error) }
            instance = nil
            if operation == .relocate { sandbox.relocate() }
            do throws(StoreError) {
                instance = FacedInstance.of(try subject.open(setup, in: sandbox.directory), setup)
                return .done
            } catch { return .failure(error) }
        default: return instance?.perform(operation) ?? .failure(.closed)
        }
    }
}
