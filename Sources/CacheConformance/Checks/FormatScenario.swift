import CacheCore

/// The bodies of checks about versions that are not programs of one store.
struct FormatScenario: LetterKeys {
    private let context: CheckContext

    init(_ context: CheckContext) { self.context = context }

    /// What the program of one version stores is refused by that of another, and stays.
    func refuses(writer: Int?, reader: Int?) throws(CheckStop) {
        let put = CacheOperation.put(Self.a, value(1, 200))
        let steps = [
            "open with the program of version \(words(writer))", "\(put)", "close",
            "open with the program of version \(words(reader))",
        ]
        let sandbox = try filled([put], writer, steps)
        defer { sandbox.end() }
        let before = contents(sandbox)
        if let instance = try opened(sandbox, reader, steps) {
            let answer = instance.perform(.get(Self.a))
            _ = instance.perform(.close)
            throw context.failed(
                "opened, and answered \(ValueText.describe(answer, of: .get(Self.a)))",
                permitted: "a typed error that refuses the store", steps: steps)
        }
        try context.require(
            contents(sandbox) == before, observed: "other files than before", permitted: "files as they were",
            steps: steps + ["compare the files"])
        let found = try answer(to: .get(Self.a), in: sandbox, writer, steps)
        guard found == .entry(StoredEntry(put.entry!.value)) else {
            throw .blocked("the witness: the program that stored the entry did not find it again")
        }
    }

    /// The program of an older version serves what the newest stored whole or not at all, and takes new entries.
    func servesWhole(_ version: Int) throws(CheckStop) {
        let put = CacheOperation.put(Self.a, value(1, 200))
        let steps = ["\(put)", "close", "open with the program of version \(version)", "get a", "put a"]
        let sandbox = try filled([put], nil, steps)
        defer { sandbox.end() }
        let found = try answer(to: .get(Self.a), in: sandbox, version, steps)
        let isWhole = found == .entry(StoredEntry(put.entry!.value))
        try context.require(
            isWhole || found == .entry(nil), observed: ValueText.describe(found, of: .get(Self.a)),
            permitted: "the entry, or nil", steps: steps)
        let fresh = CacheOperation.put(Self.a, value(2))
        let stored = try answer(to: fresh, in: sandbox, version, steps)
        try context.require(
            stored == .done, observed: ValueText.describe(stored, of: fresh), permitted: "no error", steps: steps)
    }

    /// A value of an older store is damaged; its key stays usable with the newest program.
    func undecodable(_ version: Int) throws(CheckStop) {
        let puts = [CacheOperation.put(Self.a, value(1, 200)), .put(Self.b, value(2, 200))]
        let steps =
            ["open with the program of version \(version)"] + puts.map(\.description)
            + ["close", "change a byte of the value of b in the files", "open with the newest program"]
        let sandbox = try filled(puts, version, steps)
        defer { sandbox.end() }
        let surgery = StoreSurgery(sandbox.directory!)
        guard let damage = surgery.spoiling(puts[1].entry!.value) else {
            throw .blocked("the value's bytes do not lie in the files as they are")
        }
        surgery.apply(damage)
        let instance = try context.expecting("an open store", steps: steps) { () throws(StoreError) in
            try context.subject.open(CacheSetup(), in: sandbox.directory)
        }
        defer { _ = instance.perform(.close) }
        let fresh = CacheOperation.put(Self.b, value(3))
        let asked: [(CacheOperation, (OperationResult) -> Bool)] = [
            (.get(Self.a), { $0 == .entry(StoredEntry(puts[0].entry!.value)) || $0 == .entry(nil) }),
            (.get(Self.b), { answer in isHonest(answer) }),
            (.remove(Self.b), { if case .flag = $0 { true } else { false } }),
            (.get(Self.b), { $0 == .entry(nil) }), (fresh, { $0 == .done }),
            (.get(Self.b), { $0 == .entry(StoredEntry(fresh.entry!.value)) || !context.claims.retains }),
        ]
        var done = steps
        for (operation, isPermitted) in asked {
            let answer = instance.perform(operation)
            done.append("\(operation)")
            try context.require(
                isPermitted(answer), observed: ValueText.describe(answer, of: operation),
                permitted: "what is there, absence, and no error", steps: done)
        }
    }

    /// What may be answered of a value that was damaged: a store that does not look for damage cannot see it.
    private func isHonest(_ answer: OperationResult) -> Bool {
        switch answer {
        case .entry(nil): true
        case .failure(let error): error.code == .corrupt
        case .entry: !context.claims.claims(.detectsDamage)
        default: false
        }
    }

    // MARK: Stores and files

    private func words(_ version: Int?) -> String { version.map(String.init) ?? "\(context.claims.formats!.newest)" }

    /// A closed store of a version.
    private func filled(_ puts: [CacheOperation], _ version: Int?, _ steps: [String]) throws(CheckStop) -> Sandbox {
        try context.expecting("no error", steps: steps) { () throws(StoreError) in
            let sandbox = try Sandbox(needsDirectory: true)
            let instance = try context.subject.open(CacheSetup(format: version), in: sandbox.directory)
            for operation in puts + [.close] {
                if case .failure(let error) = instance.perform(operation) { throw error }
            }
            return sandbox
        }
    }

    /// The store as the program of a version opens it; nil if that refuses it.
    private func opened(
        _ sandbox: Sandbox, _ version: Int?, _ steps: [String]
    ) throws(CheckStop) -> (any CacheInstance)? {
        do throws(StoreError) {
            return try context.subject.open(CacheSetup(format: version), in: sandbox.directory)
        } catch {
            switch error.code {
            case .unsupported, .corrupt, .unavailable: return nil
            default:
                throw context.failed(
                    "opening threw \(error)", permitted: "'unsupported', 'corrupt' or 'unavailable'", steps: steps)
            }
        }
    }

    private func answer(
        to operation: CacheOperation, in sandbox: Sandbox, _ version: Int?, _ steps: [String]
    ) throws(CheckStop) -> OperationResult {
        let instance = try context.expecting("an open store", steps: steps) { () throws(StoreError) in
            try context.subject.open(CacheSetup(format: version), in: sandbox.directory)
        }
        defer { _ = instance.perform(.close) }
        return instance.perform(operation)
    }

    private func contents(_ sandbox: Sandbox) -> [String: [UInt8]] { StoreSurgery(sandbox.directory!).contents }
}
