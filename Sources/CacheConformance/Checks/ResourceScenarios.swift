import CacheCore

/// The bodies of checks that look at what a cache leaves behind.
enum ResourceScenarios: LetterKeys {
    private static let elsewhere = "the subject is in another process, whose files and threads are not seen from here"

    /// LIF-3.
    static func closed(_ context: CheckContext) throws(CheckStop) {
        guard !(context.subject is ProcessSubject) else { throw .blocked(elsewhere) }
        let steps = ["open, put, get, close", "look at the open files and threads, while the closed cache is kept"]
        var kept: [any CacheInstance] = []
        // One place for all, made before files are counted: a place of its own would be an open file for each.
        let sandbox = try context.sandbox(steps: steps)
        defer { sandbox.end() }
        var hits = 0
        func use() throws(CheckStop) {
            let directory = sandbox.sibling("closed-\(kept.count)")
            let instance = try context.expecting("no error", steps: steps) { () throws(StoreError) in
                try context.subject.open(CacheSetup(), in: directory)
            }
            _ = instance.perform(.put(a, value(1)))
            if instance.perform(.get(a)).isHit { hits += 1 }
            _ = instance.perform(.close)
            kept.append(instance)
            guard let directory else { return }
            let held = ProcessResources.held(under: directory)
            try context.require(
                held.isEmpty,
                observed: "still open: "
                    + held.map { String($0.dropFirst(directory.count + 1)) }.joined(separator: ", "),
                permitted: "no file of the closed store open", steps: steps)
        }
        for kind in ProcessResources.kinds {
            let left = try ProcessResources.left(of: kind, byEachOf: 12, use)
            try context.require(
                left == 0, observed: "\(left) \(kind.name) of 12 closed caches", permitted: "none of them", steps: steps
            )
        }
        guard hits > 0 else { throw .blocked("the witness: the entry was never found") }
    }

    /// ITR-7, after its program.
    static func walks(_ context: CheckContext) throws(CheckStop) {
        guard !(context.subject is ProcessSubject) else { return }
        let steps = [
            "put 40 entries", "walk the keys and leave after the first, 12 times", "look at files and threads",
        ]
        try context.withInstance(steps: steps) { (instance) throws(CheckStop) in
            for number in 0..<40 { _ = instance.perform(.put(Array("walked-\(number)".utf8), value(number))) }
            for kind in ProcessResources.kinds {
                let left = ProcessResources.left(of: kind, byEachOf: 12) { _ = instance.perform(.firstKeys(1)) }
                try context.require(
                    left == 0, observed: "\(left) \(kind.name) of 12 walks", permitted: "none of them", steps: steps)
            }
        }
    }
}
