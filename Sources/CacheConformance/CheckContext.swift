import CacheCore
import Synchronization

/// What is noted while a check runs: whether it has looked at its seed, and how much it has asked.
final class SeedDraws: Sendable {
    /// Whether the same question is put with many other seeds.
    let isOneOfMany: Bool
    /// Whether a failure is made smaller for its reader.
    let makesSmaller: Bool
    private let isNoted = Atomic(false)
    private let asked = Atomic(0)
    private let shown = Mutex<Set<Deviation>>([])

    /// The stated deviations without which an answer would not have been permitted.
    var seen: Set<Deviation> { shown.withLock(\.self) }
    func note(seen deviation: Deviation) { shown.withLock { _ = $0.insert(deviation) } }

    /// The stated deviations that an answer can show, and none has.
    func unseen(_ claims: Claims) -> [Deviation] {
        let seen = seen
        return claims.deviations.filter { $0.shows && !seen.contains($0) }
    }

    init(isOneOfMany: Bool = false, makesSmaller: Bool = true) {
        (self.isOneOfMany, self.makesSmaller) = (isOneOfMany, makesSmaller)
    }

    /// The operations that the subject was asked for, but for those that make a reproducer smaller.
    var operations: Int { asked.load(ordering: .relaxed) }
    func add(operations count: Int) { asked.add(count, ordering: .relaxed) }

    var isAny: Bool { isNoted.load(ordering: .relaxed) }
    func note() { isNoted.store(true, ordering: .relaxed) }
}

/// What a check's body works with: the subject, its claims, a seed, and ways to ask.
struct CheckContext: Sendable {
    let subject: any CacheSubject
    let claims: Claims
    let check: Check
    private let givenSeed: UInt64
    private let draws: SeedDraws

    init(subject: any CacheSubject, claims: Claims, check: Check, seed: UInt64, draws: SeedDraws) {
        self.subject = subject
        self.claims = claims
        self.check = check
        self.draws = draws
        givenSeed = seed
    }

    /// The seed. Whoever asks for it asks the subject other questions with another one.
    var seed: UInt64 {
        draws.note()
        return givenSeed
    }

    /// Whether the same question is put with many other seeds.
    var isOneOfMany: Bool { draws.isOneOfMany }

    /// Whether a failure is made smaller for its reader.
    var makesSmaller: Bool { draws.makesSmaller }

    /// How often threads do the same, since each run is another: so often, or once where other seeds follow.
    func runs(_ wanted: Int) -> Int {
        draws.note()
        return draws.isOneOfMany ? 1 : wanted
    }

    /// What a program must have shown for its negative answers to mean something.
    enum Witness {
        /// Nothing: the program's answers stand for themselves.
        case none
        /// At least so many operations found something stored.
        case hits(Int)
    }

    /// How often something is done: a tenth of what is wanted where each write waits for the device, so that it survives
    /// a power cut, and where other seeds follow.
    func rounds(_ wanted: Int) -> Int { claims.durability >= .power || isOneOfMany ? max(1, wanted / 10) : wanted }

    /// How long threads go on at least: a tenth of what is wanted where other seeds follow.
    func time(_ wanted: Duration) -> Duration { isOneOfMany ? wanted / 10 : wanted }

    /// Random numbers of this check alone, equal for equal seeds.
    var generator: SeededGenerator { SeededGenerator(seed: mix64(seed) ^ Payload.hash(Array(check.id.utf8))) }

    /// Opens an instance as the subject likes it best, for what is not a program.
    func open(in directory: String?) throws(StoreError) -> OpenCache {
        OpenCache(instance: try subject.open(CacheSetup(), in: directory))
    }

    /// Opens an instance for a check that is not a program of few steps, in a directory of its own where it needs one.
    func openPlain(
        _ setup: CacheSetup = CacheSetup(), steps: [String]
    ) throws(CheckStop) -> any CacheInstance {
        try expecting("an open cache", steps: steps) { () throws(StoreError) in
            try adapted(setup) { [subject] (setup) throws(StoreError) in try Self.openPlain(subject, setup) }
        }
    }

    /// As ``openPlain(_:steps:)``, for what is asked as it is.
    func openAsked(_ setup: CacheSetup, steps: [String]) throws(CheckStop) -> any CacheInstance {
        try expecting("an open cache", steps: steps) { () throws(StoreError) in try Self.openPlain(subject, setup) }
    }

    private static func openPlain(
        _ subject: any CacheSubject, _ setup: CacheSetup
    ) throws(StoreError) -> any CacheInstance {
        guard subject.needsDirectory else { return try subject.open(setup, in: nil) }
        return try SandboxedInstance(of: subject, setup)
    }

    /// An instance that is asked as its stated deviations allow.
    func adapted(
        _ setup: CacheSetup, _ open: @escaping @Sendable (CacheSetup) throws(StoreError) -> any CacheInstance
    ) throws(StoreError) -> any CacheInstance {
        let opened = { @Sendable (setup: CacheSetup) throws(StoreError) -> any CacheInstance in
            FacedInstance.of(try open(setup), setup)
        }
        let setup = faced(setup)
        return claims.deviatesAtAll ? try AdaptedInstance(claims, setup, opened) : try opened(setup)
    }

    /// A setup in which all of the cache's faces are asked.
    private func faced(_ setup: CacheSetup) -> CacheSetup {
        var setup = setup
        if claims.faces > 1 { setup.faces = claims.faces }
        return setup
    }

    /// As ``verify(_:witness:as:)`` for a program of these operations.
    func verify(
        _ operations: [CacheOperation], setup: CacheSetup = CacheSetup(), witness: Witness = .hits(1),
        as claims: Claims? = nil
    ) throws(CheckStop) {
        try verify(Program(operations, setup: setup), witness: witness, as: claims)
    }

    /// Fails with the smallest program that shows it if an answer is not permitted by the claims; blocked without the
    /// witness.
    func verify(
        _ program: Program, witness: Witness = .hits(1), as claims: Claims? = nil
    ) throws(CheckStop) {
        let claims = claims ?? self.claims
        var (program, hits) = (program, 0)
        program.setup = faced(program.setup)
        for adapted in ProgramAdapter.programs(program, claims) {
            hits = max(hits, try verify(asked: adapted, as: claims))
        }
        if case .hits(let wanted) = witness, hits < (claims.deviatesAtAll ? min(1, wanted) : wanted) {
            throw .blocked("the witness: \(hits) of \(wanted) operations found something stored")
        }
    }

    /// As ``verify(_:witness:as:)`` for a program that is asked as it is; how many operations found something stored.
    @discardableResult
    func verify(asked program: Program, as claims: Claims) throws(CheckStop) -> Int {
        let run = ProgramRunner(subject: subject, claims: claims, draws: draws).run(program)
        note(operations: min(program.operations.count, (run.divergence?.index ?? .max - 1) + 1))
        guard let divergence = run.divergence else { return run.hits }
        var (asked, seen, remark) = (program, divergence, String?.none)
        if draws.makesSmaller {
            let shrinker = ProgramShrinker(runner: ProgramRunner(subject: subject, claims: claims))
            let smallest = shrinker.shrink(program, divergence)
            (asked, seen, remark) = (smallest.program, smallest.divergence, smallest.remark)
        }
        throw .failed(
            failure(seen.observed, permitted: seen.permitted, asked, [remark].compactMap(\.self), error: seen.error))
    }

    /// Counts operations that the subject was asked for.
    func note(operations count: Int) { draws.add(operations: count) }

    /// How many operations the subject was asked for so far; nil where nobody counted.
    var operationsAsked: Int? { draws.operations == 0 ? nil : draws.operations }

    /// Fails without a program, telling in words what was done.
    func require(
        _ condition: Bool, observed: @autoclosure () -> String, permitted: String, steps: [String]
    ) throws(CheckStop) {
        guard !condition else { return }
        throw .failed(failure(observed(), permitted: permitted, nil, steps))
    }

    /// The failure of something that was done without a program.
    func failed(_ observed: String, permitted: String, steps: [String]) -> CheckStop {
        .failed(failure(observed, permitted: permitted, nil, steps))
    }

    /// Turns an error of the subject into a failure.
    func expecting<Result>(
        _ permitted: String, steps: [String], _ body: () throws(StoreError) -> Result
    ) throws(CheckStop) -> Result {
        do {
            return try body()
        } catch {
            throw .failed(failure("threw \(error)", permitted: permitted, nil, steps, error: error))
        }
    }

    private func failure(
        _ observed: String, permitted: String, _ program: Program?, _ steps: [String] = [], error: StoreError? = nil
    ) -> CheckFailure {
        // A program says what was asked; these words say what one seed alone asks.
        let steps = steps + (isOneOfMany && !steps.isEmpty ? ["as one of many seeds, which repeat less each"] : [])
        let due = check.claims.isEmpty ? "every cache" : check.claims.map(\.description).joined(separator: ", ")
        var failure = CheckFailure(
            seed: seed, dueTo: due, observed: observed, permitted: permitted, program: program, steps: steps,
            end: CheckFailure.ProcessEnd(error))
        failure.operationsAsked = operationsAsked
        return failure
    }
}
