import CacheCore

// Places for instances, and instances in them, where a check needs more than one program.
extension CheckContext {
    /// A fresh place for instances; whoever asks for one defers its end.
    func sandbox(steps: [String]) throws(CheckStop) -> Sandbox {
        try expecting("a directory", steps: steps) { () throws(StorageError) in
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
        try expecting("an open cache", steps: steps) { () throws(StorageError) in
            try subject.open(setup, in: sandbox.directory)
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
        defer { _ = instance.perform(.close) }
        return try body(instance)
    }

    /// Works with an instance, which is closed then if it was not, and looks at another in the same place.
    func acrossReopening<Work, Result>(
        steps: [String], work: (any CacheInstance) -> Work, look: (any CacheInstance, Work) -> Result
    ) throws(CheckStop) -> Result {
        let sandbox = try sandbox(steps: steps)
        defer { sandbox.end() }
        let first = try open(in: sandbox, steps: steps)
        let worked = work(first)
        _ = first.perform(.close)
        let again = try open(in: sandbox, steps: steps)
        defer { _ = again.perform(.close) }
        return look(again, worked)
    }
}
