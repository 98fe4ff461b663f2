import CacheCore

/// What is the same for many keys, entries and writes as for few: done to one instance, and told in few words.
struct ManyScenario {
    let context: CheckContext
    let key = Array("a".utf8)

    init(_ context: CheckContext) { self.context = context }

    func keys(_ count: Int) -> [[UInt8]] { (0..<count).map { Array("many-\($0)".utf8) } }

    /// How many entries there is room for, up to `wanted`; a quarter of it where a part of the cache may be full before all is.
    func most(_ wanted: Int) throws(CheckStop) -> Int {
        guard let room = context.claims.room else { return wanted }
        let entries = room.capacity.unit == .objects ? room.capacity.amount : room.capacity.amount / 1_000
        let most = min(wanted, room.isStrict ? entries : entries / 4)
        guard most > 0 else { throw .blocked("there is room for no entry") }
        return most
    }

    /// Writes so often that a version of one byte or two comes back.
    func versions() throws(CheckStop) {
        // To another process each question is a message, and takes its time.
        let isSlow = context.subject.needsDirectory || context.subject is ProcessSubject
        let rounds = isSlow ? [1 << 8] : [1 << 8, 1 << 16]
        for count in rounds {
            let steps = ["put a, mark it", "put it \(count) times", "setIfMarked a"]
            try context.withInstance(steps: steps) { (instance) throws(CheckStop) in
                _ = instance.perform(.put(key, value(0)))
                guard instance.perform(.mark(key)) == .flag(true) else { return }
                for number in 1...count { _ = instance.perform(.put(key, value(number))) }
                try context.require(
                    instance.perform(.setIfMarked(key, value(0))) != .flag(true), observed: "true", permitted: "false",
                    steps: steps)
            }
        }
    }

    /// Several keys at once that are many: CON-10.
    func atOnce() throws(CheckStop) {
        let keys = keys(try most(context.subject.needsDirectory ? 300 : 3_000))
        let isBulk = context.claims.claims(.bulkPut)
        let steps = [
            "put \(keys.count) keys" + (isBulk ? " at once" : ""), "getMany of all", "removeMany of all",
            "getMany of all",
        ]
        guard context.claims.retains else { return }
        try context.withInstance(steps: steps) { (instance) throws(CheckStop) in
            if isBulk {
                _ = instance.perform(.putMany(keys.enumerated().map { KeyedPayload($1, value($0)) }))
            } else {
                for (number, key) in keys.enumerated() { _ = instance.perform(.put(key, value(number))) }
            }
            try look(instance, keys, are: true, steps)
            let removed = instance.perform(.removeMany(keys))
            try context.require(
                removed == .number(keys.count), observed: ValueText.describe(removed, of: .removeMany(keys)),
                permitted: "\(keys.count)", steps: steps)
            try look(instance, keys, are: false, steps)
            for load in context.claimed([.loadMany(keys, lacking: [], sequence: 0)]) {
                _ = instance.perform(load)
                try look(instance, keys, are: true, steps + ["loadMany of all", "getMany of all"])
            }
        }
    }

    private func look(
        _ instance: any CacheInstance, _ keys: [[UInt8]], are there: Bool, _ steps: [String]
    ) throws(CheckStop) {
        guard case .entries(let found) = instance.perform(.getMany(keys)), found.count == keys.count else {
            throw context.failed("another answer", permitted: "an entry or none for each key", steps: steps)
        }
        let wrong = zip(keys, found).enumerated().first { index, pair in
            pair.1?.value != (there ? value(index).bytes(for: pair.0) : nil)
        }
        guard let wrong else { return }
        throw context.failed(
            "\(wrong.element.1 == nil ? "nothing" : "a value") for the key \(wrong.offset + 1) of \(keys.count)",
            permitted: there ? "what was put" : "nothing", steps: steps)
    }

    /// More entries than two bytes count: ITR-9.
    func entries() throws(CheckStop) {
        let isSlow = context.claims.durability == .power
        let count = try most(isSlow ? 300 : context.subject.needsDirectory ? 3_000 : 1 << 16 + 300)
        let steps = ["put \(count) keys", "count", "keys"]
        let keys = keys(count)
        try context.withInstance(steps: steps) { (instance) throws(CheckStop) in
            for (number, key) in keys.enumerated() {
                let put = CacheOperation.put(key, value(number, 24))
                guard instance.perform(put) == .done else { throw .blocked("room for \(count) entries") }
            }
            let counted = instance.perform(.count)
            try context.require(
                counted == .number(count), observed: ValueText.describe(counted, of: .count), permitted: "\(count)",
                steps: steps)
            guard case .keys(let listed) = instance.perform(.keys) else { throw .blocked("the keys") }
            try context.require(
                listed.count == count && Set(listed) == Set(keys), observed: "\(listed.count) keys",
                permitted: "the \(count) that were put", steps: steps)
            if context.claims.claims(.walks) {
                guard case .keys(let walked) = instance.perform(.firstKeys(count)) else { throw .blocked("a walk") }
                try context.require(
                    Set(walked) == Set(keys), observed: "\(walked.count) keys", permitted: "the \(count) that were put",
                    steps: steps + ["firstKeys \(count)"])
            }
            try readAndClear(instance, keys, steps)
        }
    }

    private func readAndClear(_ instance: any CacheInstance, _ keys: [[UInt8]], _ steps: [String]) throws(CheckStop) {
        for number in [0, keys.count / 2, keys.count - 1] {
            let (read, wanted) = (
                CacheOperation.get(keys[number]), StoredEntry(value(number, 24).bytes(for: keys[number]))
            )
            let answer = instance.perform(read)
            try context.require(
                answer == .entry(wanted), observed: ValueText.describe(answer, of: read), permitted: "what was put",
                steps: steps + ["\(read)"])
        }
        _ = instance.perform(.removeAll)
        for (look, wanted) in [
            (CacheOperation.count, OperationResult.number(0)), (.get(keys[keys.count - 1]), .entry(nil)),
        ] {
            let answer = instance.perform(look)
            try context.require(
                answer == wanted, observed: ValueText.describe(answer, of: look),
                permitted: ValueText.describe(wanted, of: look), steps: steps + ["removeAll", "\(look)"])
        }
    }

    /// More entries than chores see to at once end together: TTL-21.
    func ended() throws(CheckStop) {
        let count = try most(context.subject.needsDirectory ? 300 : 1_500)
        let lives = PutTerms(timeToLiveNanoseconds: 10)
        let steps = ["put \(count) keys that live 10 ns", "advance 10 ns"]
        let keys = keys(count)
        for operation in [CacheOperation.count, .keys] {
            try context.withInstance(steps: steps) { (instance) throws(CheckStop) in
                for (number, key) in keys.enumerated() { _ = instance.perform(.put(key, value(number), terms: lives)) }
                _ = instance.perform(.advance(nanoseconds: 10))
                let isCount = operation == .count
                let left: Int
                switch instance.perform(operation) {
                case .number(let counted): left = counted
                case .keys(let listed): left = listed.count
                default: throw .blocked(isCount ? "the count" : "the keys")
                }
                try context.require(
                    left == 0, observed: "\(left)", permitted: "0", steps: steps + [isCount ? "count" : "keys"])
            }
        }
    }

    /// A group and a tag of many entries: GRP-9.
    func groups() throws(CheckStop) {
        let keys = keys(try most(context.subject.needsDirectory ? 300 : 4_200))
        try removed(keys, "clear the group", by: .within(group: "g", .removeAll)) {
            .within(group: "g", .put($1, value($0)))
        }
        guard context.claims.claims(.tags) else { return }
        try removed(keys, "removeTagged \"t\"", by: .removeTagged("t")) {
            .put($1, value($0), terms: PutTerms(tags: ["t"]))
        }
    }

    private func removed(
        _ keys: [[UInt8]], _ words: String, by removal: CacheOperation, _ put: (Int, [UInt8]) -> CacheOperation
    ) throws(CheckStop) {
        let isGrouped = removal != .removeTagged("t")
        let steps = ["put \(keys.count) keys in " + (isGrouped ? "a group" : "a tag"), words, "get each"]
        try context.withInstance(steps: steps) { (instance) throws(CheckStop) in
            for (number, key) in keys.enumerated() { _ = instance.perform(put(number, key)) }
            let reads = keys.map { isGrouped ? CacheOperation.within(group: "g", .get($0)) : .get($0) }
            guard instance.perform(reads[0]).isHit || !context.claims.retains else {
                throw .blocked("the witness: the first entry was not found")
            }
            if isGrouped { try listed(instance, keys, Array(steps.prefix(1))) }
            _ = instance.perform(removal)
            let left = reads.count { instance.perform($0).isHit }
            try context.require(left == 0, observed: "\(left) are found", permitted: "none", steps: steps)
        }
    }

    /// All of a group are counted and listed, where nothing is lost.
    private func listed(_ instance: any CacheInstance, _ keys: [[UInt8]], _ steps: [String]) throws(CheckStop) {
        guard context.claims.iterates, context.claims.retains else { return }
        let counted = instance.perform(.within(group: "g", .count))
        try context.require(
            counted == .number(keys.count), observed: ValueText.describe(counted, of: .count),
            permitted: "\(keys.count)", steps: steps + ["count the group"])
        guard case .keys(let found) = instance.perform(.within(group: "g", .keys)) else { throw .blocked("the keys") }
        try context.require(
            found.count == keys.count && Set(found) == Set(keys), observed: "\(found.count) keys",
            permitted: "the \(keys.count) that were put", steps: steps + ["list the group"])
    }
}
