public import CacheConformance
import CacheCore
import Dispatch
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A small and obvious cache with every feature, in one lock; correct unless it is given a defect.
public final class ReferenceCache: CacheInstance {
    let bug: Mutant?
    let contents: Mutex<ReferenceContents>
    /// What defects remember that only several threads can see.
    let races = Mutex(Races())
    /// Loads of one key at a time, for those who come while one runs.
    let flights = Mutex<[ReferenceContents.Place: Flight]>([:])
    /// Where it keeps what must outlive it; nil for nowhere.
    private let journal: ReferenceJournal?
    /// Files that a defect leaves open.
    private let walks = Mutex<[Int32]>([])
    /// What a defect holds while anything is loaded.
    let onlyLoad = DispatchSemaphore(value: 1)

    /// An empty cache.
    public init(_ setup: CacheSetup, order: String, bug: Mutant?, flavour: ReferenceSubject.Flavour = .plain) {
        self.bug = bug
        journal = nil
        contents = Mutex(ReferenceContents(setup, order: order, bug: bug, flavour: flavour))
    }

    /// The cache that was left in a directory, or an empty one.
    init(
        _ setup: CacheSetup, order: String, bug: Mutant?, directory: String, isDurable: Bool
    ) throws(StoreError) {
        self.bug = bug
        let journal = try ReferenceJournal(
            directory: directory, bug: bug, format: setup.format, isDurable: isDurable && bug != .syncsNothing)
        var contents = ReferenceContents(setup, order: order, bug: bug, flavour: .persistent)
        contents.restore(journal.records, damaged: journal.damaged)
        contents.diskBytes = bug == .usageFromZero ? 0 : journal.byteCount
        self.journal = journal
        self.contents = Mutex(contents)
    }

    deinit { for file in walks.withLock({ $0 }) { close(file) } }

    /// Does one operation.
    public func perform(_ operation: CacheOperation) -> OperationResult {
        defer { letGo() }
        return performInAWay(operation) { performOneWay(operation) }
    }

    /// Lets go of the objects that have left, while nothing is locked.
    func letGo() {
        let departed = contents.withLock { contents in
            defer { contents.departed = [] }
            return contents.departed
        }
        withExtendedLifetime(departed) {}
    }

    private func performOneWay(_ operation: CacheOperation) -> OperationResult {
        switch operation {
        case .load(let key, let origin): return load(key, origin, in: nil)
        case .within(let group, .load(let key, let origin)): return load(key, origin, in: group)
        case .loadMany(let keys, let lacking, let first): return loadMany(keys, Set(lacking), first)
        case .giveUp(let key):
            let place = ReferenceContents.Place(key: key)
            flights.withLock { $0[place] }?.isGivenUp.withLock { $0 = true }
            return .done
        default: break
        }
        if let torn = tear(operation) { return torn }
        if bug == .writersWait, case .put(let key, _, _, _) = operation {
            let flight = flights.withLock { $0[ReferenceContents.Place(key: key)] }
            if let flight, flight.isOver.wait(timeout: .now() + 20) == .success { flight.isOver.signal() }
        }
        // Who comes after a removal begins anew, which is right as long as the end of the old load does not undo it.
        if bug == .endForgetsNewerLoad, case .remove(let key) = operation {
            flights.withLock { $0[ReferenceContents.Place(key: key)] = nil }
        }
        if bug == .walkStaysOpen, case .firstKeys(let most) = operation, contents.withLock({ $0.entries.count > most })
        {
            walks.withLock { $0.append(open("/dev/null", O_RDONLY)) }
        }
        let before = contents.withLock { $0.told.count }
        if bug == .truncatedIsStuck, case .get(let key) = operation, contents.withLock({ $0.stuck.contains(key) }) {
            return .failure(StoreError(.corrupt, "the record is damaged"))
        }
        if bug == .undecodableStays, case .remove(let key) = operation, contents.withLock({ $0.stuck.contains(key) }) {
            return .failure(StoreError(.corrupt, "the value cannot be decoded"))
        }
        let result = atOnce(operation)
        if operation == .maintain { refresh() }
        listen(from: before)
        return result
    }

    /// With a defect, an operation that looks and then writes without holding on to what it saw.
    private func tear(_ operation: CacheOperation) -> OperationResult? {
        if bug == .twoWinners, case .putIfAbsent(let key, _, _) = operation {
            let isThere = contents.withLock { $0.find(ReferenceContents.Place(key: key)) != nil }
            if isThere { return .flag(false) }
            usleep(100)
            _ = perform(.put(key, .bytes(operation.entry!.value)))
            return .flag(true)
        }
        if bug == .updateTearsApart, case .update(let key, let change) = operation {
            let old = contents.withLock { $0.find(ReferenceContents.Place(key: key))?.stored.value }
            usleep(50)
            guard let new = change.result(for: key, old: old) else { return nil }
            _ = perform(.put(key, .bytes(new)))
            return .entry(StoredEntry(new))
        }
        if let journal, bug == .journalLagsWhenBusy || bug == .closeLosesLast || bug == .closeLosesRemoval {
            return performUnjournalled(operation, journal)
        }
        return performRacing(operation)
    }

    /// With a defect, writes a put to the journal when others may have written what came later, or not at all once the close
    /// has begun.
    private func performUnjournalled(_ operation: CacheOperation, _ journal: ReferenceJournal) -> OperationResult? {
        if bug == .closeLosesLast || bug == .closeLosesRemoval, operation == .close {
            races.withLock { $0.running = 1 }
            usleep(2_000)
        }
        switch operation {
        case .put where bug != .closeLosesRemoval: break
        case .remove where bug == .closeLosesRemoval: break
        default: return nil
        }
        let isClosing = races.withLock { $0.running > 0 }
        guard bug == .journalLagsWhenBusy || isClosing else { return nil }
        var changes: [ReferenceJournal.Record] = []
        let result = contents.withLock { contents in
            let result = contents.perform(operation)
            changes = contents.takeChanges(all: false)
            return result
        }
        guard !isClosing else { return result }
        usleep(30)
        contents.withLock { _ in _ = journal.write(changes, isEnd: false) }
        return result
    }

    /// Does one operation under the lock.
    func atOnce(_ operation: CacheOperation) -> OperationResult {
        contents.withLock { contents in
            let result = contents.perform(operation)
            if let journal {
                let isWritten = write(&contents, operation, to: journal)
                contents.diskBytes = bug == .usageFromZero ? 0 : journal.byteCount
                if operation == .close { journal.end() }
                if !isWritten { return .failure(StoreError(.full, "the change could not be written; make room")) }
            }
            return result
        }
    }

    /// Writes what has changed; false if it could not be written and is therefore gone.
    private func write(
        _ contents: inout ReferenceContents, _ operation: CacheOperation, to journal: ReferenceJournal
    ) -> Bool {
        let changes = contents.asWritten(contents.takeChanges(all: journal.startAnewIfGone()), by: operation)
        defer { journal.slip(after: operation) }
        let isEnd = operation == .close || operation == .flush
        guard !journal.write(changes, isEnd: isEnd, isHeldBack: bug?.holdsBack(operation) ?? false) else { return true }
        let isRead =
            switch operation {
            case .get, .contains, .getMany, .count, .keys: true
            default: false
            }
        contents.failed(changes, dropping: !isRead)
        if operation == .close { journal.empty() }
        return isRead || changes.isEmpty
    }

    /// Whether there is an entry under a key that will expire.
    func hasDeadline(_ key: [UInt8]) -> Bool {
        contents.withLock { $0.entries[.init(key: key)]?.deadline != nil }
    }

    /// With a defect, stores over what was there a moment ago, and if that is gone, beside all bounds.
    func revive(_ key: [UInt8], _ operation: CacheOperation) -> OperationResult {
        contents.withLock { contents in
            let place = ReferenceContents.Place(key: key)
            if contents.entries[place] == nil { contents.orphans.insert(place) }
            return contents.perform(operation)
        }
    }

    /// Whether there is an entry under a key whose time is over.
    func hasExpired(_ key: [UInt8]) -> Bool {
        contents.withLock { contents in contents.entries[.init(key: key)].map { contents.isOver($0) } ?? false }
    }

    /// Lets the listener do what it does with each event that has come since.
    private func listen(from first: Int) {
        let (listener, count) = contents.withLock { ($0.listener, $0.told.count) }
        guard count > first else { return }
        switch listener {
        case .reenters where bug == .tellsEvictionsUnderLock && contents.withLock { $0.hasEvicted(since: first) }:
            for _ in 0..<20_000 { usleep(1_000) }
        case .slow(let time): usleep(UInt32(min(1_000, max(0, time))) * 1_000)
        case .reenters(let operation):
            let isRead = operation.key.map { operation == .get($0) || operation == .contains($0) } ?? false
            if bug == .tellsUnderLock || bug == .listenerMayOnlyRead && !isRead {
                for _ in 0..<20_000 { usleep(1_000) }
            }
            for _ in first..<count { _ = contents.withLock { $0.perform(operation) } }
        default: break
        }
    }
}
