import CacheCore
import Dispatch
import Foundation

extension CheckContext {
    /// As ``verify(_:witness:as:)``, and fails if there is no answer.
    ///
    /// How long to wait is counted in work that this process does meanwhile, so that a machine that is busy or stopped
    /// does not look like a cache that hangs.
    func verifyAnswered(_ program: Program, witness: Witness = .hits(1)) throws(CheckStop) {
        let runner = ProgramRunner(subject: subject, claims: claims)
        try requireReturn(steps: program.description.split(separator: "\n").map(String.init)) {
            for asked in ProgramAdapter.programs(program, runner.claims) { _ = runner.run(asked) }
        }
        try verify(program, witness: witness)
    }

    /// Does something on a thread of its own, and fails if it does not return: the wait is counted as that of
    /// ``verifyAnswered(_:witness:)``.
    func requireReturn(
        within rounds: Int = 400, steps: [String], _ body: @escaping @Sendable () -> Void
    ) throws(CheckStop) {
        let runner = ProgramRunner(subject: subject, claims: claims)
        let isDone = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            body()
            isDone.signal()
        }
        let pace = Program((0..<64).map { .put(Array("pace-\($0)".utf8), value($0)) })
        for _ in 0..<rounds {
            if isDone.wait(timeout: .now() + 0.01) == .success { return }
            _ = runner.run(pace)
        }
        try require(false, observed: "no answer", permitted: "an answer to each step", steps: steps)
    }

    /// What several threads did to one instance.
    struct ThreadedRun<Result: Sendable>: Sendable {
        let instance: any CacheInstance
        /// One result a thread.
        let results: [Result]
    }

    /// Runs `body` on several threads that begin at once on one instance; blocked where the cache is for one thread.
    func threads<Result: Sendable>(
        _ count: Int, _ setup: CacheSetup = CacheSetup(), after first: [CacheOperation] = [], steps: [String],
        _ body: @escaping @Sendable (_ thread: Int, _ instance: any CacheInstance) -> Result
    ) throws(CheckStop) -> ThreadedRun<Result> {
        guard claims.isConcurrent else { throw .blocked("the cache is not for several threads") }
        let instance = try openPlain(setup, steps: steps)
        for operation in first { _ = instance.perform(operation) }
        let results = ClientThreads.together(count) { body($0, instance) }
        // Whoever is asked once more says whether the process has ended meanwhile, as one does that is stuck.
        try requireAnswer(instance.perform(.contains(Array("end".utf8))), steps: steps)
        return ThreadedRun(instance: instance, results: results)
    }
}
