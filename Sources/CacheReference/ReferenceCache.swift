public import CacheConformance
import CacheCore
package import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A small and obvious cache with every feature. Its contents are a value behind one lock.
///
/// Open, so that a defect can be put around a step: see the mutants in `CacheMutants`. Unchecked, since an open class cannot say
/// that it is sendable: everything in it is constant or behind a lock.
open class ReferenceCache: CacheInstance, @unchecked Sendable {
    package let contents: Mutex<ReferenceContents>
    /// The loads that run, one for each key, for those who ask for the same key meanwhile.
    let flights = Mutex<[ReferenceContents.EntryID: Flight]>([:])
    /// The file of what must outlive the cache; nil for none.
    package let journal: ReferenceJournal?

    package init(_ contents: ReferenceContents, journal: ReferenceJournal? = nil) {
        self.contents = Mutex(contents)
        self.journal = journal
    }

    /// Does one operation.
    open func perform(_ operation: CacheOperation) -> OperationResult {
        defer { releaseDeparted() }
        switch operation {
        case .load(let key, let origin): return load(.init(key: key), origin, operation)
        case .within(let group, .load(let key, let origin)):
            return load(.init(group: group, key: key), origin, operation)
        case .loadMany(let keys, let lacking, let first):
            return step(of: operation) { $0.loadMany(keys, Set(lacking), first) }.result
        case .giveUp(let key):
            flights.withLock { $0[.init(key: key)] }?.isGivenUp.withLock { $0 = true }
            return .done
        default:
            let eventCount = contents.withLock { $0.events.count }
            let result = atOnce(operation)
            if operation == .maintain { refresh() }
            listen(from: eventCount)
            return result
        }
    }

    /// Changes the contents for an operation, under the lock. A mutant overrides this.
    open func change<Result: Sendable>(
        _ contents: inout ReferenceContents, by operation: CacheOperation,
        _ body: (inout ReferenceContents) -> Result
    ) -> Result {
        body(&contents)
    }

    /// Does one step of an operation under the lock and writes its changes; says whether they are written.
    package func step<Result: Sendable>(
        of operation: CacheOperation, _ body: (inout ReferenceContents) -> Result
    ) -> (result: Result, isWritten: Bool) {
        contents.withLock { contents in
            let result = change(&contents, by: operation, body)
            return (result, journal.map { write(&contents, operation, to: $0) } ?? true)
        }
    }

    /// Does an operation that takes one step.
    package func atOnce(_ operation: CacheOperation) -> OperationResult {
        let (result, isWritten) = step(of: operation) { $0.perform(operation) }
        return isWritten ? result : .failure(StoreError(.full, "the change could not be written; make room"))
    }

    /// Writes what has changed; false if it could not be written and has left the cache for that.
    private func write(
        _ contents: inout ReferenceContents, _ operation: CacheOperation, to journal: ReferenceJournal
    ) -> Bool {
        defer {
            contents.diskBytes = journal.byteCount
            if operation == .close { journal.end() }
        }
        let changes = contents.takeChanges(all: journal.startAnewIfGone())
        let isEnd = operation == .close || operation == .flush
        guard !journal.write(changes, of: operation, isEnd: isEnd) else { return true }
        let isRead =
            switch operation {
            case .get, .contains, .getMany, .count, .keys, .load, .within(_, .get), .within(_, .load): true
            default: false
            }
        contents.keepUnwritten(changes, dropping: !isRead)
        if operation == .close { journal.empty() }
        return isRead || changes.isEmpty
    }

    /// Lets go of the objects that have left, while nothing is locked: their ends may use the cache.
    package func releaseDeparted() {
        let departed = contents.withLock { contents in
            defer { contents.departed = [] }
            return contents.departed
        }
        withExtendedLifetime(departed) {}
    }

    /// Lets the listener do what it does with each event that has come since.
    private func listen(from first: Int) {
        let (listener, count) = contents.withLock { ($0.listener, $0.events.count) }
        guard count > first else { return }
        switch listener {
        case .slow(let time): usleep(UInt32(min(1_000, max(0, time))) * 1_000)
        case .reenters(let operation): for _ in first..<count { _ = atOnce(operation) }
        default: break
        }
    }
}
