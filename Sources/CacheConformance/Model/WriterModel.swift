import CacheCore

/// What the writer behind a cache must have been given.
struct WriterModel {
    /// Whether it fails at present.
    var fails = false
    /// The keys for which it fails at present.
    var failing: Set<[UInt8]> = []
    /// Whether it may be given things later, the last of a key instead of all.
    var isBehind = false
    private var expected: [WrittenEntry] = []
    /// How many of `expected` must have been written by now.
    private var dueCount = 0

    func isBroken(_ claims: Claims, _ key: [UInt8]) -> Bool {
        claims.claims(.writer) && (fails || failing.contains(key))
    }

    mutating func expect(_ key: [UInt8], _ value: [UInt8]?) { expected.append(WrittenEntry(key: key, value: value)) }

    /// Everything must have been written from now on.
    mutating func settle() { dueCount = expected.count }

    mutating func judge(_ result: OperationResult) -> String? {
        guard case .writes(let writes) = result else { return "what was written" }
        if isBehind { return judgeBehind(writes) }
        defer { expected = [] }
        return writes == expected ? nil : "\(expected.count) writes: " + Self.words(expected)
    }

    /// Of each key a sequence of its changes in their order, which ends with the last one that is due.
    private mutating func judgeBehind(_ writes: [WrittenEntry]) -> String? {
        for write in writes {
            guard let index = expected.firstIndex(of: write) else {
                return "no write of \(KeyText.describe(write.key)) that was not asked for, or that a newer one overtook"
            }
            let passed = expected[...index].indices.filter { expected[$0].key == write.key }
            dueCount -= passed.count { $0 < dueCount }
            for index in passed.reversed() { expected.remove(at: index) }
        }
        let missing = expected[..<dueCount]
        return missing.isEmpty ? nil : "also " + Self.words(Array(missing))
    }

    private static func words(_ writes: [WrittenEntry]) -> String {
        writes.map { "\(KeyText.describe($0.key)) \($0.value == nil ? "removed" : "stored")" }.joined(separator: ", ")
    }
}

extension Claims {
    /// Whether the suite can see what the cache writes to what lies behind it.
    var hasWriter: Bool { claims(.writer) || claims(.writeBehind) }
}
