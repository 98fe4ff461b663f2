public import CacheConformance
public import CacheCore
import CacheReference
import Synchronization

extension Mutation {
    /// The cache or the policy that has the defect; the order of a cache may be compared with one of the policies.
    public func subject(policies: [PolicyEntry]) -> any CacheSubject {
        if let defect = PolicyDefect(rawValue: argument), self.operator == .policy { return PolicySubject.fifo(defect) }
        return MutantSubject(self, policies: policies)
    }
}

/// The reference cache with one defect, as a subject. It claims what the reference claims.
struct MutantSubject: CacheSubject {
    /// The defect.
    let mutation: Mutation
    private let reference: ReferenceSubject

    /// The reference of the order and the flavour that the defect is about; its order may be compared with one of the policies.
    init(_ mutation: Mutation, policies: [PolicyEntry]) {
        self.mutation = mutation
        reference = ReferenceSubject(order: mutation.order, flavour: mutation.flavour, policies: policies)
    }

    /// The defect's id.
    var name: String { mutation.id }
    /// Whether it keeps a file.
    var needsDirectory: Bool { reference.needsDirectory }
    /// The policy of its order.
    var orderPolicy: PolicyEntry? { reference.orderPolicy }

    /// What the reference claims.
    func claims() throws(StoreError) -> Claims { try reference.claims() }

    /// An empty cache, or what was left in the directory.
    func open(_ setup: CacheSetup, in directory: String?) throws(StoreError) -> any CacheInstance {
        try openCache(setup, in: directory)
    }

    /// As the other, for clients that are interleaved step by step.
    func open(
        _ setup: CacheSetup, in directory: String?, on executor: SteppedExecutor
    ) throws(StoreError) -> any SuspendingInstance {
        let cache = try openCache(setup, in: directory)
        if mutation.operator == .tears || mutation.operator == .queues {
            return SuspendingMutant(cache, executor)
        }
        return SuspendingReference(cache, executor)
    }

    private func openCache(_ setup: CacheSetup, in directory: String?) throws(StoreError) -> MutantCache {
        var setup = setup
        try ReferenceSubject.check(setup)
        if mutation.operator == .opens, mutation.argument == "idling" {
            setup.timeToIdleNanoseconds = setup.timeToIdleNanoseconds ?? 1 << 54
        }
        if let room = setup.capacity { setup.capacity = Capacity(mutation.room(room.amount, room.unit), room.unit) }
        var contents = ReferenceContents(setup, order: mutation.order, flavour: mutation.flavour)
        if mutation.operator == .opens, mutation.argument == "counting" { contents.counters.misses = 1 }
        guard mutation.flavour.isOnDisk, let directory else { return MutantCache(mutation, contents) }
        let journal = MutantJournal(
            mutation, directory: directory, format: setup.format ?? ReferenceJournal.newest,
            isDurable: mutation.flavour == .durable)
        try journal.open()
        contents.restore(journal.records)
        if mutation.operator == .opens { spoil(&contents) }
        return MutantCache(mutation, contents, journal: journal)
    }

    /// What is wrong with what was restored.
    private func spoil(_ contents: inout ReferenceContents) {
        switch mutation.argument {
        case "evicting": while contents.entries.count > mutation.number { contents.evict(sparing: nil) }
        case "renewing":
            for id in contents.entries.keys {
                contents.bend(id) { entry, contents in Facet.deadline.renew(&entry, in: &contents) }
            }
        case "shuffling": for id in contents.entries.keys { contents.entries[id]!.stamp = -Int(id.key.last ?? 0) }
        case "losing":
            for facet in mutation.arguments.compactMap(Facet.init) {
                for id in contents.entries.keys { contents.bend(id) { entry, _ in facet.reset(&entry) } }
            }
        default: break
        }
        contents.changed = []
    }
}

/// The mutant as an actor that lets others go on between its look and its write, or that forgets who waits for it.
private actor SuspendingMutant: SuspendingInstance {
    private nonisolated let cache: MutantCache
    private nonisolated let executor: SteppedExecutor
    private var isBusy = false
    private var waiter: UnsafeContinuation<Void, Never>?

    init(_ cache: MutantCache, _ executor: SteppedExecutor) {
        self.cache = cache
        self.executor = executor
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.actors.asUnownedSerialExecutor() }

    nonisolated func perform(_ operation: CacheOperation) -> OperationResult { cache.sound(operation) }

    func performSuspending(_ operation: CacheOperation) async -> OperationResult {
        await pause()
        let result: OperationResult
        switch (cache.mutation.argument, operation) {
        case ("suspends", .putIfAbsent(let key, let value, let terms)):
            if cache.sound(.contains(key)) == .flag(true) {
                result = .flag(false)
            } else {
                await pause()
                _ = cache.sound(.put(key, value, terms: terms))
                result = .flag(true)
            }
        case ("oneWaiter", .put): result = await inTurn(operation)
        default: result = cache.sound(operation)
        }
        await pause()
        return result
    }

    /// Lets others go on.
    private func pause() async { await Task(executorPreference: executor.tasks) {}.value }

    /// One after the other; but there is room for one who waits, and the next takes it.
    private func inTurn(_ operation: CacheOperation) async -> OperationResult {
        while isBusy { await withUnsafeContinuation { waiter = $0 } }
        isBusy = true
        await pause()
        let result = cache.sound(operation)
        isBusy = false
        waiter?.resume()
        waiter = nil
        return result
    }
}
