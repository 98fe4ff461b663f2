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
        // Where a look is a read, it would be counted.
        let asked = claims.deviates(.containsIsGet) ? CacheOperation.maintain : .contains(Array("end".utf8))
        try requireAnswer(instance.perform(asked), steps: steps)
        return ThreadedRun(instance: instance, results: results)
    }

    /// How many clients there may be at once, up to so many.
    func clients(_ wanted: Int = 4) -> Int { min(wanted, claims.concurrency.clientsMax) }

    /// Asks a fresh instance in each of some runs, and fails with the first complaint and the number of runs that had one.
    func eachRun(
        _ wanted: Int = 8, _ setup: CacheSetup = CacheSetup(), steps: [String], permitted: String,
        _ complaint: (_ instance: any CacheInstance, _ run: Int) throws(CheckStop) -> String?
    ) throws(CheckStop) {
        let runs = runs(wanted)
        var complaints: [String?] = []
        for run in 0..<runs {
            complaints.append(
                try withInstance(setup, steps: steps) { (instance) throws(CheckStop) in try complaint(instance, run) })
        }
        try judge(complaints, permitted: permitted, steps: steps)
    }

    /// Fails with the first complaint, and says how many of the runs had one.
    func judge(_ complaints: [String?], permitted: String, steps: [String]) throws(CheckStop) {
        let seen = complaints.compactMap(\.self)
        try require(
            seen.isEmpty, observed: "in \(seen.count) of \(complaints.count) runs: \(seen.first ?? "")",
            permitted: permitted, steps: steps)
    }

    /// As ``eachRun(_:_:steps:permitted:_:)`` with up to four clients, of which some write while others read: inconclusive where
    /// too few reads ran beside a write.
    ///
    /// - Parameters:
    ///   - what: What the reads are, for that verdict.
    ///   - besideMin: How many must have run beside a write in all runs; 1 demands none of a single run.
    func eachRunBesideWriters(
        _ wanted: Int, writesMin: Int, timeMax: Duration = .milliseconds(500), _ setup: CacheSetup = CacheSetup(),
        what: String, besideMin: Int = Overlap.enough, after first: [CacheOperation] = [], steps: [String],
        permitted: String,
        _ client:
            @escaping @Sendable (_ thread: Int, _ run: Int, _ instance: any CacheInstance, _ overlap: Overlap) ->
            String?
    ) throws(CheckStop) {
        var beside = 0
        try eachRun(wanted, setup, steps: steps, permitted: permitted) { instance, run in
            let overlap =
                isOneOfMany
                ? Overlap(writesMin: rounds(writesMin), enough: 1, timeMin: .zero, timeMax: time(timeMax))
                : Overlap(writesMin: writesMin, timeMax: timeMax)
            for operation in first { _ = instance.perform(operation) }
            let found = ClientThreads.together(clients()) { client($0, run, instance, overlap) }
            beside += overlap.readsBeside
            return found.compactMap(\.self).first
        }
        let runs = runs(wanted)
        if runs > 1 || besideMin > 1 { try Overlap.require(beside, of: runs, what, min: besideMin) }
    }
}
