import CacheCore

/// What the writer behind a cache must have been given, and what it may have been given.
struct WriterModel {
    private struct Change {
        var entry: WrittenEntry
        /// The operation that it belongs to: what one operation writes has no order.
        var step: Int
        /// Whether nothing is wrong without it.
        var isOptional: Bool
    }

    /// Whether it fails at present.
    var fails = false
    /// The keys for which it fails at present.
    var failing: Set<[UInt8]> = []
    /// Whether it may be given things later, the last of a key instead of all.
    var isBehind = false
    private var expected: [Change] = []
    /// How many of `expected` must have been written by now.
    private var dueCount = 0
    private var step = 0
    /// The last write that was taken of each key, and whether the writer has failed: then it may be given again what it took.
    private var taken: [[UInt8]: WrittenEntry] = [:]
    private var hasFailed = false

    /// Whether it fails for somebody.
    var isFailing: Bool { fails || !failing.isEmpty }

    func isBroken(_ claims: Claims, _ key: [UInt8]) -> Bool {
        claims.claims(.writer) && (fails || failing.contains(key))
    }

    /// What is expected from now on belongs to another operation.
    mutating func beginStep() { step += 1 }

    /// A change that is written; an optional one may be.
    mutating func expect(_ key: [UInt8], _ value: [UInt8]?, isOptional: Bool = false) {
        expected.append(Change(entry: WrittenEntry(key: key, value: value), step: step, isOptional: isOptional))
    }

    /// Everything must have been written from now on, if the writer took it.
    mutating func settle() {
        hasFailed = hasFailed || isFailing
        if !isFailing { dueCount = expected.count }
    }

    /// It was told that what waits could not be written.
    mutating func forgive() {
        hasFailed = true
        for index in expected.indices { expected[index].isOptional = true }
    }

    mutating func judge(_ result: OperationResult) -> String? {
        guard case .writes(let writes) = result else { return "what was written" }
        if isBehind { return judgeBehind(writes) }
        defer { expected = [] }
        return isExplained(writes) ? nil : Self.words(expected)
    }

    /// Whether the writes are those of one operation after the other.
    private func isExplained(_ writes: [WrittenEntry]) -> Bool {
        var ends: Set<Int> = [0]
        for step in Set(expected.map(\.step)).sorted() {
            let changes = expected.filter { $0.step == step }
            let due = changes.filter { !$0.isOptional }.map(\.entry)
            let possible = changes.filter(\.isOptional).map(\.entry)
            ends = Set(
                ends.flatMap { start in
                    (start + due.count...start + changes.count).filter { end in
                        end <= writes.count && Self.fits(writes[start..<end], due, possible)
                    }
                })
        }
        return ends.contains(writes.count)
    }

    private static func fits(
        _ writes: ArraySlice<WrittenEntry>, _ due: [WrittenEntry], _ possible: [WrittenEntry]
    ) -> Bool {
        var (due, possible) = (due, possible)
        for write in writes {
            if let index = due.firstIndex(of: write) {
                due.remove(at: index)
            } else if let index = possible.firstIndex(of: write) {
                possible.remove(at: index)
            } else {
                return false
            }
        }
        return due.isEmpty
    }

    /// Of each key a sequence of its changes in their order, which ends with the last one that is due.
    private mutating func judgeBehind(_ writes: [WrittenEntry]) -> String? {
        for write in writes {
            guard let index = expected.firstIndex(where: { $0.entry == write }) else {
                // Who was not told which of several the writer took gives it all of them again.
                if hasFailed, taken[write.key] == write { continue }
                return "no write of \(KeyText.describe(write.key)) that was not asked for, or that a newer one overtook"
            }
            taken[write.key] = write
            pass(write.key, through: index)
        }
        // What came may be the last of several changes that are equal.
        for (key, last) in Dictionary(writes.map { ($0.key, $0) }, uniquingKeysWith: { $1 }) {
            let own = expected[..<dueCount].indices.filter { expected[$0].entry.key == key }
            guard let index = own.last(where: { expected[$0].entry == last }),
                !own.contains(where: { $0 > index && !expected[$0].isOptional })
            else { continue }
            pass(key, through: index)
        }
        let missing = expected[..<dueCount].filter { !$0.isOptional }
        return missing.isEmpty ? nil : "also " + Self.words(missing)
    }

    /// Takes the changes of a key out, up to one that has come.
    private mutating func pass(_ key: [UInt8], through index: Int) {
        let passed = expected[...index].indices.filter { expected[$0].entry.key == key }
        dueCount -= passed.count { $0 < dueCount }
        for index in passed.reversed() { expected.remove(at: index) }
    }

    private static func words(_ changes: [Change]) -> String {
        let due = changes.filter { !$0.isOptional }
        let words = due.map { change in
            "\(KeyText.describe(change.entry.key)) \(change.entry.value == nil ? "removed" : "stored")"
        }
        return "\(due.count) writes: " + ValueText.list(words, ", ")
            + (due.count < changes.count ? ", and perhaps \(changes.count - due.count) more" : "")
    }
}

extension Claims {
    /// Whether the suite can see what the cache writes to what lies behind it.
    var hasWriter: Bool { claims(.writer) || claims(.writeBehind) }
}
