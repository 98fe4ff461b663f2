import CacheCore

// What is not where it is looked for: damage brings nothing back that was removed, and nothing from one group to another.
extension DamageScenario {
    /// The name has many bytes, so that damage meets it often.
    private static let group = "a group of a longer name"
    /// The names that differ from that of the group by one bit and are text.
    private static let similar = group.utf8.indices.flatMap { place in
        (0..<7).map { bit in
            String(decoding: group.utf8.indices.map { group.utf8[$0] ^ ($0 == place ? 1 << bit : 0) }, as: UTF8.self)
        }
    }
    private static let grouped = (0..<3).map { Array("grouped-\($0)".utf8) }

    /// Entries of a group, where groups are claimed.
    var putsInGroup: [CacheOperation] {
        guard context.claims.claims(.groups) else { return [] }
        return Self.grouped.enumerated().map { .within(group: Self.group, .put($1, value(500 + $0))) }
    }

    /// A store that was cut may end before the removal.
    func lookElsewhere(of instance: any CacheInstance, isCut: Bool, after steps: [String]) throws(CheckStop) {
        var reads: [CacheOperation] = isCut ? [] : [.get(Self.removed)]
        for put in putsInGroup {
            let key = put.key!
            reads.append(.get(key))
            // What is still where it was is nowhere else.
            let read = CacheOperation.within(group: Self.group, .get(key))
            let answer = try self.read(read, of: instance, after: steps, "what was put, nil or 'corrupt'") {
                $0 == .entry(put.entry) || $0 == .entry(nil)
            }
            if !answer.isHit { reads += Self.similar.map { .within(group: $0, .get(key)) } }
        }
        for read in reads {
            try self.read(read, of: instance, after: steps, "nil or 'corrupt'") { $0 == .entry(nil) }
        }
        try lookAtList(of: instance, isCut: isCut, after: steps)
    }

    private func lookAtList(of instance: any CacheInstance, isCut: Bool, after steps: [String]) throws(CheckStop) {
        guard context.claims.iterates, case .keys(let listed) = instance.perform(.keys) else { return }
        let known = Set(Self.keys + putsWithTerms.compactMap(\.key) + Self.grouped + (isCut ? [Self.removed] : []))
        if let stranger = listed.first(where: { !known.contains($0) }) {
            throw context.failed(
                "keys lists \(KeyText.describe(stranger))", permitted: "keys that were put and not removed",
                steps: steps + ["keys"])
        }
    }
}
