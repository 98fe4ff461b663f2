import CacheCore

/// Damages the files of a closed store in many ways, and looks at what it answers then.
struct DamageScenario {
    let context: CheckContext

    init(_ context: CheckContext) { self.context = context }

    static let keys = (0..<8).map { Array("key-\($0)".utf8) }
    static let removed = Array("removed".utf8)

    private var fill: [CacheOperation] {
        Self.keys.enumerated().map { .put($1, value(100 + $0, 90)) } + [.put(Self.removed, value(200))]
            + putsWithTerms + putsInGroup + Self.keys.indices.map(newest) + [.remove(Self.removed), .close]
    }

    /// What an entry is written as last; every other one says when it expires, where that is kept for whoever asks.
    private func newest(_ number: Int) -> CacheOperation {
        let moment: Int64? = number % 2 == 1 && context.claims.claims(.storedExpiry) ? 1_800_000_000_123_456_789 : nil
        return .put(Self.keys[number], value(number, 24 + 40 * number), expiresAtNanoseconds: moment)
    }

    /// Fails on the first damage after which something wrong is answered.
    func run(expectsRest: Bool, _ damages: (StoreSurgery) -> [StoreSurgery.Damage]) throws(CheckStop) {
        let sandbox = try context.directory(steps: [])
        defer { sandbox.end() }
        let directory = sandbox.directory!
        try context.expecting("an open store", steps: []) { () throws(StoreError) in
            let instance = try context.subject.open(CacheSetup(), in: directory)
            for operation in fill { _ = instance.perform(operation) }
        }
        let surgery = StoreSurgery(directory)
        // The store as it is shows that there is something to find: one that gives everything up on any damage is right too.
        var whole = try look(directory, "damage nothing")
        for damage in damages(surgery) {
            surgery.apply(damage)
            let found = try look(directory, damage.words)
            whole += found
            guard expectsRest, damage.isLastByte else { continue }
            if found == 0, let instance = try? context.subject.open(CacheSetup(), in: directory) {
                _ = instance.perform(.close)
                throw context.failed(
                    "no entry is left", permitted: "the entries that were not hit, or the error 'corrupt'",
                    steps: steps(damage.words))
            }
        }
        guard whole > 0 else { throw .blocked("the witness: no whole value was ever found") }
    }

    /// Nil where the damage is reported.
    private func opened(_ directory: String, _ steps: [String]) throws(CheckStop) -> (any CacheInstance)? {
        do throws(StoreError) { return try context.subject.open(CacheSetup(), in: directory) } catch {
            guard error.code == .corrupt else {
                throw context.failed("opening threw \(error)", permitted: "an open store or 'corrupt'", steps: steps)
            }
            return nil
        }
    }

    private func steps(_ words: String) -> [String] {
        fill.map(\.description) + [words, "open"]
    }

    /// Returns how many values were found whole.
    private func look(_ directory: String, _ words: String) throws(CheckStop) -> Int {
        let steps = steps(words)
        guard let instance = try opened(directory, steps) else { return 0 }
        defer { _ = instance.perform(.close) }
        let isCut = words.hasPrefix("cut")
        var whole = 0
        for (number, key) in Self.keys.enumerated() {
            let newest = newest(number).entry!
            let older = value(100 + number, 90).bytes(for: key)
            let answer = try read(
                .get(key), of: instance, after: steps, "\(ValueText.describe(newest, under: key)), nil or 'corrupt'"
            ) {
                // A log that was cut short ends before the newest write, and an older value is then what it knows.
                $0 == .entry(nil) || $0 == .entry(newest) || isCut && $0.value == older
            }
            if answer.isHit { whole += 1 }
        }
        try lookElsewhere(of: instance, isCut: isCut, after: steps)
        try lookAtTerms(of: instance, after: steps)
        try lookAtFresh(of: instance, in: directory, after: steps)
        return whole
    }

    /// What is put then is found, at once and by whoever opens the store next.
    private func lookAtFresh(
        of instance: any CacheInstance, in directory: String, after steps: [String]
    ) throws(CheckStop) {
        let fresh = CacheOperation.put(Self.keys[0], value(300))
        guard instance.perform(fresh) == .done else { return }
        var steps = steps + ["\(fresh)"]
        try read(fresh, of: instance, after: steps)
        guard instance.perform(.close) == .done else { return }
        steps += ["close", "open"]
        guard let again = try opened(directory, steps) else { return }
        defer { _ = again.perform(.close) }
        try read(fresh, of: again, after: steps)
    }

    private func read(_ fresh: CacheOperation, of instance: any CacheInstance, after steps: [String]) throws(CheckStop)
    {
        let read = CacheOperation.get(Self.keys[0])
        let answer = instance.perform(read)
        try context.require(
            answer == .entry(fresh.entry) || answer == .entry(nil) && context.semantics(CacheSetup()) != .exact,
            observed: ValueText.describe(answer, of: read), permitted: "value 300 (32 bytes)",
            steps: steps + ["\(read)"])
    }

    /// The answer to a read of a damaged store, which is permitted or says that there is damage.
    @discardableResult
    func read(
        _ read: CacheOperation, of instance: any CacheInstance, after steps: [String],
        _ permitted: @autoclosure () -> String, permits: (OperationResult) -> Bool
    ) throws(CheckStop) -> OperationResult {
        let answer = instance.perform(read)
        if permits(answer) || answer.error?.code == .corrupt { return answer }
        throw context.failed(
            ValueText.describe(answer, of: read), permitted: permitted(), steps: steps + ["\(read)"])
    }
}
