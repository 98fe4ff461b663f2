import CacheConformance
import CacheCore
import CacheReference
import Dispatch
import Foundation
import Synchronization

/// The reference cache with one defect, which is put around the operations that it concerns.
class MutantCache: ReferenceCache, @unchecked Sendable {
    /// What a defect remembers from one operation to the next.
    struct Memory {
        var removals = 0
        var wasCleared = false
        var hasFailed: Set<EntryID> = []
        var givenUp: Set<[UInt8]> = []
        var seen: Set<EntryID> = []
        var answers: [CacheOperation: OperationResult] = [:]
        var objects: [any AnyObject & Sendable] = []
        var addresses: [[UInt8]: UInt] = [:]
        /// Writes that are still to be done, each with the thread that asked for it.
        var queue: [(thread: UInt, operation: CacheOperation)] = []
        var running = 0
        var closer: UInt?
        var restored: Set<EntryID> = []
    }

    let mutation: Mutation
    let memory = Mutex(Memory())
    /// Where two threads wait for each other between a look and a write.
    let rendezvous = Rendezvous()
    let oneAtATime = DispatchSemaphore(value: 1)

    init(_ mutation: Mutation, _ contents: ReferenceContents, journal: ReferenceJournal? = nil) {
        self.mutation = mutation
        super.init(contents, journal: journal)
        memory.withLock { $0.restored = Set(contents.entries.keys) }
    }

    override func perform(_ asked: CacheOperation) -> OperationResult {
        let operation = renamed(asked)
        note(operation)
        let isMeant = mutation.concerns(operation)
        if mutation.operator == .queues { return queued(operation, isMeant) }
        guard isMeant else { return remembered(operation, super.perform(operation)) }
        if mutation.conditions.contains(.busy) {
            memory.withLock { $0.running += 1 }
            rendezvous.wait()
        }
        defer { if mutation.conditions.contains(.busy) { memory.withLock { $0.running -= 1 } } }
        switch mutation.operator {
        case .tears: return torn(operation) ?? super.perform(operation)
        case .loads: return loaded(operation)
        case .becomes: return replaced(operation)
        case .limits: return limited(operation)
        case .shares: return shared(operation)
        case .sticks where mutation.conditions.contains(.loading):
            // It does not wait for ever, as a load that itself writes under its key would make it.
            var looks = 0
            while looks < 20_000, contents.withLock({ facts(operation, $0, nil, nil) }) {
                looks += 1
                usleep(1_000)
            }
            return sound(operation)
        case .sticks where !mutation.conditions.contains(.reenters):
            let isStuck = contents.withLock { facts(operation, $0, nil, nil) }
            return isStuck ? .failure(StoreError(.hung, "no answer")) : super.perform(operation)
        case .answers, .repeats: return answered(operation)
        default: return remembered(operation, super.perform(operation))
        }
    }

    /// Does an operation without the defect of operations as a whole.
    func sound(_ operation: CacheOperation) -> OperationResult { super.perform(operation) }

    override func change<Result: Sendable>(
        _ contents: inout ReferenceContents, by operation: CacheOperation,
        _ body: (inout ReferenceContents) -> Result
    ) -> Result {
        guard mutation.concerns(operation), changes else { return body(&contents) }
        let old = contents
        prepare(&contents, operation, old)
        let result = body(&contents)
        let answer =
            result as Any as? OperationResult
            ?? (result as Any as? LoadOutcome).map { .loaded($0, calls: 1) }
        bend(&contents, operation, old, answer)
        if mutation.operator == .applies, facts(operation, old, contents, answer) {
            return OperationResult.failure(StoreError(.unavailable, "the writer failed")) as? Result ?? result
        }
        return result
    }

    /// Whether the defect changes the contents, and not only answers.
    private var changes: Bool {
        switch mutation.operator {
        case .answers, .becomes, .limits, .key, .group, .tag, .value, .life, .room, .loads, .queues, .journal, .tears,
            .repeats, .shares:
            false
        default: true
        }
    }

    /// Notes what conditions ask about.
    private func note(_ operation: CacheOperation) {
        memory.withLock { memory in
            switch operation.inner.operation {
            case .remove, .take: memory.removals += 1
            case .removeAll: memory.wasCleared = true
            case .giveUp(let key): memory.givenUp.insert(key)
            default: break
            }
        }
    }

    private func remembered(_ operation: CacheOperation, _ result: OperationResult) -> OperationResult {
        if case .loaded(.failed, _) = result, let key = operation.key {
            memory.withLock { _ = $0.hasFailed.insert(EntryID(group: operation.inner.group, key: key)) }
        }
        return result
    }

    // MARK: Conditions

    /// Whether every condition of the defect holds.
    func facts(
        _ operation: CacheOperation, _ old: ReferenceContents, _ new: ReferenceContents?, _ result: OperationResult?
    ) -> Bool {
        mutation.conditions.allSatisfy { holds($0, operation, old, new, result) }
    }

    private func holds(
        _ condition: Mutation.Condition, _ operation: CacheOperation, _ old: ReferenceContents,
        _ new: ReferenceContents?, _ result: OperationResult?
    ) -> Bool {
        let (inner, group) = operation.inner
        let key = inner.key ?? []
        let id = EntryID(group: group, key: key)
        let live = old.live(id)
        let memory = memory.withLock { $0 }
        switch condition {
        case .live: return live != nil
        case .new: return live == nil
        case .dead: return old.entries[id].map(old.isOver) ?? false
        case .absent: return old.absent.contains(id)
        case .refreshing: return old.refreshing[id] != nil
        case .loading: return old.loading[id] != nil
        case .lower: return old.flavour == .tiered && !old.inMemory.contains(id)
        case .mortal: return live?.deadline != nil
        case .own: return live?.terms.timeToLiveNanoseconds != nil
        case .large: return (live?.stored.value.count ?? operation.entry?.value.count ?? 0) > 1_000
        case .equal: return live != nil && live?.stored.value == operation.entry?.value
        case .changed: return new.map { $0.entries[id]?.version != old.entries[id]?.version } ?? true
        case .failing: return old.failsWrites || !old.failingKeys.isEmpty
        case .refused:
            if case .failure(let error) = result { return error.code == .valueRefused || error.code == .keyRefused }
            return operation.entry.map { $0.value.count > ReferenceContents.valueBytesMax } ?? false
        case .failed:
            if case .loaded(.failed, _) = result { return true }
            if case .failure = result { return true }
            return memory.hasFailed.contains(id)
        case .full: return old.weight >= old.capacity
        case .heavy: return (operation.terms ?? .plain).cost > old.capacity && old.unit == .bytes
        case .lifeless: return operation.terms?.timeToLiveNanoseconds ?? 1 <= 0
        case .plain: return (operation.terms ?? .plain).timeToLiveNanoseconds == nil
        case .worn: return live?.reads ?? 0 >= 2
        case .slash: return key.contains(UInt8(ascii: "/"))
        case .long: return key.count > 255
        case .empty:
            switch inner {
            case .removeMany(let keys), .getMany(let keys): return keys.isEmpty
            default: return (operation.entry ?? live?.stored)?.value.isEmpty ?? old.entries.isEmpty
            }
        case .some: return !old.entries.isEmpty
        case .meanwhile:
            if case .load(_, let origin) = inner {
                return origin.meanwhile.contains { if case .advance = $0 { true } else { false } }
            }
            return false
        case .cleared: return memory.wasCleared
        case .removed: return memory.removals > 2
        case .removing: return memory.removals > 1
        case .restored: return memory.restored.contains(id)
        case .fails: return old.listener == .fails
        case .reenters: if case .reenters = old.listener { return true } else { return false }
        case .no: return result == .flag(false) || result == .entry(nil)
        case .busy: return memory.running > 1
        case .allPinned: return old.hasPins && old.entries.count(where: \.value.isPinned) >= old.capacity
        case .bytes: return old.unit == .bytes
        }
    }
}

/// Where two threads meet: who comes first waits for the other, but not for long.
///
/// A semaphore would not do: whose wait is over while a signal comes goes on to wait for it without an end, and the next who
/// waits may take it.
final class Rendezvous: @unchecked Sendable {
    private let condition = NSCondition()
    private var arrivals = 0

    func wait() {
        condition.withLock {
            arrivals += 1
            let mine = arrivals
            if mine.isMultiple(of: 2) { return condition.broadcast() }
            let latest = Date(timeIntervalSinceNow: 0.000_3)
            while arrivals == mine, condition.wait(until: latest) {}
            // Who comes now is the first of the next two.
            if arrivals == mine { arrivals += 1 }
        }
    }
}
