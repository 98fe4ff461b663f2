import CacheCore

/// Overwrites one entry so often that a store has to give the space of its old versions back, which must hit nothing else.
struct ChurnScenario: LetterKeys {
    private let context: CheckContext
    // So many that a store which waits for so much waste before it compacts has to.
    private let rounds = 1_000
    private static let kept = Array("kept".utf8)
    private static let gone = Array("gone".utf8)
    private static let late = Array("late".utf8)

    init(_ context: CheckContext) { self.context = context }

    private var steps: [String] {
        [
            "put kept and gone", "overwrite 1 KiB under a \(rounds) times, and remove gone halfway; put late",
            "close, open, close, open, get a, kept, gone and late, close", "add up the bytes of the directory",
            "the same again",
        ]
    }

    /// What is found after one round of it.
    private struct Found {
        var last: StoredEntry?
        var kept: StoredEntry?
        var gone: StoredEntry?
        var late: StoredEntry?
        var bytes: Int?
    }

    private var keptEntry: StoredEntry {
        let moment: Int64? = context.claims.claims(.storedExpiry) ? 1_800_000_000_123_456_789 : nil
        return StoredEntry(value(1, 100).bytes(for: Self.kept), expiresAtNanoseconds: moment)
    }

    private var lateEntry: StoredEntry { StoredEntry(value(2, 100).bytes(for: Self.late)) }

    private func entry(_ number: Int) -> StoredEntry { StoredEntry(value(number, 1_024).bytes(for: Self.a)) }

    /// PER-9.
    func verify() throws(CheckStop) {
        let found = try context.expecting("no error", steps: steps) { () throws(StoreError) in
            let sandbox = try Sandbox(needsDirectory: context.subject.needsDirectory)
            defer { sandbox.end() }
            return [try churn(sandbox), try churn(sandbox)]
        }
        guard let first = found[0].bytes, let last = found[1].bytes else {
            throw .blocked("the subject has no directory to measure")
        }
        for found in found { try judge(found) }
        guard found.allSatisfy({ $0.last != nil }) else { throw .blocked("the witness: the entry was not found") }
        try context.require(
            last - first <= 512 * rounds, observed: "\(first) bytes, and then \(last)",
            permitted: "at most \(512 * rounds) more", steps: steps)
    }

    private func churn(_ sandbox: Sandbox) throws(StoreError) -> Found {
        var store = try context.open(in: sandbox.directory)
        try store.put(keptEntry, for: Self.kept)
        try store.put(entry(0), for: Self.gone)
        for number in 1...rounds {
            try store.put(entry(number), for: Self.a)
            if number == rounds / 2 { _ = try store.remove(Self.gone) }
        }
        // What nothing was written of before is the newest.
        try store.put(lateEntry, for: Self.late)
        try store.close()
        // What is given back at an opening shows at the next.
        store = try context.open(in: sandbox.directory)
        try store.close()
        store = try context.open(in: sandbox.directory)
        var found = Found(
            last: try store.get(Self.a), kept: try store.get(Self.kept), gone: try store.get(Self.gone),
            late: try store.get(Self.late))
        try store.close()
        found.bytes = sandbox.directory.map { Directory.totalBytes($0) }
        return found
    }

    private func judge(_ found: Found) throws(CheckStop) {
        let isExact = context.claims.retains
        func isRight(_ answer: StoredEntry?, _ due: StoredEntry?) -> Bool { answer == due || answer == nil && !isExact }
        func words(_ key: [UInt8], _ answer: StoredEntry?) -> String {
            ValueText.describe(.entry(answer), of: .get(key))
        }
        try context.require(
            isRight(found.last, entry(rounds)), observed: "a: \(words(Self.a, found.last))",
            permitted: words(Self.a, entry(rounds)), steps: steps)
        try context.require(
            isRight(found.kept, keptEntry), observed: "kept: \(words(Self.kept, found.kept))",
            permitted: words(Self.kept, keptEntry), steps: steps)
        try context.require(
            isRight(found.late, lateEntry), observed: "late: \(words(Self.late, found.late))",
            permitted: words(Self.late, lateEntry), steps: steps)
        try context.require(
            found.gone == nil, observed: "gone: \(words(Self.gone, found.gone))", permitted: "nil", steps: steps)
    }
}
