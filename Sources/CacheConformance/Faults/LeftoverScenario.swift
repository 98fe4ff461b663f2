import CacheCore

/// Kills process after process in the middle of a large write, and measures what that leaves on the disk.
struct LeftoverScenario {
    private let context: CheckContext
    private static let a = Array("a".utf8)
    /// Many, because on a busy machine most that are measured in time come while the process waits for a processor.
    private static let kills = 72
    private static let runs = 24
    private static let puts = 10

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
        let sandbox = try context.directory(steps: steps)
        defer { sandbox.end() }
        let start = ContinuousClock.now
        for _ in 0..<Self.runs { try finish(in: sandbox) }
        let put = Int((ContinuousClock.now - start) / .microseconds(Self.runs * Self.puts))
        let bare = try bytesLeft(in: sandbox)
        let (left, isMidway) = try killed(put)
        try context.require(
            left - bare <= 2 * bytes, observed: "\(left) bytes, and \(bare) without a kill",
            permitted: "at most \(2 * bytes) more", steps: steps)
        guard isMidway else { throw .inconclusive("no kill came in the middle of the work") }
    }

    /// Kills at each of the first calls where these can be counted, and at moments of the first two puts, of `put` µs each.
    private func killed(_ put: Int) throws(CheckStop) -> (bytes: Int, isMidway: Bool) {
        let sandbox = try context.directory(steps: steps)
        defer { sandbox.end() }
        // More than a process gets done until it is killed.
        let work = (0..<200).map { CacheOperation.put(Self.a, value($0, bytes)) }
        let calls = CallScenario.absence(for: context.subject) == nil ? Self.kills / 2 : 0
        let (moments, span) = (Self.kills - calls, min(max(4_000, 2 * put), 200_000))
        let stops =
            (0..<calls).map { ForkedRun.Stop.atCall($0 + 1) }
            + (0..<moments).map { .afterMicrosecondsOfWork(300 + span * $0 / moments) }
        var isMidway = false
        for stop in stops {
            let child = ForkedRun(subject: context.subject, setup: CacheSetup(), directory: sandbox.directory!)
            guard let progress = child.run(work, until: stop) else { throw .noChild }
            if progress.opened == true, progress.acknowledged < work.count { isMidway = true }
        }
        return (try bytesLeft(in: sandbox), isMidway)
    }

    /// The bytes of the directory once a store there was written and closed, and opened and closed again.
    private func bytesLeft(in sandbox: Sandbox) throws(CheckStop) -> Int {
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
        return Directory.totalBytes(sandbox.directory!)
    }

    private func finish(in sandbox: Sandbox) throws(CheckStop) {
        try context.expecting("no error", steps: steps) { () throws(StoreError) in
            let store = try context.open(in: sandbox.directory)
            for number in 0..<Self.puts {
                try store.put(StoredEntry(value(number, bytes).bytes(for: Self.a)), for: Self.a)
            }
            try store.close()
        }
    }
}
