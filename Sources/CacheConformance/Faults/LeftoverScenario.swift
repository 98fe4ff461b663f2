import CacheCore

/// Kills process after process in the middle of a large write, and measures what that leaves on the disk.
struct LeftoverScenario {
    private let context: CheckContext
    private static let a = Array("a".utf8)
    /// Many, because on a busy machine most come while the process waits for a processor.
    private static let kills = 3 * moments
    private static let moments = 24

    init(_ context: CheckContext) { self.context = context }

    private var bytes: Int { min(400_000, context.claims.valueBytesMax) }
    private var steps: [String] {
        [
            "put \(bytes) bytes in another process, again and again, and kill it, \(Self.kills) times",
            "open, put, get, close", "add up the bytes of the directory",
        ]
    }

    /// FLT-14.
    func verify() throws(CheckStop) {
        guard context.subject.needsDirectory else { throw .blocked("the subject has no directory") }
        // As much as the store takes for what is in it, and for old versions, where nobody is killed.
        let (bare, _) = try measure(isKilled: false)
        let (left, isMidway) = try measure(isKilled: true)
        try context.require(
            left - bare <= 2 * bytes, observed: "\(left) bytes, and \(bare) without a kill",
            permitted: "at most \(2 * bytes) more", steps: steps)
        guard isMidway else { throw .inconclusive("no kill came in the middle of the work") }
    }

    private func measure(isKilled: Bool) throws(CheckStop) -> (bytes: Int, isMidway: Bool) {
        let sandbox = try context.directory(steps: steps)
        defer { sandbox.end() }
        // More than a process gets done until it is killed.
        let work = (0..<200).map { CacheOperation.put(Self.a, value($0, bytes)) }
        var isMidway = false
        for kill in 0..<(isKilled ? Self.kills : Self.moments) {
            guard isKilled else {
                try finish(Array(work.prefix(10)), in: sandbox)
                continue
            }
            let child = ForkedRun(subject: context.subject, setup: CacheSetup(), directory: sandbox.directory!)
            // At other moments of a write each time.
            let progress = child.run(work, until: .afterMicrosecondsOfWork(300 + 170 * (kill % Self.moments)))
            guard let progress else {
                throw .inconclusive("no child process could be made, or it gave no sign for a minute")
            }
            if progress.opened == true, progress.acknowledged < work.count { isMidway = true }
        }
        let last = value(1_000, bytes)
        let found = try context.expecting("no error", steps: steps) { () throws(StoreError) in
            var store = try context.open(in: sandbox.directory)
            try store.put(StoredEntry(last.bytes(for: Self.a)), for: Self.a)
            let found = try store.get(Self.a)
            try store.close()
            store = try context.open(in: sandbox.directory)
            try store.close()
            return found
        }
        try context.require(
            found == StoredEntry(last.bytes(for: Self.a)) || found == nil && !context.claims.retains,
            observed: ValueText.describe(.entry(found), of: .get(Self.a)), permitted: "value 1000", steps: steps)
        return (Directory.totalBytes(sandbox.directory!), isMidway)
    }

    private func finish(_ work: [CacheOperation], in sandbox: Sandbox) throws(CheckStop) {
        try context.expecting("no error", steps: steps) { () throws(StoreError) in
            let store = try context.open(in: sandbox.directory)
            for operation in work { try store.put(operation.entry!, for: Self.a) }
            try store.close()
        }
    }
}
