import CacheConformance
import CacheCore
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// What the defects remember that only several threads can see.
struct Races {
    /// A read that is under way, for others to join.
    var reads: [[UInt8]: OperationResult] = [:]
    /// Puts that were answered and are still to be written, with the thread that asked.
    var queue: [(thread: UInt, operation: CacheOperation)] = []
    /// How many operations run.
    var running = 0
    /// Puts that ran beside another put.
    var doubled = 0
    /// Keys whose values are in memory alone.
    var goneBelow: Set<[UInt8]> = []
    /// The thread that closed the cache.
    var closer: UInt?
    /// Keys that reads of several hold, and whether two of them wait for each other.
    var held: Set<[UInt8]> = []
    var isStuck = false
}

// Defects that appear only when several threads use the cache at once: what should be one step is several, with a pause
// between them that lets others in.
extension ReferenceCache {
    /// An operation as a cache with such a defect does it; nil if the defect has nothing to do with it.
    func performRacing(_ operation: CacheOperation) -> OperationResult? {
        guard let bug, bug.isRace else { return nil }
        switch (bug, operation) {
        case (.twoRemove, .remove(let key)): return inTwoSteps(.contains(key), then: operation)
        case (.joinsOldRead, .get(let key)): return joinRead(key)
        case (.queueOvertakes, _): return queued(operation, appliedAt: { _ in true })
        case (.clearMissesQueue, _): return queued(operation, appliedAt: { $0 == .removeAll })
        case (.tearsLarge, .put(let key, let payload, _, _)) where payload.byteCount > 1_000:
            let bytes = payload.bytes(for: key)
            _ = atOnce(.put(key, .bytes(Array(bytes.prefix(bytes.count / 2))), terms: .plain))
            usleep(50)
            return nil
        case (.expiryTakesFresh, .get(let key)), (.expiryTakesFresh, .contains(let key)):
            guard hasExpired(key) else { return nil }
            usleep(300)
            _ = atOnce(.remove(key))
            return operation == .get(key) ? .entry(nil) : .flag(false)
        case (.replaceRevives, .replace(let key, let payload, let terms)):
            return inTwoSteps(.contains(key), then: .put(key, payload, terms: terms))
        case (.countsLost, .compareAndSet(let key, let expected, let payload)):
            guard atOnce(.get(key)) == .entry(StoredEntry(expected.bytes(for: key))) else {
                return .flag(false)
            }
            return inTwoSteps(.contains(key), then: .put(key, payload))
        case (.lowerExpiryTakesFresh, .put(let key, _, _, _)):
            races.withLock { _ = $0.goneBelow.remove(key) }
            return nil
        case (.updateRevives, .put(let key, _, _, _)):
            guard atOnce(.contains(key)) == .flag(true) else { return nil }
            usleep(50)
            return revive(key, operation)
        case (.timerFreedTwice, .remove(let key)), (.timerFreedTwice, .take(let key)):
            guard hasDeadline(key) else { return nil }
            usleep(50)
            if atOnce(.contains(key)) == .flag(false) {
                return .failure(StoreError(.corrupt, "the timer of the entry was freed twice"))
            }
            return nil
        case (.incrementTears, .increment(let key, let step)):
            let seen = number(under: key)
            usleep(50)
            return contents.withLock { contents in
                let now = contents.find(ReferenceContents.Place(key: key)).flatMap {
                    DecimalText.number($0.stored.value)
                }
                guard let seen, let now else { return contents.perform(operation) }
                return contents.perform(.increment(key, by: seen + step - now))
            }
        case (.bulkRemoveTears, .removeMany(let keys)):
            let count = Set(keys).count { atOnce(.contains($0)) == .flag(true) }
            usleep(50)
            for key in keys { _ = atOnce(.remove(key)) }
            return .number(count)
        case (.renameTears, .rename(let key, let other)) where key != other:
            let seen = contents.withLock { $0.find(ReferenceContents.Place(key: key)) }
            usleep(50)
            return contents.withLock { contents in
                let isGone = contents.find(ReferenceContents.Place(key: key)) == nil
                guard let seen, isGone else { return contents.perform(operation) }
                return contents.perform(.put(other, .bytes(seen.stored.value))) == .done ? .flag(true) : .flag(false)
            }
        case (.eventsLostWhenBusy, .put), (.costDriftsWhenBusy, .put): return beside(operation)
        case (.countDriftsWhenBusy, .remove), (.roomShrinksWhenBusy, .remove): return beside(operation)
        case (.countDriftsWhenBusy, .count):
            guard case .number(let count) = atOnce(operation) else { return nil }
            return .number(count + races.withLock { $0.doubled })
        case (.roomShrinksWhenBusy, .put(let key, _, _, _)):
            let lost = races.withLock { $0.doubled }
            return contents.withLock { contents in
                let result = contents.perform(operation)
                let isOver = contents.entries.count > max(1, contents.capacity - lost)
                if isOver { contents.evictOldest(sparing: ReferenceContents.Place(key: key)) }
                return result
            }
        case (.lowerExpiryTakesFresh, .get(let key)):
            guard hasExpired(key) else { return nil }
            usleep(300)
            races.withLock { _ = $0.goneBelow.insert(key) }
            return .entry(nil)
        case (.lowerExpiryTakesFresh, .dropMemory):
            for key in races.withLock({ $0.goneBelow }) { _ = atOnce(.remove(key)) }
            return nil
        case (.promotesOldRead, .get(let key)):
            let place = ReferenceContents.Place(key: key)
            let old = contents.withLock { $0.inMemory.contains(place) ? nil : $0.find(place) }
            guard let old else { return nil }
            usleep(50)
            return contents.withLock { contents in
                let result = contents.perform(operation)
                contents.entries[place] = old
                return result
            }
        case (.exchangeTears, .exchange(let key, let payload)):
            let old = atOnce(.get(key))
            usleep(20)
            let stored = atOnce(.put(key, payload))
            return stored == .done ? old : stored
        case (.takeTears, .take(let key)):
            let old = atOnce(.get(key))
            usleep(20)
            _ = atOnce(.remove(key))
            return old
        case (.nodesPileUp, .put): return beside(operation)
        case (.nodesPileUp, .count):
            guard case .number(let count) = atOnce(operation) else { return nil }
            return .number(count + races.withLock { $0.doubled })
        case (.listsInTwoSteps, .keys):
            guard case .keys(let first) = atOnce(.keys) else { return nil }
            usleep(200)
            guard case .keys(let second) = atOnce(.keys) else { return nil }
            return .keys(Array(first.prefix(first.count / 2)) + Array(second.dropFirst(first.count / 2)))
        case (.readsOneByOne, .getMany(let keys)):
            return .entries(
                keys.map { key in
                    usleep(30)
                    guard case .entry(let found) = atOnce(.get(key)) else { return nil }
                    return found
                })
        case (.failsWhenBusy, _): return beside(operation)
        case (.closesLate, _): return closing(operation)
        default: return performRacingFurther(operation)
        }
    }

    private static var thread: UInt {
        #if canImport(Darwin)
            UInt(bitPattern: pthread_self())
        #else
            UInt(pthread_self())
        #endif
    }

    /// Asks, pauses, and does it whatever has become of what was asked.
    private func inTwoSteps(_ question: CacheOperation, then operation: CacheOperation) -> OperationResult {
        guard atOnce(question) == .flag(true) else { return .flag(false) }
        usleep(50)
        _ = atOnce(operation)
        return .flag(true)
    }

    /// Answers with what another read of the key found that has not returned yet.
    private func joinRead(_ key: [UInt8]) -> OperationResult {
        if let other = races.withLock({ $0.reads[key] }) { return other }
        let found = atOnce(.get(key))
        races.withLock { $0.reads[key] = found }
        usleep(100)
        races.withLock { $0.reads[key] = nil }
        return found
    }

    /// Writes puts of other threads again when one of these operations is done.
    private func queued(_ operation: CacheOperation, appliedAt isDue: (CacheOperation) -> Bool) -> OperationResult {
        let result = atOnce(operation)
        let me = Self.thread
        let late = races.withLock { races -> [CacheOperation] in
            if case .put = operation { races.queue.append((me, operation)) }
            if races.queue.count > 64 { races.queue.removeFirst() }
            guard isDue(operation) else { return [] }
            let due = races.queue.filter { $0.thread != me }
            races.queue.removeAll { $0.thread != me }
            return due.map(\.operation)
        }
        if !late.isEmpty { usleep(20) }
        for put in late { _ = atOnce(put) }
        return result
    }

    private func number(under key: [UInt8]) -> Int? {
        contents.withLock { contents in
            contents.find(ReferenceContents.Place(key: key)).flatMap { DecimalText.number($0.stored.value) }
        }
    }

    /// Does an operation and notes whether another ran beside it.
    private func beside(_ operation: CacheOperation) -> OperationResult {
        let isAlone = races.withLock { races in
            races.running += 1
            return races.running == 1
        }
        defer { races.withLock { $0.running -= 1 } }
        if bug == .failsWhenBusy, !isAlone { return .failure(StoreError(.inputOutput, "busy")) }
        if !isAlone { races.withLock { $0.doubled += 1 } }
        usleep(1)
        guard !isAlone, let key = operation.key else { return atOnce(operation) }
        return contents.withLock { contents in
            let told = contents.told.count
            let old = contents.entries[ReferenceContents.Place(key: key)]?.terms.cost ?? 0
            let result = contents.perform(operation)
            if bug == .eventsLostWhenBusy { contents.told.removeSubrange(min(told, contents.told.count)...) }
            if bug == .costDriftsWhenBusy { contents.cost += old }
            return result
        }
    }

    /// Knows that it is closed only on the thread that closed it.
    private func closing(_ operation: CacheOperation) -> OperationResult? {
        if operation == .close {
            races.withLock { $0.closer = Self.thread }
            return .done
        }
        guard let closer = races.withLock({ $0.closer }), closer != Self.thread else {
            return races.withLock({ $0.closer }) == nil ? nil : .failure(.closed)
        }
        if case .put = operation { return .failure(.closed) }
        return nil
    }
}

extension Mutant {
    /// Whether only several threads can see it.
    var isRace: Bool {
        switch self {
        case .twoRemove, .joinsOldRead, .queueOvertakes, .tearsLarge, .expiryTakesFresh, .clearMissesQueue,
            .replaceRevives, .countsLost, .updateRevives, .timerFreedTwice, .nodesPileUp, .failsWhenBusy, .closesLate,
            .listsInTwoSteps, .readsOneByOne, .incrementTears, .bulkRemoveTears, .renameTears, .eventsLostWhenBusy,
            .costDriftsWhenBusy, .countDriftsWhenBusy, .roomShrinksWhenBusy, .promotesOldRead,
            .lowerExpiryTakesFresh, .exchangeTears, .takeTears, .bulkReadDeadlocks, .touchTears, .markedSetTears,
            .markedRemovalTears, .writerHearsLate, .behindSwapsWhenBusy, .renameShowsGap, .eventsLostWhileAsked,
            .termsLag, .clearMissesWriters, .groupMadeTwice, .expiredToldTwice:
            true
        default: false
        }
    }
}
