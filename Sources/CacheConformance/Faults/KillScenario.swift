import CacheCore

/// Kills a process that works on a store, and looks at what another one finds there.
struct KillScenario {
    /// What is demanded of what is found.
    enum Demand {
        /// A value that was once put under the key, or none.
        case anyWhole
        /// What the last acknowledged operation left, or the one that was under way.
        case exact
        /// No value, where the last operation was a removal.
        case removedStayRemoved
    }

    private let context: CheckContext
    private let demand: Demand

    init(_ context: CheckContext, _ demand: Demand) {
        self.context = context
        self.demand = demand
    }

    private static let keys = (0..<6).map { Array("key-\($0)".utf8) }

    /// Writes of all sizes over six keys, each with a moment of its own where that is kept, with a removal at every fourth from
    /// the sixth on.
    private var work: [CacheOperation] {
        let (keys, sizes) = (Self.keys, [40, 300, 3_000, 60, 20_000, 100])
        let storesExpiry = context.claims.claims(.storedExpiry)
        return (1...24).map { step in
            if step >= 6, (step - 6) % 4 == 0 || step == 24 { return .remove(keys[(step + 1) % 6]) }
            return .put(
                keys[step % 6], value(step, sizes[step % 6]),
                expiresAtNanoseconds: storesExpiry ? Int64(step) << 56 : nil)
        }
    }

    /// An entry that is not there: a store that opens its files when they are first used does so when it is read.
    private static let firstUse = CacheOperation.get(Array("first use".utf8))

    /// Works on a fresh store until each stop, and looks at what is there then.
    func run(_ stops: [ForkedRun.Stop]) throws(CheckStop) {
        var hits = 0
        for stop in stops { hits += try work(until: stop).hits }
        guard hits > 0 else { throw .blocked("the witness: nothing was found after any kill") }
    }

    /// As the other, at moments, of which one comes midway.
    func run(at moments: KillMoments) throws(CheckStop) {
        var hits = 0
        try run(at: moments, during: "the work") { (moment) throws(CheckStop) in
            let found = try work(until: .afterMicroseconds(moment))
            hits += found.hits
            switch found.progress.acknowledged {
            case 0: return .early
            case work.count: return .late
            default: return .midway
            }
        }
        guard hits > 0 else { throw .blocked("the witness: nothing was found after any kill") }
    }

    /// Fills a store, has it opened by a process that is killed meanwhile, and looks; then again at other moments.
    ///
    /// With a `format` the store is filled by the program of that version. One of a killed process is still to be mended.
    func runOpening(filledBy format: Int? = nil, ofKilled: Bool = false) throws(CheckStop) {
        try run(at: .doubling, during: "the opening") { (moment) throws(CheckStop) in
            let progress = try filled(
                format, ofKilled: ofKilled, [Self.firstUse], until: .afterMicroseconds(moment))
            return progress.acknowledged == 0 ? .midway : .late
        }
    }

    /// Fills a store, has it cleared by a process that is killed meanwhile, and looks; then again at other moments.
    func runClearing() throws(CheckStop) {
        try run(at: .doubling, during: "the clearing") { (moment) throws(CheckStop) in
            let progress = try filled(nil, [.removeAll], until: .afterMicrosecondsOfWork(moment))
            guard progress.opened == true else { return .early }
            return progress.acknowledged == 0 ? .midway : .late
        }
    }

    /// Fills a store, has it do its chores in a process that is killed meanwhile, and looks after another one has removed something
    /// and done them too.
    ///
    /// What has none to do is killed too late each time.
    func runChores() throws(CheckStop) {
        func kill(_ stop: ForkedRun.Stop) throws(CheckStop) -> ForkedRun.Progress {
            try filled(nil, [.maintain], until: stop, after: [.remove(Self.keys[0]), .maintain])
        }
        guard CallScenario.absence(for: context.subject) != nil else {
            for call in 1...60 where try kill(.atCall(call)).acknowledged > 0 { return }
            return
        }
        var moments = KillMoments.doubling
        while let moment = moments.next() {
            let progress = try kill(.afterMicrosecondsOfWork(moment))
            moments.note(progress.acknowledged == 0 ? .midway : .late, at: moment)
        }
    }

    /// FLT-15: kills in the middle of puts, and asks whether the store can be written then, and holds it after another opening.
    ///
    /// The kill comes at each call that changes a file where calls can be counted, and else at moments spread over each put.
    func goesOn() throws(CheckStop) {
        let keys = Self.keys[..<3]
        let work = keys.enumerated().flatMap { index, key -> [CacheOperation] in
            [.put(key, value(index, 300)), .put(key, value(10 + index, 3_000))]
        }
        var isMidway = false
        if CallScenario.absence(for: context.subject) == nil {
            for call in 1...200 {
                let progress = try goesOn(after: .atCall(call), work + [.close])
                if progress.acknowledged > work.count { break }
                isMidway = isMidway || progress.opened == true
            }
        } else {
            let put = try duration(of: work) / work.count
            // Counted from a put's beginning, and with work that goes on until the kill comes: on a busy machine either may be late.
            let endless = Array(repeatElement(work, count: 100).joined())
            for kill in 0..<24 {
                let done = kill % work.count
                let stop = ForkedRun.Stop.afterMicrosecondsOfWork(max(1, put * (2 * kill + 1) / 48), after: done)
                let progress = try goesOn(after: stop, endless)
                let isHere = (done..<endless.count).contains(progress.acknowledged)
                isMidway = isMidway || progress.opened == true && isHere
            }
        }
        guard isMidway else { throw .inconclusive("no kill came in the middle of the work") }
    }

    private func duration(of work: [CacheOperation]) throws(CheckStop) -> Int {
        let sandbox = try context.directory(steps: [])
        defer { sandbox.end() }
        let instance = try context.open(in: sandbox, steps: [])
        let start = ContinuousClock.now
        for operation in work { _ = instance.perform(operation) }
        let time = ContinuousClock.now - start
        _ = instance.perform(.close)
        return Int(time / .microseconds(1))
    }

    /// Returns how far the process came before the kill.
    private func goesOn(
        after stop: ForkedRun.Stop, _ work: [CacheOperation]
    ) throws(CheckStop) -> ForkedRun.Progress {
        let sandbox = try context.directory(steps: [])
        defer { sandbox.end() }
        let progress = try look(after: stop, work, before: [], in: sandbox).progress
        var steps =
            work.prefix(progress.acknowledged).map(\.description) + ["\(stop)", "open in another process, close"]
        let puts = Self.keys[..<3].enumerated().map { CacheOperation.put($1, value(100 + $0, 500)) }
        for asked in [puts + puts.map { .get($0.key!) }, puts.map { .get($0.key!) }] {
            steps.append("open")
            let instance = try context.open(in: sandbox, steps: steps)
            for (index, operation) in asked.enumerated() {
                steps.append(operation.description)
                let answer = instance.perform(operation)
                let isPut = operation.entry != nil
                let wanted: OperationResult = isPut ? .done : .entry(puts[index % puts.count].entry)
                guard answer != wanted else { continue }
                throw context.failed(
                    ValueText.describe(answer, of: operation),
                    permitted: isPut ? "no error" : ValueText.describe(wanted, of: operation), steps: steps)
            }
            steps.append("close")
            _ = instance.perform(.close)
        }
        return progress
    }

    /// Kills at moments until one of them came midway; without one nothing was shown.
    private func run(
        at moments: KillMoments, during what: String, _ kill: (Int) throws(CheckStop) -> KillMoments.Place
    ) throws(CheckStop) {
        var moments = moments
        while let moment = moments.next() { moments.note(try kill(moment), at: moment) }
        guard moments.isMidway else { throw .inconclusive("no kill came in the middle of \(what)") }
    }

    private func work(
        until stop: ForkedRun.Stop
    ) throws(CheckStop) -> (hits: Int, progress: ForkedRun.Progress) {
        let sandbox = try context.directory(steps: [])
        defer { sandbox.end() }
        return try look(after: stop, work, before: [], in: sandbox)
    }

    private func filled(
        _ format: Int?, ofKilled: Bool = false, _ operations: [CacheOperation], until stop: ForkedRun.Stop,
        after later: [CacheOperation] = []
    ) throws(CheckStop) -> ForkedRun.Progress {
        let sandbox = try context.directory(steps: [])
        defer { sandbox.end() }
        if ofKilled {
            let child = ForkedRun(subject: context.subject, setup: CacheSetup(), directory: sandbox.directory!)
            let done = child.run(work, until: .afterOperation(work.count))
            guard done?.acknowledged == work.count else { throw .noChild }
        } else {
            let instance = try context.open(CacheSetup(format: format), in: sandbox, steps: [])
            for operation in work + [.close] { _ = instance.perform(operation) }
        }
        return try look(after: stop, operations, before: work, wasKilled: ofKilled, later: later, in: sandbox).progress
    }

    /// Returns how many keys had a value, and how far the process came; what is to be done `later` comes before the look.
    private func look(
        after stop: ForkedRun.Stop, _ operations: [CacheOperation], before: [CacheOperation],
        wasKilled: Bool = false, later: [CacheOperation] = [], in sandbox: Sandbox
    ) throws(CheckStop) -> (hits: Int, progress: ForkedRun.Progress) {
        let child = ForkedRun(subject: context.subject, setup: CacheSetup(), directory: sandbox.directory!)
        guard let progress = child.run(operations, until: stop) else { throw .noChild }
        let count = progress.acknowledged
        let done = before + operations[..<count] + later
        let underWay = count < operations.count ? operations[count] : nil
        let steps =
            before.map(\.description)
            + (before.isEmpty ? [] : [wasKilled ? "kill the process" : "close", "open in another process"])
            + operations[..<count].map(\.description) + ["\(stop)", "open in another process"]
            + later.map(\.description)
        let instance = try context.expecting("a store that opens after a kill", steps: steps) {
            () throws(StoreError) in try context.subject.open(CacheSetup(), in: sandbox.directory)
        }
        for operation in later {
            let answer = instance.perform(operation)
            guard let error = answer.error, error.code != .unsupported else { continue }
            throw context.failed(ValueText.describe(answer, of: operation), permitted: "no error", steps: steps)
        }
        var hits = 0
        for key in Self.keys {
            let answer = instance.perform(.get(key))
            if answer.isHit { hits += 1 }
            let permitted = permitted(key, done, underWay)
            guard case .entry(let found) = answer, permitted.contains(found) else {
                let words = permitted.map { $0.map { ValueText.describe($0, under: key) } ?? "nil" }
                throw context.failed(
                    ValueText.describe(answer, of: .get(key)), permitted: words.joined(separator: " or "),
                    steps: steps + ["get \(KeyText.describe(key))"])
            }
        }
        _ = instance.perform(.close)
        // Such a process did nothing that could be interrupted.
        guard progress.opened != false else {
            throw .inconclusive("the process that was to be killed could not open the store")
        }
        return (hits, progress)
    }

    /// What may be found under a key.
    private func permitted(_ key: [UInt8], _ done: [CacheOperation], _ underWay: CacheOperation?) -> [StoredEntry?] {
        func left(_ operation: CacheOperation) -> StoredEntry? { operation.entry }
        func isAbout(_ operation: CacheOperation) -> Bool { operation.key == key || operation == .removeAll }
        let own = done.filter(isAbout)
        let coming = underWay.map { isAbout($0) ? [left($0)] : [] } ?? []
        let last = own.last.map(left) ?? nil
        switch demand {
        case .exact: return [last] + coming
        case .removedStayRemoved where own.last?.entry == nil && coming.isEmpty: return [nil]
        default: return [nil] + own.compactMap(left) + coming
        }
    }
}
