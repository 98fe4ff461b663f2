import CacheCore

// Places for instances, and instances in them, where a check needs more than one program.
extension CheckContext {
    /// A fresh place for instances; whoever asks for one defers its end.
    func sandbox(steps: [String]) throws(CheckStop) -> Sandbox {
        try expecting("a directory", steps: steps) { () throws(StoreError) in
            try Sandbox(needsDirectory: subject.needsDirectory)
        }
    }

    /// A fresh directory; blocked for a subject that has none.
    func directory(steps: [String]) throws(CheckStop) -> Sandbox {
        guard subject.needsDirectory else { throw .blocked("the subject has no directory") }
        return try sandbox(steps: steps)
    }

    /// Opens an instance in a place.
    func open(
        _ setup: CacheSetup = CacheSetup(), in sandbox: Sandbox, steps: [String]
    ) throws(CheckStop) -> any CacheInstance {
        try expecting("an open cache", steps: steps) { () throws(StoreError) in
            let directory = sandbox.directory
            return try adapted(setup) { [subject] (setup) throws(StoreError) in
                try subject.open(setup, in: directory)
            }
        }
    }

    /// Opens an instance in a fresh place, does something with it, and closes it.
    func withInstance<Result>(
        _ setup: CacheSetup = CacheSetup(), steps: [String],
        _ body: (any CacheInstance) throws(CheckStop) -> Result
    ) throws(CheckStop) -> Result {
        let sandbox = try sandbox(steps: steps)
        defer { sandbox.end() }
        let instance = try open(setup, in: sandbox, steps: steps)
        let outcome: Swift.Result<Result, CheckStop>
        do throws(CheckStop) { outcome = .success(try body(instance)) } catch { outcome = .failure(error) }
        try requireAnswer(instance.perform(.close), steps: steps)
        return try outcome.get()
    }

    /// Fails if an answer is that the subject's process has ended. That explains whatever else was seen of it, so it goes
    /// before any other verdict: where nothing is answered any more a witness is missing too.
    func requireAnswer(_ answer: OperationResult, steps: [String]) throws(CheckStop) {
        guard let error = answer.error, CheckFailure.ProcessEnd(error) != nil else { return }
        _ = try expecting("an answer to each step", steps: steps) { () throws(StoreError) in throw error }
    }

    /// Works with an instance, which is closed then if it was not, and looks at another in the same place.
    func acrossReopening<Work, Result>(
        steps: [String], work: (any CacheInstance) -> Work, look: (any CacheInstance, Work) -> Result
    ) throws(CheckStop) -> Result {
        let sandbox = try sandbox(steps: steps)
        defer { sandbox.end() }
        let first = try open(in: sandbox, steps: steps)
        let worked = work(first)
        try requireAnswer(first.perform(.close), steps: steps)
        let again = try open(in: sandbox, steps: steps)
        let seen = look(again, worked)
        try requireAnswer(again.perform(.close), steps: steps)
        return seen
    }
}
