import CacheCore

/// Overwrites one entry so often that a store has to give the space of its old versions back, which must hit nothing else.
struct ChurnScenario {
    private let context: CheckContext
    // So many that a store which waits for so much waste before it compacts has to.
    private let rounds = 1_000

    init(_ context: CheckContext) { self.context = context }

    private var steps: [String] {
        [
            "put kept and gone", "overwrite 1 KiB under a \(rounds) times, and remove gone halfway",
            "put \(rounds / 4) entries of 8 KiB and remove each; put late; maintain",
            "close, open, close, open, get a, kept, gone and late, close", "add up the bytes of the directory",
            "the same again",
        ]
    }

    /// What is due in the end under each key.
    private var due: [(name: String, entry: StoredEntry?)] {
        let moment: Int64? = context.claims.claims(.storedExpiry) ? 1_800_000_000_123_456_789 : nil
        return [
            ("a", entry("a", rounds)), ("kept", entry("kept", 1, 100, moment)), ("late", entry("late", 2, 100)),
            ("gone", nil),
        ]
    }

    private func entry(_ name: String, _ number: Int, _ bytes: Int = 1_024, _ moment: Int64? = nil) -> StoredEntry {
        StoredEntry(value(number, bytes).bytes(for: Array(name.utf8)), expiresAtNanoseconds: moment)
    }

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
        for (due, answer) in found.flatMap({ zip(due, $0.entries) }) {
            func words(_ entry: StoredEntry?) -> String {
                ValueText.describe(.entry(entry), of: .get(Array(due.name.utf8)))
            }
            try context.require(
                answer == due.entry || answer == nil && !context.claims.retains,
                observed: "\(due.name): \(words(answer))", permitted: words(due.entry), steps: steps)
        }
        guard found.allSatisfy({ $0.entries[0] != nil }) else { throw .blocked("the witness: the entry was not found") }
        try context.require(
            last - first <= 512 * rounds, observed: "\(first) bytes, and then \(last)",
            permitted: "at most \(512 * rounds) more", steps: steps)
    }

    private func churn(_ sandbox: Sandbox) throws(StoreError) -> (entries: [StoredEntry?], bytes: Int?) {
        var store = try context.open(in: sandbox.directory)
        try store.put(due[1].entry!, for: Array("kept".utf8))
        try store.put(entry("gone", 0), for: Array("gone".utf8))
        for number in 1...rounds {
            try store.put(entry("a", number), for: Array("a".utf8))
            if number == rounds / 2 { _ = try store.remove(Array("gone".utf8)) }
        }
        let length = min(8 << 10, context.claims.valueBytesMax, (context.claims.limits.entryBytesMax ?? .max) - 16)
        let room = context.claims.room?.capacity
        for number in 0..<rounds / 4 where room?.unit != .bytes || room!.amount >= 1 << 20 {
            let name = "brief-\(number)"
            try store.put(entry(name, number, length), for: Array(name.utf8))
            _ = try store.remove(Array(name.utf8))
        }
        // What nothing was written of before is the newest.
        try store.put(due[2].entry!, for: Array("late".utf8))
        // Some give space back when they are asked to.
        _ = store.instance.perform(.maintain)
        try store.close()
        // What is given back at an opening shows at the next.
        store = try context.open(in: sandbox.directory)
        try store.close()
        store = try context.open(in: sandbox.directory)
        var found: [StoredEntry?] = []
        for (name, _) in due { found.append(try store.get(Array(name.utf8))) }
        try store.close()
        return (found, sandbox.directory.map { Directory.totalBytes($0) })
    }
}
