import CacheCore

// What belongs to an entry besides its value: what is served of a damaged store still has it.
extension DamageScenario {
    private static let tagged = (0..<4).map { Array("tagged-\($0)".utf8) }
    private static let mortal = (0..<4).map { Array("mortal-\($0)".utf8) }
    /// The tag has many bytes, and few of those of the life are zero, so that damage meets them often.
    private static let tag = "a tag that is longer than the values under it are"
    private static let life: Int64 = 1_234_567_890_123_456

    private var taggedPuts: [CacheOperation] { puts(Self.tagged, PutTerms(tags: [Self.tag]), claimed: .tags) }
    private var mortalPuts: [CacheOperation] {
        puts(Self.mortal, PutTerms(timeToLiveNanoseconds: Self.life), claimed: .timeToLive)
    }

    /// Entries with a tag and entries with an end, as far as these are claimed.
    var putsWithTerms: [CacheOperation] { taggedPuts + mortalPuts }

    private func puts(_ keys: [[UInt8]], _ terms: PutTerms, claimed feature: Claims.Feature) -> [CacheOperation] {
        guard context.claims.claims(feature) else { return [] }
        return keys.enumerated().map { .put($1, value(400 + $0, 24), terms: terms) }
    }

    /// What is served of them has its value, leaves with its tag, and ends when it should.
    func lookAtTerms(of instance: any CacheInstance, after steps: [String]) throws(CheckStop) {
        for put in putsWithTerms { try read(put, of: instance, after: steps, or: put.entry) }
        // Nothing is left of what is not there; what is there without an end is found after it.
        for put in context.claims.claims(.remainingTime) ? mortalPuts : [] {
            try read(.remainingTime(put.key!), of: instance, after: steps, "\(Self.life) ns, nil or 'corrupt'") {
                $0 == .time(Self.life) || $0 == .time(nil)
            }
        }
        try look(taggedPuts, areGoneAfter: .removeTagged(Self.tag), of: instance, after: steps)
        try look(mortalPuts, areGoneAfter: .advance(nanoseconds: Self.life), of: instance, after: steps)
    }

    private func look(
        _ puts: [CacheOperation], areGoneAfter last: CacheOperation, of instance: any CacheInstance,
        after steps: [String]
    ) throws(CheckStop) {
        // What does not even find out who has the tag, and says so, has removed nobody.
        guard !puts.isEmpty, instance.perform(last) == .done else { return }
        for put in puts { try read(put, of: instance, after: steps + ["\(last)"], or: nil) }
    }

    /// Nothing may be found, or the entry that is named.
    private func read(
        _ put: CacheOperation, of instance: any CacheInstance, after steps: [String], or entry: StoredEntry?
    ) throws(CheckStop) {
        let words = entry.map { "\(ValueText.describe($0, under: put.key!)), " } ?? ""
        try read(.get(put.key!), of: instance, after: steps, "\(words)nil or 'corrupt'") {
            $0 == .entry(nil) || $0 == .entry(entry)
        }
    }
}
